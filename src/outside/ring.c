#include "outside/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "outside/event.h"
#include "outside/kernel_record.h"

enum { LARGEST_RECORD = 1 << 16 };

static uint64_t page_bytes(void) {
  return (uint64_t)sysconf(_SC_PAGESIZE);
}

int ring_open(struct ring *ring, int cpu, uint64_t bytes) {
  int descriptor = event_open_buffer(cpu, (uint32_t)bytes);
  if (descriptor < 0) return -1;
  void *page = mmap(NULL, page_bytes() + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (page == MAP_FAILED) {
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
  }
  *ring = (struct ring){.descriptor = descriptor,
                        .cpu = cpu,
                        .page = page,
                        .bytes = bytes,
                        .time = UINT64_MAX,
                        .whole = memory_zeroed(1, LARGEST_RECORD)};
  return 0;
}

void ring_close(struct ring *ring) {
  if (!ring->page) return;
  munmap(ring->page, page_bytes() + ring->bytes);
  close(ring->descriptor);
  free(ring->whole);
  *ring = (struct ring){.descriptor = -1};
}

static const char *data(const struct ring *ring) {
  return (const char *)ring->page + page_bytes();
}

/* Headers are never split: records are multiples of 8 bytes, as headers are. */
static void find_next(struct ring *ring) {
  ring->next = NULL;
  ring->time = UINT64_MAX;
  if (ring->tail == ring->head) return;
  uint64_t at = ring->tail & (ring->bytes - 1);
  const struct perf_event_header *record = (const void *)(data(ring) + at);
  uint64_t size = record->size, first = ring->bytes - at;
  if (size < sizeof *record || size > ring->head - ring->tail) { /* not the kernel's */
    ring->tail = ring->head;
    return;
  }
  if (size > first) {
    memcpy(ring->whole, record, first);
    memcpy((char *)ring->whole + first, data(ring), size - first);
    record = ring->whole;
  }
  ring->next = record;
  ring->time = kernel_record_time(record);
}

void ring_look(struct ring *ring) {
  /* Pairs with the kernel's barrier between writing records and moving the head. */
  ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
  if (!ring->next) find_next(ring);
}

void ring_pass(struct ring *ring) {
  ring->tail += ring->next->size;
  /* Pairs with the kernel's barrier between reading the tail and writing there. */
  __atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
  find_next(ring);
}
