/* Rows: what instrumented code runs in (include/ascribe/hook.h). Owner thread, hooks and signal
 * handlers, unless it says otherwise. */
#ifndef ASCRIBE_RUNTIME_ROWS_H
#define ASCRIBE_RUNTIME_ROWS_H

#include "runtime/registry/cell.h"
#include "runtime/registry/thread_state.h"

/* Give a new thread the row of its root. False: no room. */
bool rows_start(struct thread_state *thread);

/* The id of the context or row that a cell holds; 0: the thread's root. */
uint32_t rows_context(const struct thread_state *thread, const struct ascribe_row *row);

/* The slow ways of the hooks (include/ascribe/hook.h); each counts the call. A function was entered
 * and its frame is at `frame`; a call is about to be made at a site of `own`. `at`: where the
 * caller's stack ends or, if the call is a jump, the caller's frame. They return the row to run in.
 */
struct ascribe_row *rows_enter(struct thread_state *thread, struct ascribe_cell *cell,
                               struct ascribe_function *code, uint64_t frame);
struct ascribe_row *rows_site(struct thread_state *thread, struct ascribe_row *own, uint32_t number,
                              uint64_t at);
struct ascribe_row *rows_pointer(struct thread_state *thread, struct ascribe_row *own,
                                 uint32_t number, uint64_t at, uint64_t callee);

/* For code that has hooks but no rows: the row in which `callee` runs that was called at `site`
 * from where the cell is; counts the call. */
struct ascribe_row *rows_enter_called(struct thread_state *thread, struct ascribe_row *from,
                                      uint64_t callee, uint64_t site);

/* Forget callees of pointers in [start, end), which were unloaded. Any thread. */
void rows_forget_callees(uint64_t start, uint64_t end);
void rows_retire(struct thread_state *thread, uint64_t start, uint64_t end);

/* From now on what is counted belongs to a pause, or no longer. */
void rows_pause(struct thread_state *thread, bool paused);

/* A row that nothing is counted in. Any thread. */
struct ascribe_row *rows_on_standby(void);

#endif
