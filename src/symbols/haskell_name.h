/* Symbols of Haskell code that GHC compiled: "base_GHCziBase_zpzp_info" is "GHC.Base.++" of the
 * package "base". Names of the main package have no package.
 * Source: GHC Commentary, "Symbol names", the z-encoding. */
#ifndef ASCRIBE_SYMBOLS_HASKELL_NAME_H
#define ASCRIBE_SYMBOLS_HASKELL_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* The name for the user, with its module; null: it is no such symbol. C's symbols may look the
 * same, so ask for those of Haskell's objects only. To be freed with free(). */
char *haskell_name(const char *linkage);

/* The same without its package and name: whether it is such a symbol, of a package that was built
 * with the program. */
bool haskell_is_of_program(const char *linkage);

/* The length of its beginning that says package and module: "base_GHCziBase"; 0: no such symbol. */
size_t haskell_module_length(const char *linkage);

/* Code that runs on Haskell's stack, which is not C's: such a symbol, or one of those that GHC's
 * runtime has for it ("stg_ap_p_fast"). */
bool haskell_runs(const char *linkage);

#endif
