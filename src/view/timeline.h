/* What was measured when, of the profile that is looked at: bands over time, and parts of the run
 * that are shown instead of it, and compared.  Only of a profile that is in a file and knows its
 * figures by time, or of a program that runs. Views of the same file share one (view_open_shown).
 */
#ifndef ASCRIBE_VIEW_TIMELINE_H
#define ASCRIBE_VIEW_TIMELINE_H

#include "view/shown.h"
#include "view/view.h"

/* The first profile may be asked for by time, and in parts, from the file at `path`; null: it is in
 * no file, but the view's own. */
void timeline_open(struct view *view, const char *path);
void timeline_close(struct view *view);

/* The file of the first profile; null: it may not be asked for otherwise than it is. */
const char *timeline_path(const struct view *view);

/* Whether it knows its figures by time. */
bool timeline_is_known(struct view *view);

/* JSON (time_bands.h).  Parameters:
 * by (functions, centres, threads or kinds), most (bands), parts (at most so many), thread (its id;
 * none: all), of (another metric than the one that is shown). */
int timeline_answer(struct view *view, const struct parameters *parameters, FILE *out,
                    struct error *error);

/* JSON: {metric: {by: ..}}, for each metric that is known by time and each `by` that it has: for a
 * page that cannot ask.  Empty where the profile is not known by time. */
int timeline_all_answer(struct view *view, FILE *out, struct error *error);

/* The profile in memory, with its series: loaded once for all views of the file, and whoever has
 * it only reads. */
int timeline_profile(struct view *view, const struct profile **profile, struct error *error);

/* The same where it has been loaded already, else null. */
const struct profile *timeline_loaded(const struct view *view);

/* Add the first or second part that is shown (`which` 0 or 1), or what some threads, processes or
 * functions took part in, as a profile of the workspace; `base` has the whole. */
int timeline_add_part(struct view *view, const struct workspace *base, const struct shown *shown,
                      size_t which, struct error *error);

#endif
