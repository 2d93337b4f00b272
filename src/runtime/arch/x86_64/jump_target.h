/* Code that only leads to other code: PLT entries, and thunks of C++. */
#ifndef ASCRIBE_RUNTIME_JUMP_TARGET_H
#define ASCRIBE_RUNTIME_JUMP_TARGET_H

#include <stdbool.h>
#include <stdint.h>

/* Does a call of `called` enter the function at `code`, directly or by way of such code? Reads only
 * what a call of `called` would execute, and no more than some instructions of that. */
bool jump_leads_to(uint64_t called, uint64_t code);

#endif
