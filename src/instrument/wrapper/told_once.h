/* Saying a thing once per login and not at every compile. */
#ifndef ASCRIBE_INSTRUMENT_TOLD_ONCE_H
#define ASCRIBE_INSTRUMENT_TOLD_ONCE_H

#include <stdbool.h>

/* True the first time it is called with this text by this user since the login (or, where there
 * is no XDG_RUNTIME_DIR, since /tmp was emptied).  Keeps an empty file there; if that fails, the
 * answer is true. */
bool told_once_is_new(const char *text);

#endif
