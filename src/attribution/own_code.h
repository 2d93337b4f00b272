/* Whose code a function is: the program's own, or that of a library, a compiler's runtime or the
 * kernel. */
#ifndef ASCRIBE_ATTRIBUTION_OWN_CODE_H
#define ASCRIBE_ATTRIBUTION_OWN_CODE_H

#include <stdbool.h>

#include "profile/profile.h"

/* Debug information decides where there is some: code of a template from /usr/include is not the
 * program's. Else its object does: programs that ran, and libraries outside of the system's
 * directories. */
bool own_code(const struct profile *profile, uint32_t function);

#endif
