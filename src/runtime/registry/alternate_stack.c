#include "runtime/registry/alternate_stack.h"

#include <stddef.h>

#include "runtime/arch/processor.h"
#include "runtime/registry/clock_signals.h"
#include "runtime/registry/system.h"

static int chosen; /* atomic */

static __thread const void *given; /* ours that the kernel has; a forked child's: its parent's */

/* What this thread of the program chose that has no room for a tick: it has ours instead. */
static __thread stack_t small;

bool alternate_stack_chosen(void) {
  return __atomic_load_n(&chosen, __ATOMIC_ACQUIRE);
}

stack_t alternate_stack_of(struct thread_state *thread) {
  return (stack_t){.ss_sp = thread + 1, .ss_size = ALTERNATE_STACK_BYTES};
}

static long kernel_sigaltstack(const stack_t *new, stack_t *old) {
  return system_call3(SYS_sigaltstack, (long)new, (long)old, 0);
}

static bool is_given(const stack_t *stack) {
  return given && stack->ss_sp == given;
}

void alternate_stack_give(struct thread_state *thread) {
  stack_t now, stack = alternate_stack_of(thread);
  if (!clock_signals_used() || system_failed(kernel_sigaltstack(NULL, &now))) return;
  if (!(now.ss_flags & SS_DISABLE) && !is_given(&now)) return;
  if (!system_failed(kernel_sigaltstack(&stack, NULL))) given = stack.ss_sp;
}

bool alternate_stack_is_chosen_here(const stack_t *stack) {
  return !is_given(stack) || small.ss_size;
}

void alternate_stack_call(struct thread_state *thread, void (*function)(void *), void *argument) {
  stack_t stack = alternate_stack_of(thread);
  uint64_t here = (uint64_t)__builtin_frame_address(0);
  if (here - (uint64_t)stack.ss_sp < stack.ss_size)
    function(argument);
  else
    call_on_stack((char *)stack.ss_sp + stack.ss_size, function, argument);
}

void alternate_stack_show(stack_t *stack) {
  if (!is_given(stack)) return;
  small.ss_flags = small.ss_size ? stack->ss_flags : SS_DISABLE;
  *stack = small;
}

void alternate_stack_took(const stack_t *ours, const stack_t *asked) {
  small = *asked;
  if (ours) given = ours->ss_sp;
}

bool alternate_stack_choose(void) {
  return !__atomic_exchange_n(&chosen, 1, __ATOMIC_ACQ_REL);
}
