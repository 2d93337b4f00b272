#include "runtime/messages/message_rows.h"

#include "runtime/contexts/machine.h"
#include "runtime/registry/storage.h"
#include "runtime/stacks/stacks.h"

#define ROWS_FIRST 50u /* a page, with the block's header */
#define ROWS_MOST (1u << 16)

static bool is_of(const struct recorded_message *row, const struct recorded_message *key) {
  return row->call == key->call && row->site == key->site && row->peer == key->peer &&
         row->context == key->context && row->centre == key->centre;
}

/* Null: the table is full, or there is none. `last`: the row may be one of those that full tables
 * keep free, which are more than there are calls. */
static struct recorded_message *find(struct thread_state *thread,
                                     const struct recorded_message *key, bool last) {
  struct block_header *block = thread->messages;
  if (!block) return NULL;
  struct recorded_message *rows = block_payload(block);
  uint64_t count = block_payload_bytes(block) / sizeof *rows;
  uint64_t hash = key->site * 0x9E3779B97F4A7C15ull +
                  (key->call | (uint64_t)key->peer << 32) * 0xC2B2AE3D27D4EB4Full +
                  (key->context | (uint64_t)key->centre << 32) * 0x165667B19E3779F9ull;
  uint64_t at = (hash >> 32) * count >> 32; /* a division would take longer than the rest */
  for (uint64_t i = 0; i < count; i++, at = at + 1 < count ? at + 1 : 0) {
    struct recorded_message *row = &rows[at];
    if (is_of(row, key)) return row;
    if (row->call) continue;
    if (!last && thread->message_rows * 4 >= count * 3) return NULL;
    row->site = key->site;
    row->peer = key->peer;
    row->context = key->context;
    row->centre = key->centre;
    /* Readers of a running program take a row with a call for a whole one. */
    __atomic_store_n(&row->call, key->call, __ATOMIC_RELEASE);
    thread->message_rows++;
    return row;
  }
  return NULL;
}

/* Full tables stay where they are: readers add up what stands in several. */
static bool next_table(struct thread_state *thread) {
  uint64_t rows = ROWS_FIRST, bytes = sizeof(struct recorded_message);
  if (thread->messages) rows = 2 * block_payload_bytes(thread->messages) / bytes;
  if (rows > ROWS_MOST) return false;
  struct block_header *block = storage_claim(BLOCK_MESSAGES, rows * bytes, thread->number);
  if (!block) return false;
  block->used = block->bytes;
  thread->message_rows = 0;
  thread->messages = block;
  return true;
}

static uint32_t step(void *thread, uint32_t context, uint64_t address) {
  struct thread_state *own = thread;
  return machine_stack_step(own, context ? context : own->root, address);
}

/* A walker knows its last stack at once. Programs call from some sites in turn, so these have
 * walkers of their own. */
uint32_t message_rows_context(struct thread_state *thread, const struct stack_caller *caller) {
  uint64_t walker = caller->address * 0x9E3779B97F4A7C15ull / (UINT64_MAX / MESSAGE_WALKERS + 1);
  if (thread->paused) return 0;
  return stacks_lead(&thread->message_walkers[walker], thread, caller, step, thread);
}

void message_rows_add(struct thread_state *thread, const struct recorded_message *more) {
  if (thread->paused) return;
  struct recorded_message *row = find(thread, more, false);
  if (!row && next_table(thread)) row = find(thread, more, false);
  if (!row) row = find(thread, &(struct recorded_message){.call = more->call}, true);
  if (!row) {
    storage_count_drop(DROP_TRANSITIONS);
    return;
  }
  row->calls += more->calls;
  row->sent += more->sent;
  row->sent_bytes += more->sent_bytes;
  row->received += more->received;
  row->received_bytes += more->received_bytes;
  row->cycles += more->cycles;
  if (more->calls && (!row->least_cycles || more->cycles < row->least_cycles))
    row->least_cycles = more->cycles;
}
