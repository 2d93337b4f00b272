#include "runtime/messages/message_ends.h"

#include "runtime/registry/storage.h"

#define BLOCK_BYTES (16 * RECORDING_UNIT)
#define BLOCK_ENDS                                                                                 \
  ((BLOCK_BYTES - sizeof(struct block_header)) / sizeof(struct recorded_message_end))
#define BLOCKS_MOST (MESSAGE_ENDS_MOST / BLOCK_ENDS)

static struct {
  uint64_t closed; /* atomic: since when none is recorded; 0: they are */
  uint32_t blocks; /* atomic */
} ends;

void message_ends_close(uint64_t now) {
  uint64_t closed = __atomic_load_n(&ends.closed, __ATOMIC_RELAXED);
  while ((!closed || now < closed) &&
         !__atomic_compare_exchange_n(&ends.closed, &closed, now, true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
}

void message_ends_start_child(void) {
  ends.closed = 0;
  ends.blocks = 0;
}

/* The last place of a block is kept for it. */
static void tell_closed(struct thread_state *thread, uint64_t closed) {
  struct block_header *block = thread->message_ends;
  if (!block) return;
  struct recorded_message_end *end =
      (void *)((char *)block + block->used - sizeof(struct recorded_message_end));
  if (end->flags & END_OF_ENDS && end->posted <= closed) return;
  if (!(end->flags & END_OF_ENDS)) {
    end++;
    end->flags = END_OF_ENDS;
    block->used += sizeof *end;
  }
  __atomic_store_n(&end->posted, closed, __ATOMIC_RELEASE);
}

static struct block_header *next_block(struct thread_state *thread) {
  if (__atomic_fetch_add(&ends.blocks, 1, __ATOMIC_RELAXED) >= BLOCKS_MOST) return NULL;
  return storage_claim(BLOCK_MESSAGE_ENDS, BLOCK_BYTES - sizeof(struct block_header),
                       thread->number);
}

struct recorded_message_end *message_ends_add(struct thread_state *thread, uint64_t now) {
  uint64_t closed = __atomic_load_n(&ends.closed, __ATOMIC_RELAXED);
  struct block_header *block = thread->message_ends;
  bool is_full = !block || block->used + 2 * sizeof(struct recorded_message_end) > block->bytes;
  if (!closed && is_full) {
    block = next_block(thread);
    if (block)
      thread->message_ends = block;
    else
      message_ends_close(now);
    closed = __atomic_load_n(&ends.closed, __ATOMIC_RELAXED);
  }
  if (closed) {
    tell_closed(thread, closed);
    return NULL;
  }
  struct recorded_message_end *end = (void *)((char *)block + block->used);
  if (thread->paused) end->flags = END_PAUSED;
  __atomic_store_n(&block->used, block->used + sizeof *end, __ATOMIC_RELEASE);
  return end;
}
