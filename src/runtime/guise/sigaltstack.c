/* What the program does without an alternate stack of its own, or with one that is too small for a
 * tick, it does with ours, and sees none of it. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/auxv.h>

#include "runtime/guise/libc_name.h"
#include "runtime/guise/signals.h"
#include "runtime/registry/alternate_stack.h"
#include "runtime/registry/clock_signals.h"
#include "runtime/registry/system.h"
#include "runtime/registry/threads.h"

#define HANDLER_BYTES 512 /* of a tick's, before it goes over to our stack */
#define LEAST_BYTES 2048  /* the kernel accepts no less */
#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

/* The kernel accepts stacks that are too small for the frame of a signal, on processors with much
 * to save. */
static bool is_small(const stack_t *stack) {
  uint64_t frame = getauxval(AT_MINSIGSTKSZ);
  return !stack->ss_flags && stack->ss_size >= LEAST_BYTES &&
         stack->ss_size < frame + HANDLER_BYTES;
}

LIBC_NAME int sigaltstack(const stack_t *restrict new, stack_t *restrict old) {
  struct thread_state *thread = threads_current();
  stack_t before, ours, asked = {.ss_flags = SS_DISABLE};
  bool disables = new &&new->ss_flags &SS_DISABLE;
  bool replaces = new &&thread &&clock_signals_used() && (disables || is_small(new));
  if (new &&replaces) {
    if (!disables) asked = *new;
    ours = alternate_stack_of(thread);
    new = &ours;
  }
  long status = program_call3(SYS_sigaltstack, (long)new, (long)&before, 0);
  if (system_failed(status)) {
    errno = (int)-status;
    return -1;
  }
  alternate_stack_show(&before);
  if (new) alternate_stack_took(replaces ? &ours : NULL, &asked);
  if (old) *old = before;
  if (new && !disables && alternate_stack_choose()) signals_use_stack();
  return 0;
}
