/* Threads that wait, looked at from outside while the program records what runs: a signal would end
 * their system calls with EINTR.
 *
 * Each thread is looked at again and again, at moments of its own, at random between a half and one
 * and a half of a period after the last time.  Which processes and threads there are, their
 * recordings tell.  One thread. */
#ifndef ASCRIBE_OUTSIDE_WAITS_H
#define ASCRIBE_OUTSIDE_WAITS_H

#include <stdint.h>

#include "base/error.h"
#include "recording/reader.h"

struct waits;

/* Opens the looks at the recording in a directory, whose control file is mapped at `control`
 * (null: there is none). `rate_hz`: looks a second at each thread. The caller closes the result
 * with waits_close. 0, or -1. */
int waits_open(const char *directory, const struct recording_control *control, uint32_t rate_hz,
               struct waits **waits, struct error *error);

/* Look until the descriptor can be read (0), or duration_ns have passed (-1). */
int waits_watch(struct waits *waits, int descriptor, uint64_t duration_ns);

/* Look where it is due, for who does other work in between. The result: when it is due again
 * (CLOCK_MONOTONIC). */
uint64_t waits_look(struct waits *waits);

/* Tell each process of the recording what was seen so far; until the next look or the next time,
 * `recording` needs `waits`. */
void waits_tell(struct waits *waits, struct recording *recording);
void waits_close(struct waits *waits);

#endif
