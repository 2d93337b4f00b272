/* What a thread was made for. */
#ifndef ASCRIBE_REPORT_THREAD_FUNCTION_H
#define ASCRIBE_REPORT_THREAD_FUNCTION_H

#include "profile/profile.h"

/* The thread's first function, or, where that has no symbol (libstdc++'s, which calls what
 * std::thread was given), the first of its stacks that has one and is not the standard library's:
 * of several the one with the most time. NOTHING: not known. */
uint32_t thread_function(const struct profile *profile, uint32_t thread);

#endif
