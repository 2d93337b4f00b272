/* A linker's version script (libtool makes one for every library with a list of exports) makes
 * local what it does not name: a shared library would keep to its own inert hooks. */
#ifndef ASCRIBE_INSTRUMENT_VERSION_SCRIPT_H
#define ASCRIBE_INSTRUMENT_VERSION_SCRIPT_H

#include <stdbool.h>

#include "instrument/words.h"

/* The text of version script `text` with `names` ("a; b;") among the first node's global ones.
 * Returns allocated memory, or NULL: no node was found, or memory ran out.
 * Source: "VERSION Command", the GNU linker's manual. */
char *version_script_add(const char *text, const char *names);

/* Where the linker options among `words` name a version script, let them name a copy with `names`
 * added.  The copy is an open file without a name, which the compiler and its linker inherit, so
 * that nothing has to be removed.  Returns false, and leaves the words alone, if there is none, or
 * it cannot be read. */
bool version_script_replace(struct words *words, const char *names);

#endif
