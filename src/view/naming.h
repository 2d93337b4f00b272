/* Columns of large tables have ids instead of texts: of functions, or of files. */
#ifndef ASCRIBE_VIEW_NAMING_H
#define ASCRIBE_VIEW_NAMING_H

#include "compare/workspace.h"

enum naming { NAMES_END, NAMES_FUNCTION, NAMES_FILE };

/* Ids above are taken for damage: no row has them. */
enum { MOST_ID = 1 << 26 };

#endif
