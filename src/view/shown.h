/* What of the profiles is shown.  Each question says it (view.h), so every page has its own. */
#ifndef ASCRIBE_VIEW_SHOWN_H
#define ASCRIBE_VIEW_SHOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/time_slices.h"
#include "view/parameters.h"

/* What limits the contexts: threads, processes, functions of which one was active, functions of
 * which none was. */
enum shown_list { SHOWN_THREADS, SHOWN_PROCESSES, SHOWN_BELOW, SHOWN_WITHOUT, SHOWN_LISTS };

/* Texts are those of the parameters. */
struct shown {
  const char *metric;               /* null: the one that the viewer was started with */
  struct profile_interval parts[2]; /* of the first profile: shown as it, to_ns 0: all; and as the
                                     * second profile, 0: none */
  const char *lists[SHOWN_LISTS];   /* names, one a line; null: all */
  const char *ranks[2]; /* of the job that the first profile is, as "0-3,7": shown as it,
                         * and as the second profile; null: all, and none */
};

/* Parameters: metric; from_ns, to_ns, second_from_ns, second_to_ns; threads, processes, below,
 * without; ranks, second_ranks. */
void shown_read(const struct parameters *parameters, struct shown *shown);

/* Equal texts show the same. The text is the caller's. */
char *shown_key(const struct shown *shown);

/* Whether a selection was made. */
bool shown_is_selected(const struct shown *shown);

/* Whether it is some of the ranks of a job. */
bool shown_is_ranks(const struct shown *shown);

/* Whether it is less than whole runs. */
bool shown_is_part(const struct shown *shown);

/* Whether the name is a line of the list. */
bool shown_has(const char *list, const char *name);

#endif
