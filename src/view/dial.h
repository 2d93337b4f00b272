/* Calls that the counts do not determine (attribution/equations/possible_calls.h), as the user
 * believes them to be: one is given a value, the others follow. The choice is kept beside the
 * profile, as a profile, FILE.dial, which is what the viewer shows then; FILE stays as it is, and
 * is attached as `chosen_from`. Source: Waddell and Ashley, "Visualizing the performance of
 * higher-order programs", section 6. */
#ifndef ASCRIBE_VIEW_DIAL_H
#define ASCRIBE_VIEW_DIAL_H

#include "view/view.h"

/* Take up the choice that is kept beside the first profile, which is the file at `path`, if there
 * is one, newer and of the same functions.  It is no failure if there is none, or it cannot be
 * read. */
int dial_open(struct view *view, const char *path, struct error *error);
void dial_close(struct view *view);

/* Whether figures of the first profile depend on a choice: then `chosen_from` is attached. */
bool dial_is_set(const struct view *view);

/* Whether a choice is kept beside the profile. */
bool dial_is_kept(const struct view *view);

/* Parameters:
 *   site   of the first profile's call sites; none: all choices are taken back
 *   value  how often it called its callee; none: it is free again
 *   near   1: where the value is impossible, take the nearest that is possible
 *   try    1: nothing is kept; the nearest is taken, and the answer has `calls`, too: what would
 *          change, each with site, calls, least and most (null: not known)
 * The answer has `value`: what was taken, or null.  Fails, and changes nothing, where the value is
 * impossible, with the nearest, or the choice cannot be kept. */
int dial_answer(struct view *view, const struct parameters *parameters, FILE *out,
                struct error *error);

#endif
