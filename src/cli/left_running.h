/* Processes that the recorded program has left behind, as a daemon does. */
#ifndef ASCRIBE_CLI_LEFT_RUNNING_H
#define ASCRIBE_CLI_LEFT_RUNNING_H

#include "recording/reader.h"

/* How many still run; `*pid`: of one of them. Those that are in the recording, whose end becomes
 * PROCESS_END_RUNNING, and those that have something in `directory` mapped (null: none): a child
 * that has just been forked has nothing of its own in the recording yet. */
size_t left_running(struct recording *recording, const char *directory, uint32_t *pid);

/* The end of those in the recording whose process is there becomes PROCESS_END_RUNNING. */
void note_running(struct recording *recording);

/* Whether the process has a file of the directory mapped; `hidden` if that cannot be seen. */
bool has_mapped(uint32_t pid, const char *directory, bool hidden);

#endif
