#include "runtime/alternate_stack.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "runtime/signals.h"
#include "runtime/system.h"
#include "runtime/threads.h"

#define EXPORTED __attribute__((visibility("default")))

static int chosen; /* atomic */

bool alternate_stack_chosen(void) {
  return __atomic_load_n(&chosen, __ATOMIC_ACQUIRE);
}

static stack_t ours(struct thread_state *thread) {
  return (stack_t){.ss_sp = thread + 1, .ss_size = ALTERNATE_STACK_BYTES};
}

static long kernel_sigaltstack(const stack_t *new, stack_t *old) {
  return system_call3(SYS_sigaltstack, (long)new, (long)old, 0);
}

void alternate_stack_give(struct thread_state *thread) {
  stack_t now, stack = ours(thread);
  if (!signals_clocks() || system_failed(kernel_sigaltstack(NULL, &now))) return;
  if (now.ss_flags & SS_DISABLE) kernel_sigaltstack(&stack, NULL);
}

void alternate_stack_take(struct thread_state *thread) {
  stack_t now, none = {.ss_flags = SS_DISABLE};
  if (system_failed(kernel_sigaltstack(NULL, &now)) || now.ss_sp != thread + 1) return;
  kernel_sigaltstack(&none, NULL);
}

void call_on_stack(void *top, void (*function)(void *), void *argument); /* call_on_stack.S */

void alternate_stack_call(struct thread_state *thread, void (*function)(void *), void *argument) {
  stack_t stack = ours(thread);
  uint64_t here = (uint64_t)__builtin_frame_address(0);
  if (here - (uint64_t)stack.ss_sp < stack.ss_size)
    function(argument);
  else
    call_on_stack((char *)stack.ss_sp + stack.ss_size, function, argument);
}

/* What the program does without a stack of its own, it does with ours. */
EXPORTED int sigaltstack(const stack_t *restrict new, stack_t *restrict old) {
  struct thread_state *thread = threads_current();
  stack_t before, stack;
  bool disables = new &&new->ss_flags &SS_DISABLE;
  if (disables && thread && signals_clocks()) {
    stack = ours(thread);
    new = &stack;
  }
  long status = kernel_sigaltstack(new, &before);
  if (system_failed(status)) {
    errno = (int)-status;
    return -1;
  }
  if (thread && before.ss_sp == thread + 1) before = (stack_t){.ss_flags = SS_DISABLE};
  if (old) *old = before;
  if (new && !disables && !__atomic_exchange_n(&chosen, 1, __ATOMIC_ACQ_REL)) signals_use_stack();
  return 0;
}
