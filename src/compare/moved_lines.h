/* Lines of sources that were edited between two profiles. */
#ifndef ASCRIBE_COMPARE_MOVED_LINES_H
#define ASCRIBE_COMPARE_MOVED_LINES_H

#include "compare/workspace.h"

/* Fill these tables:
 *   told    (profile, file): source files of either whose texts both profiles keep. Files are the
 *           same if their paths are, or, where the other profile has no such path, if only one file
 *           there has the name.
 *   moved   (profile, file, line, now, shift): where the texts differ, of lines of profile `first`
 *           their line in profile `second`, or their own negative where they are gone, and how many
 *           columns further right their text begins now.  Lines that are as they were are left out.
 *   edited  (profile, file, line): lines of either that the other has not. */
int moved_lines_note(struct workspace *workspace, size_t first, size_t second, struct error *error);

#endif
