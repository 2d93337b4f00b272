/* A linker's version script (libtool makes one for every library with a list of exports) makes
 * local what it does not name: a shared library would keep to its own inert hooks. */
#ifndef ASCRIBE_INSTRUMENT_VERSION_SCRIPT_H
#define ASCRIBE_INSTRUMENT_VERSION_SCRIPT_H

#include <stdbool.h>

#include "instrument/wrapper/words.h"

/* The text of version script `text` with `names` ("a; b;") among the first node's global ones.
 * Returns allocated memory, or NULL: no node was found.
 * Source: "VERSION Command", the GNU linker's manual. */
char *version_script_add(const char *text, const char *names);

/* Where the linker options among `words`, or in response files among them, name a version script,
 * let them name a copy with `names` added (text_file_hand_on).  Where it was in a response file,
 * one word is left, that of a new response file.  Returns false, and leaves the words alone, if
 * there is no script, or it cannot be read. */
bool version_script_replace(struct words *words, const char *names);

#endif
