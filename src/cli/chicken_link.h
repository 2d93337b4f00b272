/* What the linker is told of a program with CHICKEN's own code in it (csc -static). */
#ifndef ASCRIBE_CLI_CHICKEN_LINK_H
#define ASCRIBE_CLI_CHICKEN_LINK_H

#include <limits.h>
#include <stdbool.h>

enum { CHICKEN_LINK_BYTES = PATH_MAX + 64 };

/* The words behind csc's -L, as one text: Ascribe's runtime, which nothing can be loaded for later,
 * and calls of C_trace for it.  `is_static`: libc is linked into it, too.  -1: the runtime is not
 * found. */
int chicken_link_words(bool is_static, char words[CHICKEN_LINK_BYTES]);

#endif
