/* A recording whose program still runs: profiles of it, one after the other.
 *
 * The program does not notice: its recording is memory that is read, and nothing in it waits for a
 * reader (docs/FORMATS.md). A profile is what `ascribe record` would save if all processes were
 * killed at that moment. */
#ifndef ASCRIBE_CLI_LIVE_RECORDING_H
#define ASCRIBE_CLI_LIVE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "profile/profile.h"

struct live_recording;

/* That of a process of this user. It ends when the process does. */
int live_open_process(pid_t pid, struct live_recording **live, struct error *error);

/* The one in `directory`. It ends when `end` can be read, which stays the caller's. */
struct live_recording *live_open(const char *directory, int end);

/* From now on look at its threads while they wait, `rate_hz` times a second at each, as the
 * recorder does (outside/waits.h), whose looks are in its own memory. Where the kernel permits only
 * a recorder's child to look, the profile says so (unseen_errno) and knows how long each thread has
 * waited, but not where. Pauses count as the rest. */
int live_look(struct live_recording *live, uint32_t rate_hz, struct error *error);

void live_close(struct live_recording *live);

struct live_turn {
  struct profile *profile; /* the caller's; null: no process has begun to record yet */
  uint64_t at_ns;          /* CLOCK_MONOTONIC when the recording was read */
  uint64_t age_ns;         /* of the recording then */
  uint64_t cost_ns;        /* CPU time of this thread: for reading, and making the profile */
};

/* Make a profile of what there is now. -1 with the error set, also when the recording is gone. */
int live_turn(struct live_recording *live, struct live_turn *turn, struct error *error);

/* When the next turn may begin, CLOCK_MONOTONIC: `interval_ns` after the last one began, or later,
 * so that turns take a tenth of a core at most. `cost_ns`: of the last one, with what was done with
 * its profile. */
uint64_t live_next_ns(const struct live_turn *turn, uint64_t interval_ns, uint64_t cost_ns);

/* Wait until CLOCK_MONOTONIC is `until_ns`, the recording ends, or one of `others` has what it is
 * polled for. Whether the recording has ended. */
struct pollfd;
bool live_wait(const struct live_recording *live, uint64_t until_ns, struct pollfd *others,
               size_t count);

#endif
