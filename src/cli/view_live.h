/* ascribe view --pid, and record --view: the viewer on a program that runs. */
#ifndef ASCRIBE_CLI_VIEW_LIVE_H
#define ASCRIBE_CLI_VIEW_LIVE_H

#include "cli/beside.h"
#include "cli/live_recording.h"
#include "cli/serving.h"

/* Serve the recording, which is closed at the end, until a signal. `metric` or null: as --metric.
 * `saved`, or -1: when the recording has ended, the path of its profile can be read there; until
 * then SIGINT is the program's. An exit status. */
int view_live(struct live_recording *live, const struct serving_options *options,
              const char *metric, int saved);

/* That, beside the recorder. `looks_hz`: of threads that wait (live_look), which stays the
 * caller's; 0: none. */
struct beside_work view_beside(const uint32_t *looks_hz);

#endif
