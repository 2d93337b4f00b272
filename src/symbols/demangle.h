/* Linkage names to names that people know: C++ (Itanium ABI), Rust (legacy and v0), procedures of
 * Fortran's modules (GNU Fortran). */
#ifndef ASCRIBE_SYMBOLS_DEMANGLE_H
#define ASCRIBE_SYMBOLS_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* The name for the user: without the suffixes that compilers give to clones and pieces of a
 * function (".constprop.0", ".cold"), without a symbol version ("@@GLIBC_2.2.5"), demangled where
 * the mangling is known and intact, and spelled as name_spelling.h has it.  To be freed with
 * free(); never null. */
char *demangle(const char *linkage);

/* The same as other tools spell it, with std::string and the like written out. */
char *demangle_in_full(const char *linkage);

/* Length of `linkage` without clone suffixes and version. */
size_t demangle_base_length(const char *linkage);

/* Constructors and destructors have variants, "C1" (of whole objects), "C2" (of bases), "D1", "D2";
 * GCC describes them once, as "C4" and "D4" (gcc/cp/mangle.cc). A deleting destructor, "D0", is
 * another function: it calls the destructor proper. The place of the next variant's digit in a
 * linkage name from `at` on; 0: there is none. A name may look so that is none. */
size_t demangle_variant(const char *linkage, size_t at);

/* Whether it has a "C4" or "D4". */
bool demangle_is_unified(const char *linkage);

/* Whether it is `base`, which has `length` bytes, with or without suffixes and version. */
bool demangle_is_base(const char *linkage, const char *base, size_t length);

/* A Rust name (RFC 2603 "v0", or the legacy form with a hash, which is left out), or null if it
 * is not one. To be freed with free(). */
char *demangle_rust(const char *linkage);

#endif
