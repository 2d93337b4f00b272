/* Types of parameters in the words of a C++ demangler, out of the debug information. */
#ifndef ASCRIBE_SYMBOLS_DEBUG_TYPES_H
#define ASCRIBE_SYMBOLS_DEBUG_TYPES_H

#include <elfutils/libdw.h>
#include <stdio.h>

/* Write "(int, char const*) const" of a function's entry: of its declaration, if it is a method.
 * Compilers name some template arguments in other words than demanglers. `depth` of the name that
 * this is part of, as in debug_qualified_name. */
void debug_print_parameters(FILE *out, Dwarf_Die *function, unsigned depth);

/* Write a name as a demangler has it: GCC says "long unsigned int" for "unsigned long". */
void debug_print_name(FILE *out, const char *name);

#endif
