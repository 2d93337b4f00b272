/* The inlined hooks' functions for the runtime's own use, and what else it offers them. */
#ifndef ASCRIBE_RUNTIME_CALLED_HOOKS_H
#define ASCRIBE_RUNTIME_CALLED_HOOKS_H

#include "ascribe/hook.h"

struct ascribe_frames;
extern __attribute__((visibility("default"))) __thread struct ascribe_frames *
    ascribe_frames __asm__("ascribe.frames");

#define ASCRIBE_HOOKS_CALLED
#include "ascribe/hooks_inline.h"

/* Give the calling thread a stack of frames, if it records and has none.  A full stack stays as
 * it is: deeper frames are not noted, and contexts are right again where they end.
 * Hooks and signal handlers. */
void ascribe_frames_grow_call(void);

/* As gcc and clang declare them. */
void __cyg_profile_func_enter(void *callee, void *site);
void __cyg_profile_func_exit(void *callee, void *site);

#endif
