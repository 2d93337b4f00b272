/* Cost centres of the process: scopes with equal labels in one module are one (ascribe/ascribe.h).
 * No lock: any thread, hook or signal handler. */
#ifndef ASCRIBE_RUNTIME_SCOPES_H
#define ASCRIBE_RUNTIME_SCOPES_H

#include <stdbool.h>

#define ASCRIBE_RUNTIME
#include "ascribe/ascribe.h"
#include "runtime/registry/thread_state.h"

/* Before the first entry. `chosen`: patterns of the built-in centres that count, with commas
 * between them; null or empty: all. False: no memory. */
bool scopes_start(const char *chosen);

/* In a forked child: the centres so far stay the parent's, new ones follow. */
void scopes_start_child(void);

/* What shows that a captured centre is one of this recording's; never 0. */
uint32_t scopes_check(void);

/* A scope was entered from `from`: the context of centres that the thread is in now, after counting
 * the entry.  The scope is given its key, if it has none yet and there is room. */
uint32_t scopes_enter(struct thread_state *thread, struct ascribe_centre *scope, uint32_t from);

/* As ascribe_host_centre; 0: there is no room, which is counted. */
uint64_t scopes_define(const char *label, const char *module, const char *path, uint32_t line);

/* Writes down what a closure is that a host allocates (recording/layout.h). False: no room. */
bool scopes_write_closure(uint64_t key, const char *description, uint32_t kind, uint64_t bytes);

/* As scopes_enter, of a centre that was defined. Both numbers are a host's, and may be any: those
 * that make no sense are counted. */
uint32_t scopes_enter_defined(struct thread_state *thread, uint64_t key, uint32_t from);

#endif
