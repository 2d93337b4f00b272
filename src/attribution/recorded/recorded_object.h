/* The file of a profile's object, with its symbols and code. */
#ifndef ASCRIBE_ATTRIBUTION_RECORDED_OBJECT_H
#define ASCRIBE_ATTRIBUTION_RECORDED_OBJECT_H

#include "profile/profile.h"
#include "symbols/symbols.h"

/* Fails where it is gone, another one by now, or a world. The file is the symbols'. */
int recorded_object_file(struct symbols *symbols, const struct profile_object *object,
                         struct symbol_file **file, struct error *error);

#endif
