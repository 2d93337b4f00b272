/* Which type a C++ allocator makes room for: its name says so. */
#ifndef ASCRIBE_ATTRIBUTION_ALLOCATED_TYPE_H
#define ASCRIBE_ATTRIBUTION_ALLOCATED_TYPE_H

#include <stddef.h>

/* Finds the type T in the demangled name of a C++ allocator's function, such as
 * std::allocator<T>::allocate or what libstdc++ and libc++ call inside it. Returns where T begins
 * in `function`, and its length in *bytes; null if the name is of another function. */
const char *allocated_type(const char *function, size_t *bytes);

/* It allocates for whoever calls it: malloc and its relatives, operators new. */
int allocates_plainly(const char *function);

/* Whether it is a function of std::string, which allocates nothing but its text. These functions
 * are in libstdc++.so, mostly without the debug information that would name the allocator. */
int allocates_string(const char *function);

#endif
