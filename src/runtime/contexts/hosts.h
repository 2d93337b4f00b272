/* Language hosts (ascribe/host.h): their worlds, and where their programs are.  No lock: any
 * thread, hook or signal handler. */
#ifndef ASCRIBE_RUNTIME_HOSTS_H
#define ASCRIBE_RUNTIME_HOSTS_H

#include <stdbool.h>

#define ASCRIBE_RUNTIME
#include "ascribe/host.h"
#include "runtime/registry/thread_state.h"

/* In a forked child: what is defined so far stays the parent's. */
void hosts_start_child(void);

/* ---- definitions: as in ascribe/host.h; the process is recorded ---- */

uint32_t hosts_world(const char *name);
uint32_t hosts_file(uint32_t world, const char *path);
ascribe_point hosts_function(uint32_t world, const char *name, uint32_t file,
                             struct ascribe_range range);
ascribe_point hosts_place(ascribe_point within, uint32_t kind, struct ascribe_range range);

/* Whether it is one that was defined and not forgotten: it may be any number. If not, counts that.
 */
bool hosts_take_point(uint64_t point);

/* A piece of the world's core forms (flow/core_forms.h), of up to DEFINITION_TEXT_MOST bytes. */
void hosts_core(uint32_t world, const char *text);

void hosts_forget(const ascribe_point *points, uint32_t count);

/* A function by a key of the host's own, of POINTS_MOST or more: it may be defined again. */
#define POINTS_MOST (1u << 20)
ascribe_point hosts_function_at(uint32_t world, uint64_t key, const char *name, uint32_t file,
                                uint32_t line);

/* ---- contexts of the calling thread ---- */

/* A call, which is counted, and a generator that goes on: the context before it. */
uint32_t hosts_enter(struct thread_state *thread, ascribe_point callee, ascribe_point site);
uint32_t hosts_go_on(struct thread_state *thread, ascribe_point callee);

/* ---- ticks ---- */

/* As ascribe_host_running, of a word that stays.  One such word in a process. */
void hosts_own_word(const volatile uint64_t *word);

/* As in ascribe/host.h. */
void hosts_own_code(const void *start, const void *end);
/* Whether the code at `pc` runs the host's program. `seen`: objects_see of it. */
bool hosts_is_own_code(uint64_t pc, uint32_t seen);

/* The context that the thread's program entered; that of the pair, or of the function alone of the
 * point, that runs; the one or else the other. 0: no host says. */
uint32_t hosts_entered(void);
uint32_t hosts_running(struct thread_state *thread);
uint32_t hosts_context(struct thread_state *thread);

/* Whether the code there does; then `pc` is what recorded_tick.pc is to be. */
bool hosts_run(uint64_t *pc, uint32_t seen);

/* What was in [start, end) was unloaded. */
void hosts_unload(uint64_t start, uint64_t end);

#endif
