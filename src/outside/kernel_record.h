/* Records of perf's ring buffers, taken apart (perf_event_open(2), "MMAP layout").
 *
 * They have the fields that the events of event.h ask for, and no others. */
#ifndef ASCRIBE_OUTSIDE_KERNEL_RECORD_H
#define ASCRIBE_OUTSIDE_KERNEL_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/frame.h"

/* The bits of sample_regs_user: what an unwind_frame holds. */
#define KERNEL_RECORD_REGISTERS 0xff01ffu

/* A tick. */
struct kernel_sample {
  uint32_t pid, tid;
  uint64_t time_ns; /* CLOCK_MONOTONIC */
  uint64_t ip;
  uint64_t event; /* the number of the one that was opened; of an inherited one, its origin's */
  bool in_kernel; /* it fell into the kernel: the registers are those of the way in */
  bool has_frame; /* false: no 64-bit program's registers */
  struct unwind_frame frame;
  const uint8_t *stack; /* what was copied, from the stack pointer up */
  uint64_t stack_bytes;
};

/* Executable memory was mapped. */
struct kernel_mapping {
  uint32_t pid, tid;
  uint64_t start, end, offset;
  uint64_t device, inode; /* 0 with a build-id */
  const uint8_t *build_id;
  uint32_t build_id_bytes; /* 0: none */
  const char *path;        /* zero-terminated */
};

/* A thread or process began (`parent_tid` made it) or ended. */
struct kernel_task {
  uint32_t pid, parent_pid, tid, parent_tid;
};

/* A thread's name, or, `exec`, that of a program that the process runs from now on. */
struct kernel_name {
  uint32_t pid, tid;
  bool exec;
  const char *name; /* zero-terminated */
};

/* What the event of a thread has counted in its life, on one CPU. */
struct kernel_count {
  uint32_t pid, tid;
  uint64_t value;
};

/* The time of any record: CLOCK_MONOTONIC, nanoseconds; 0 if it is too short. */
uint64_t kernel_record_time(const struct perf_event_header *record);

/* Who ran when it was written: false where it is too short. */
bool kernel_record_owner(const struct perf_event_header *record, uint32_t *pid, uint32_t *tid);

/* Records of the kinds that the names say.  Pointers lead into the record.  0, or -1 where it is
 * not well-formed. */
int kernel_record_sample(const struct perf_event_header *record, struct kernel_sample *sample);
int kernel_record_mapping(const struct perf_event_header *record, struct kernel_mapping *mapping);
int kernel_record_task(const struct perf_event_header *record, struct kernel_task *task);
int kernel_record_name(const struct perf_event_header *record, struct kernel_name *name);
int kernel_record_count(const struct perf_event_header *record, struct kernel_count *count);
/* PERF_RECORD_LOST: how many records had no room. */
int kernel_record_lost(const struct perf_event_header *record, uint64_t *lost);
/* PERF_RECORD_THROTTLE, PERF_RECORD_UNTHROTTLE: the event's number. */
int kernel_record_throttled(const struct perf_event_header *record, uint64_t *event);

#endif
