/* What the end of processes leaves open of their CPU time, and of how long they lived.
 *
 * A recording knows both as of the last tick that looked, or of an end by exit.  A process that was
 * killed, or went on as another program, used more: the kernel told others how much. */
#ifndef ASCRIBE_RECORDING_PROCESS_ENDS_H
#define ASCRIBE_RECORDING_PROCESS_ENDS_H

#include "recording/reader.h"

/* Find the images that another program followed in the same process, which tells what they used up
 * to its start; others that did not end by exit used what their last ticks tell.  All processes of
 * the recording, in order of their start. */
void process_ends_find(struct recording *recording);

/* The only child that `parent_pid` started ended at `end_ns` (CLOCK_REALTIME), by a signal or 0:
 * then the runtime has seen it exit, or it was another program's exit. */
void process_ends_child(struct recording *recording, uint32_t parent_pid, uint64_t end_ns,
                        int signal);

/* CPU time as the kernel counted it for all processes of the recording together, and what these
 * used before they were recorded.  After process_ends_child.  What no look at a clock has found is
 * its that alone was killed. Where several were, or one may have gone on as a program that was not
 * recorded, or there were pauses, it is theirs by their last ticks, and the rest is `unknown_ns` of
 * the first process: of those, and of programs that were not recorded. */
void process_ends_complete(struct recording *recording, uint64_t user_ns, uint64_t system_ns);

#endif
