/* For compilers that call their hooks (clang): what every object carries besides. It says how it
 * was instrumented, and a library tells the runtime when it is loaded. Force-included by `ascribe
 * cc`. */
#if !defined ASCRIBE_HOOKS_CALLED_H && !defined __ASSEMBLER__ && defined __x86_64__ &&             \
    defined __LP64__
#define ASCRIBE_HOOKS_CALLED_H

#include "inert.h"

__asm__(ASCRIBE_INERT_WAY("4"));
#if defined __PIC__ && !defined __PIE__
__asm__(ASCRIBE_INERT_DEFINITIONS ASCRIBE_INERT_LIBRARY);
#endif
#endif
