/* Linkage names to names that people know: C++ (Itanium ABI), Rust (legacy and v0). */
#ifndef ASCRIBE_SYMBOLS_DEMANGLE_H
#define ASCRIBE_SYMBOLS_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* The name for the user: without the suffixes that compilers give to clones and pieces of a
 * function (".constprop.0", ".cold"), without a symbol version ("@@GLIBC_2.2.5"), demangled where
 * the mangling is known and intact.  To be freed with free(); null when there is no memory. */
char *demangle(const char *linkage);

/* The same, with std::string and the like written out, as other tools have them. */
char *demangle_in_full(const char *linkage);

/* Length of `linkage` without clone suffixes and version. */
size_t demangle_base_length(const char *linkage);

/* Whether it is `base`, which has `length` bytes, with or without suffixes and version. */
bool demangle_is_base(const char *linkage, const char *base, size_t length);

/* A Rust name (RFC 2603 "v0", or the legacy form with a hash, which is left out), or null if it
 * is not one or there is no memory. To be freed with free(). */
char *demangle_rust(const char *linkage);

#endif
