#include "runtime/guise/alternate_stack.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/auxv.h>

#include "runtime/guise/libc_name.h"
#include "runtime/guise/signals.h"
#include "runtime/registry/system.h"
#include "runtime/registry/threads.h"

#define HANDLER_BYTES 512 /* of a tick's, before it goes over to our stack */
#define LEAST_BYTES 2048  /* the kernel accepts no less */
#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

static int chosen; /* atomic */

static __thread const void *given; /* ours that the kernel has; a forked child's: its parent's */

/* What this thread of the program chose that has no room for a tick: it has ours instead. */
static __thread stack_t small;

bool alternate_stack_chosen(void) {
  return __atomic_load_n(&chosen, __ATOMIC_ACQUIRE);
}

static stack_t ours(struct thread_state *thread) {
  return (stack_t){.ss_sp = thread + 1, .ss_size = ALTERNATE_STACK_BYTES};
}

static long kernel_sigaltstack(const stack_t *new, stack_t *old) {
  return system_call3(SYS_sigaltstack, (long)new, (long)old, 0);
}

static bool is_given(const stack_t *stack) {
  return given && stack->ss_sp == given;
}

void alternate_stack_give(struct thread_state *thread) {
  stack_t now, stack = ours(thread);
  if (!signals_clocks() || system_failed(kernel_sigaltstack(NULL, &now))) return;
  if (!(now.ss_flags & SS_DISABLE) && !is_given(&now)) return;
  if (!system_failed(kernel_sigaltstack(&stack, NULL))) given = stack.ss_sp;
}

bool alternate_stack_is_chosen_here(const stack_t *stack) {
  return !is_given(stack) || small.ss_size;
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

/* The kernel accepts stacks that are too small for the frame of a signal, on processors with much
 * to save. */
static bool is_small(const stack_t *stack) {
  uint64_t frame = getauxval(AT_MINSIGSTKSZ);
  return !stack->ss_flags && stack->ss_size >= LEAST_BYTES &&
         stack->ss_size < frame + HANDLER_BYTES;
}

/* What the program does without a stack of its own, or with one that is too small for a tick, it
 * does with ours. */
LIBC_NAME int sigaltstack(const stack_t *restrict new, stack_t *restrict old) {
  struct thread_state *thread = threads_current();
  stack_t before, stack, asked = {.ss_flags = SS_DISABLE};
  bool disables = new &&new->ss_flags &SS_DISABLE;
  bool replaces = new &&thread &&signals_clocks() && (disables || is_small(new));
  if (new &&replaces) {
    if (!disables) asked = *new;
    stack = ours(thread);
    new = &stack;
  }
  long status = program_call3(SYS_sigaltstack, (long)new, (long)&before, 0);
  if (system_failed(status)) {
    errno = (int)-status;
    return -1;
  }
  if (is_given(&before)) {
    small.ss_flags = small.ss_size ? before.ss_flags : SS_DISABLE;
    before = small;
  }
  if (new) small = replaces && !disables ? asked : (stack_t){.ss_flags = SS_DISABLE};
  if (replaces) given = stack.ss_sp;
  if (old) *old = before;
  if (new && !disables && !__atomic_exchange_n(&chosen, 1, __ATOMIC_ACQ_REL)) signals_use_stack();
  return 0;
}
