/* Names and scopes of functions as the debug information has them. */
#ifndef ASCRIBE_SYMBOLS_DEBUG_NAMES_H
#define ASCRIBE_SYMBOLS_DEBUG_NAMES_H

#include <elfutils/libdw.h>

/* The name that a function's code has in symbol tables, if its entry tells; or null. */
const char *debug_linkage_name(Dwarf_Die *function);

/* Its name with the namespaces, types and functions that it stands in, joined by "::". Without
 * parameters: C++ functions that only one unit can see have no linkage name. To be freed with
 * free(); null if it has no name or there is no memory. */
char *debug_qualified_name(Dwarf_Die *function);

/* The type that a method belongs to. Returns 0, or -1 if the function is none. */
int debug_type_of_method(Dwarf_Die *function, Dwarf_Die *type);

#endif
