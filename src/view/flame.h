/* The part of a flame graph that can be seen. */
#ifndef ASCRIBE_VIEW_FLAME_H
#define ASCRIBE_VIEW_FLAME_H

#include "view/view.h"

/* Parameters:
 *   profile, thread  the profile, and the thread's id (default: all threads)
 *   up               1: bottom-up, from the functions that ran to what called them
 *   focus            names of functions, one a line: only contexts in which one of them is active
 *   root             the same: the way from the bottom of the graph to the frame that has the whole
 *                    width
 *   around           the id of a function: what it called, whoever called it; with up=1 what called
 *                    it, out to the start. Its time counts once in each stack; `root` is left out
 *   width            of the picture, in pixels (default 1200): frames of less than half a pixel
 *                    are left out
 *   objects          1: the answer has the objects of the functions, too: `objects`, their paths,
 * and object_of, the place of each function's in it, by id The answer has whole_ns (of the profile:
 * all percentages are of it), root_ns (of what is shown), frames: [depth below the root, start_ns,
 * total_ns, self_ns, function, fold] each (function 0: frames may be missing here; fold: the
 * function stands below it, too), names of their functions by id, and left_out_ns: time in frames
 * that are too narrow. */
int flame_answer(struct view *view, const struct parameters *parameters, FILE *out,
                 struct error *error);

#endif
