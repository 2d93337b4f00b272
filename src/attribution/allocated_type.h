/* Which type a C++ allocator makes room for: its name says so. */
#ifndef ASCRIBE_ATTRIBUTION_ALLOCATED_TYPE_H
#define ASCRIBE_ATTRIBUTION_ALLOCATED_TYPE_H

#include <stddef.h>

/* Where in `function`, the name of a function of C++'s library as demangled, the type stands, and
 * how many bytes it has: T of std::allocator<T>::allocate and what the libraries call so inside.
 * Null: it names none. */
const char *allocated_type(const char *function, size_t *bytes);

/* It allocates for whoever calls it: malloc and its relatives, operators new. */
int allocates_plainly(const char *function);

/* What the function allocates is the text of a std::string: libstdc++.so has its code, without
 * debug information that would name the allocator. */
int allocates_string(const char *function);

#endif
