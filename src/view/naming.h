/* Columns of large tables have ids instead of texts: of functions, files, or kinds of memory. */
#ifndef ASCRIBE_VIEW_NAMING_H
#define ASCRIBE_VIEW_NAMING_H

#include "compare/entries.h"
#include "compare/workspace.h"

enum naming { NAMES_END, NAMES_FUNCTION, NAMES_FILE, NAMES_KIND };

/* The text that is shown for a row without an id; "" if there is none. */
static inline const char *naming_without(enum naming naming) {
  return naming == NAMES_FUNCTION ? "<spontaneous>" : naming == NAMES_KIND ? ENTRY_UNKNOWN : "";
}

/* Ids above are taken for damage: no row has them. */
enum { MOST_ID = 1 << 26 };

#endif
