/* When a recording takes ticks: its control file (recording/layout.h), written by `ascribe record`
 * before the program starts, and by `ascribe start` and `ascribe stop` while it runs. */
#ifndef ASCRIBE_CLI_CONTROL_FILE_H
#define ASCRIBE_CLI_CONTROL_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "recording/layout.h"

/* From now on. */
struct control_span {
  bool stopped;         /* no ticks until `ascribe start` */
  uint64_t delay_ns;    /* before the first one */
  uint64_t duration_ns; /* then for so long; 0: to the end */
};

/* Make the file of the recording in `directory`, and map it. The mapping stays for good: it shows
 * `ascribe stop` which recording our own process has to do with. */
int control_create(const char *directory, const struct control_span *span,
                   struct recording_control **control, struct error *error);

/* Whether a process takes part in a recording, as far as we may know. */
bool control_is_there(pid_t pid);

/* The directory of the recording that a process takes part in, as this process sees it. */
int control_directory(pid_t pid, char directory[PATH_MAX], struct error *error);

/* Map the file of the recording that a process takes part in. */
int control_find(pid_t pid, struct recording_control **control, struct error *error);

/* Every process of the recording sees it at its next look. */
void control_set(struct recording_control *control, const struct control_span *span);

#endif
