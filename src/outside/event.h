/* What is measured, and how the kernel is asked to deliver it. */
#ifndef ASCRIBE_OUTSIDE_EVENT_H
#define ASCRIBE_OUTSIDE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Ticks come every `period` counts of the event. */
struct event {
  uint32_t type;   /* perf's: PERF_TYPE_SOFTWARE... */
  uint64_t config; /* of that type */
  uint64_t period;
  bool kernel;          /* the time in the kernel is sampled too */
  bool from_exec;       /* counts from the next exec on, else at once */
  bool tells_lost;      /* reading it says how many records had no room */
  uint32_t stack_bytes; /* copied with each tick: a multiple of 8, below 65536 */
};

/* Nanoseconds of CPU time, at no more than the kernel's highest rate. The period is chosen at
 * random within a tenth of that rate, so that nothing runs in step with it: threads inherit events,
 * and theirs cannot be varied later. */
struct event event_of_time(uint32_t rate_hz);

/* Measure thread `tid`, on one CPU, and what it will start. The descriptor, or -1 with errno. */
int event_open(const struct event *event, int tid, int cpu);

/* An event of our own that counts nothing: its buffer takes what others on its CPU deliver.  The
 * kernel wakes us up when a quarter of `buffer_bytes` is full. The descriptor, or -1 with errno. */
int event_open_buffer(int cpu, uint32_t buffer_bytes);

/* Whether this user may sample the kernel. */
bool event_kernel_permitted(void);

/* Whether this kernel (Linux 6.0 and later) can tell how many records of an event had no room. */
bool event_lost_permitted(void);

/* What an event and all that inherited it have done so far. */
struct event_sums {
  uint64_t count; /* of the event: nanoseconds */
  uint64_t lost;  /* records without room in the buffer; 0 unless the event tells_lost */
};

struct event_sums event_read(int descriptor);

/* The words for errno after perf_event_open was refused for ourselves: why, and what to do. -1. */
int event_refusal(int number, struct error *error);

#endif
