/* Programs compiled with -pg call mcount or __fentry__ at each entry of a function.  Preloaded, the
 * runtime answers these: each call is counted by its site and callee, in the table of its thread.
 * Such code says nothing when functions return, so no context is known; stacks are sampled. */
#ifndef ASCRIBE_RUNTIME_PROFILE_CALLS_H
#define ASCRIBE_RUNTIME_PROFILE_CALLS_H

#include <stdint.h>

/* From profile_calls_entry.S, when the call is not in its home slot. Any thread, any signal
 * handler, before and after main. */
void ascribe_profile_call(uint64_t callee, uint64_t site);

#endif
