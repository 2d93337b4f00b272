/* What was measured when, of the profile that is looked at: bands over time, and parts of the run
 * that are shown instead of it, and compared.  Only of a profile that is in a file and knows its
 * figures by time.
 */
#ifndef ASCRIBE_VIEW_TIMELINE_H
#define ASCRIBE_VIEW_TIMELINE_H

#include "view/view.h"

/* The first profile may be asked for by time, and in parts, from the file at `path`. */
void timeline_open(struct view *view, const char *path);
void timeline_close(struct view *view);

/* Whether it knows its figures by time. */
bool timeline_is_known(struct view *view);

/* JSON (time_bands.h).  Parameters:
 * by (functions, centres, threads or kinds), most (bands), parts (at most so many), thread (its id;
 * none: all). */
int timeline_answer(struct view *view, const struct parameters *parameters, FILE *out,
                    struct error *error);

/* JSON: {metric: {by: ..}}, for each metric that is known by time and each `by` that it has: for a
 * page that cannot ask.  Empty where the profile is not known by time. */
int timeline_all_answer(struct view *view, FILE *out, struct error *error);

/* Parameters: from_ns and to_ns. From now on the first profile is that part of the run; without
 * them all of it again. With second_from_ns and second_to_ns, where one file is shown only, that
 * part is the second profile.  Of these, only what was measured in some contexts, where `selected`
 * says what that is, a text of the page's own that `info` has: `threads` (their ids), `focus` (ids
 * of functions: one of them was active) and `ignore` (none of them was).  What is wrong with the
 * question changes nothing. */
int timeline_part_answer(struct view *view, const struct parameters *parameters, FILE *out,
                         struct error *error);

#endif
