/* What a program that still runs costs: in the time since the report before, and since its start.
 */
#ifndef ASCRIBE_REPORT_LIVE_TOP_H
#define ASCRIBE_REPORT_LIVE_TOP_H

#include <stdio.h>

#include "profile/profile.h"
#include "report/terminal.h"

/* What the report before said. */
struct live_top;

struct live_top *live_top_open(void);
void live_top_close(struct live_top *top);

struct live_moment {
  uint64_t elapsed_ns; /* since the report before; 0: this is the first one */
  uint64_t age_ns;     /* of the recording; 0: not known */
  size_t functions;    /* at most so many are shown */
  size_t threads;
};

/* Print the whole, functions and threads of a profile of the same recording as before, made
 * `elapsed_ns` later. Functions that cost most since the report before come first. What came since
 * then is told by the ticks (or counts) since then alone, with intervals as everywhere
 * (attribution/books.h). */
void live_top_print(struct live_top *top, const struct profile *profile,
                    const struct live_moment *moment, const struct terminal *terminal, FILE *out);

#endif
