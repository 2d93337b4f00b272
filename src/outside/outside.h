/* A program looked at from outside: the kernel delivers its ticks, each with a copy of the stack,
 * and nothing is put into it.  What comes out is a recording like that of the runtime inside.
 *
 * One thread. */
#ifndef ASCRIBE_OUTSIDE_OUTSIDE_H
#define ASCRIBE_OUTSIDE_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "recording/reader.h"

struct outside;

struct outside_settings {
  uint32_t pid;
  bool runs;         /* it runs already; else it waits before its exec, and counts from there on */
  uint32_t rate_hz;  /* 1 to 10000 */
  uint32_t looks_hz; /* at each thread while it waits; 0: none */
};

/* What the kernel permits this user. */
struct outside_limits {
  bool small_buffers;   /* less memory for them than the rate would want */
  uint32_t stack_bytes; /* copied with each tick */
};

/* The process that a number belongs to: itself, or the one that it is a thread of. 0: there is
 * none. */
uint32_t outside_process_of(uint32_t id);

/* Begin to look. The result is the caller's, to be freed with outside_close. 0, or -1. */
int outside_open(const struct outside_settings *settings, struct outside **outside,
                 struct error *error);
void outside_limits(const struct outside *outside, struct outside_limits *limits);

/* Take what the kernel delivers until one of the descriptors can be read: its index.  -1: after
 * `duration_ns` (UINT64_MAX: never). */
int outside_watch(struct outside *outside, const int *descriptors, int count, uint64_t duration_ns);

/* Look no longer; once is enough. */
void outside_stop(struct outside *outside);

/* What was seen, after outside_stop.  `signal`: the one that ended the process that was started, or
 * 0. The recording belongs to `outside`. */
struct recording *outside_finish(struct outside *outside, int signal);
void outside_close(struct outside *outside);

#endif
