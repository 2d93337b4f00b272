/* One CPU's ring buffer: the kernel writes records at its head, we read at its tail. */
#ifndef ASCRIBE_OUTSIDE_RING_H
#define ASCRIBE_OUTSIDE_RING_H

#include <linux/perf_event.h>
#include <stdint.h>

struct ring {
  int descriptor; /* of the event that owns the buffer; -1: none */
  int cpu;
  struct perf_event_mmap_page *page;
  uint64_t bytes; /* of the buffer, a power of two */
  uint64_t head;  /* records before it may be read */
  uint64_t tail;
  const struct perf_event_header *next; /* the record at `tail`, or null */
  uint64_t time;                        /* of `next`; UINT64_MAX: there is none */
  void *whole;                          /* a copy of a record that the end of the buffer splits */
};

/* A buffer of `bytes` (a power of two, at least a page) for a CPU. 0, or -1 with errno: EPERM when
 * it is more than this user may lock. */
int ring_open(struct ring *ring, int cpu, uint64_t bytes);
void ring_close(struct ring *ring);

/* See what the kernel has written meanwhile. */
void ring_look(struct ring *ring);

/* Give the room of ring->next back to the kernel, and go on to the next record. */
void ring_pass(struct ring *ring);

#endif
