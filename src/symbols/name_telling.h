/* What tells names apart that are the same without template arguments and parameters. */
#ifndef ASCRIBE_SYMBOLS_NAME_TELLING_H
#define ASCRIBE_SYMBOLS_NAME_TELLING_H

#include "symbols/name_parts.h"

/* For each of `count` names the piece of it that tells it from the others: "4" of
 * "Polygon<4>::area" beside "Polygon<3>::area", "char" of "f(int, char)" beside "f(int, int)",
 * " const" of "A::begin() const" beside "A::begin()". Empty: nothing is needed, or nothing helps.
 */
void names_tell(const char *const *names, size_t count, struct name_part *telling);

#endif
