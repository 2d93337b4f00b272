/* Lines of sources that were edited between two profiles. */
#ifndef ASCRIBE_COMPARE_MOVED_LINES_H
#define ASCRIBE_COMPARE_MOVED_LINES_H

#include "compare/workspace.h"

/* Fill the table `moved` (profile, file, line, now): for each line of those source files of profile
 * `first` whose texts the two profiles keep and which differ, its line in profile `second`, or its
 * own negative where it is gone.  Files are the same if their paths are, or, where the other
 * profile has no such path, if only one file there has the name. */
int moved_lines_note(struct workspace *workspace, size_t first, size_t second, struct error *error);

#endif
