/* Names and scopes of functions as the debug information has them. */
#ifndef ASCRIBE_SYMBOLS_DEBUG_NAMES_H
#define ASCRIBE_SYMBOLS_DEBUG_NAMES_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/* The name that a function's code has in symbol tables, if its entry tells; or null. */
const char *debug_linkage_name(Dwarf_Die *function);

/* The name of a function or type with the namespaces, types and functions that it stands in, joined
 * by "::". To be freed with free(); null if it has no name or there is no memory. `depth`: 0, or
 * how many names and types it is part of; too deep ones lack the functions that they stand in. */
char *debug_qualified_name(Dwarf_Die *die, unsigned depth);

/* The same of a function, with its parameters if it is one of C++ and no instance of a template,
 * for which compilers use other words than demanglers: a C++ function that only one unit can see
 * has no linkage name. */
char *debug_function_name(Dwarf_Die *function);

/* Whether GCC describes it as one with all variants of its constructor or destructor
 * (demangle_variant). */
bool debug_is_unified(const Dwarf_Die *function);

/* The type that a method belongs to. Returns 0, or -1 if the function is none. */
int debug_type_of_method(Dwarf_Die *function, Dwarf_Die *type);

#endif
