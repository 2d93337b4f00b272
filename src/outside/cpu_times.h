/* The CPU time of each process. */
#ifndef ASCRIBE_OUTSIDE_CPU_TIMES_H
#define ASCRIBE_OUTSIDE_CPU_TIMES_H

#include "outside/process_tree.h"

/* Share out what all events have counted, `total_ns`: threads that ended have what the kernel told
 * of them; the rest goes to the others by their ticks, and that of a process to the programs it
 * ran. User and system time are told apart by ticks: of both kinds, or (`user_only`) by those of
 * user code, each of which stands for `period_ns`. Sets user_ns and system_ns of all images. */
void cpu_times_share(struct process_tree *tree, uint64_t total_ns, uint64_t period_ns,
                     bool user_only);

#endif
