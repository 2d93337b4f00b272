/* The profiles that are shown, and the answers about them: JSON, the same for a server and for a
 * page that stands alone.  For one thread at a time. */
#ifndef ASCRIBE_VIEW_VIEW_H
#define ASCRIBE_VIEW_VIEW_H

#include <stdio.h>

#include "compare/workspace.h"
#include "view/parameters.h"

struct flame_tree;

struct view {
  struct workspace workspace;
  struct flame_tree *trees[WORKSPACE_MOST]; /* by profile; null: not needed yet */
  char *compared;                           /* what the table `compared` is of; or null */
};

/* The first path is the profile that is looked at, the others are compared with it. To be closed
 * with view_close, also after a failure. */
int view_open(struct view *view, const char *const *paths, size_t count, struct error *error);
void view_close(struct view *view);

/* The number of the profile that `parameters` ask for ("profile", default 1). */
size_t view_profile(const struct view *view, const struct parameters *parameters);

enum answer { ANSWER_GIVEN, ANSWER_WRONG, ANSWER_UNKNOWN };

/* Write the answer `name` as JSON:
 *   info    the profiles: their runs, threads, origin, sums, objects
 *   table   rows of a table (tables.h)
 *   source  the text of a file, as the profile keeps it
 *   flame   the frames that are wide enough to be seen (flame.h)
 * ANSWER_WRONG: *error says what is wrong with the question, or the profile; what was written so
 * far is to be thrown away. */
enum answer view_answer(struct view *view, const char *name, const struct parameters *parameters,
                        FILE *out, struct error *error);

#endif
