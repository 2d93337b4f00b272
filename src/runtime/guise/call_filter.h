/* What a filter of system calls (seccomp) would do to calls: classic BPF, followed along all of
 * its ways, as arguments are not known.
 *
 * A call is forbidden if some way kills, or would be seen by the program or by whoever supervises
 * it (SIGSYS, a tracer, a notification). One that only fails is not: the kernel may be asked. */
#ifndef ASCRIBE_RUNTIME_CALL_FILTER_H
#define ASCRIBE_RUNTIME_CALL_FILTER_H

#include <linux/filter.h>
#include <stdint.h>

#include "runtime/registry/system.h"

/* What is known where an instruction begins, whichever way led there. */
struct call_filter_state {
  uint32_t a, x;
  uint8_t reached, knows_a, knows_x;
};

/* Sets the bits of calls that the `count` instructions forbid, and leaves the others.  `states`:
 * room for `count`. What is no valid filter forbids whatever it might: the kernel will refuse it.
 */
void call_filter_forbid(const struct sock_filter *filter, uint32_t count,
                        struct call_filter_state *states, uint64_t forbidden[SYSTEM_CALLS / 64]);

#endif
