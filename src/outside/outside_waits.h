/* Where threads wait of processes that are looked at from outside by perf events: looks as in
 * waits.h, at the threads that the kernel's records tell of. */
#ifndef ASCRIBE_OUTSIDE_OUTSIDE_WAITS_H
#define ASCRIBE_OUTSIDE_OUTSIDE_WAITS_H

#include "base/error.h"
#include "outside/process_tree.h"

struct outside_waits;

/* `looks_hz`: looks a second at each thread. The result is the caller's. 0, or -1 (error set). */
int outside_waits_open(uint32_t looks_hz, struct outside_waits **waits, struct error *error);
void outside_waits_close(struct outside_waits *waits);

/* A record has told of a mapping, which `tree` knows already. */
void outside_waits_map(struct outside_waits *waits, const struct kernel_mapping *mapping);

/* See which threads `tree` has, and look at those that are due. When the next one is
 * (CLOCK_MONOTONIC). */
uint64_t outside_waits_look(struct outside_waits *waits, const struct process_tree *tree);

/* Look no longer, and note in `tree` who has waited: they are part of its result. */
void outside_waits_stop(struct outside_waits *waits, const struct process_tree *tree);

/* Tell each process of the recording, which was made of `tree`, what was seen; it then needs
 * `waits`. */
void outside_waits_tell(struct outside_waits *waits, const struct process_tree *tree,
                        struct recording *recording);

#endif
