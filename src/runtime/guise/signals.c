#include "runtime/guise/signals.h"

#include "runtime/arch/processor.h"
#include "runtime/guise/libc_name.h"
#include "runtime/guise/signal_masks.h"
#include "runtime/registry/alternate_stack.h"
#include "runtime/registry/clock_signals.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "runtime/registry/threads.h"

#include <errno.h>
#include <stddef.h>
#include <ucontext.h>

#define SA_RESTORER_FLAG 0x04000000
#ifndef TRAP_PERF
#define TRAP_PERF 6
#endif

int (*signals_next_sigaction)(int, const struct sigaction *, struct sigaction *);

/* What the program asked for that the kernel was not: of the clocks' signals, those to block while
 * its handler runs; SA_ONSTACK; the handler, where the kernel has on_program_signal. */
static struct asked {
  uint64_t mask;
  uint64_t on_stack;
  signal_handler *handler;
} asked[SIGNALS];

void ascribe_signal_return(void); /* enter_slow.S */

static bool is_shared(int signal) {
  return signal > 0 && signal < SIGNALS && clock_signals[signal].handler;
}

static long kernel_sigaction(int signal, const struct kernel_action *new,
                             struct kernel_action *old) {
  return system_call4(SYS_rt_sigaction, signal, (long)new, (long)old, 8);
}

/* The same, as the program has asked. */
static long asked_sigaction(int signal, const struct kernel_action *new,
                            struct kernel_action *old) {
  return program_call4(SYS_rt_sigaction, signal, (long)new, (long)old, 8);
}

/* The default action of a signal that was not a tick: as if the runtime were not there. */
static void default_action(int signal) {
  struct kernel_action plain = {
      .handler = (void *)SIG_DFL, .restorer = ascribe_signal_return, .flags = SA_RESTORER_FLAG};
  asked_sigaction(signal, &plain, NULL);
  long thread = program_call3(SYS_gettid, 0, 0, 0);
  program_call3(SYS_tgkill, program_call3(SYS_getpid, 0, 0, 0), thread, signal);
}

static bool is_handler(const void *handler) {
  return handler != (void *)SIG_IGN && handler != (void *)SIG_DFL;
}

/* Bits of the signals whose handlers run when that of the tick has returned. The clocks' own come
 * to us again, with the call still to be started. */
static uint64_t signals_that_follow(ucontext_t *machine) {
  uint64_t pending = 0;
  if (system_failed(system_call3(SYS_rt_sigpending, (long)&pending, sizeof pending, 0))) return 0;
  return pending & ~*interrupted_mask(machine) & ~clock_signals_used();
}

/* The kernel handles a tick before other signals that came with it, and asks the first handler
 * only whether the call that they have interrupted starts again: it is to be as the first of the
 * others asks (signal(7)). */
static void leave_call_to_others(ucontext_t *machine) {
  struct kernel_action action;
  if (!interrupted_call_restarts(machine)) return;
  for (uint64_t left = signals_that_follow(machine); left; left &= left - 1) {
    if (system_failed(kernel_sigaction(1 + __builtin_ctzll(left), NULL, &action))) return;
    if (!is_handler(action.handler)) continue;
    if (!(action.flags & SA_RESTART)) interrupted_end_call(machine);
    return;
  }
}

static void run_handler(int signal, siginfo_t *info, void *machine) {
  struct kernel_action action = clock_signals[signal].program;
  if (!is_handler(action.handler)) return; /* another thread has just changed it */
  if (!(action.flags & SA_RESTART)) interrupted_end_call(machine);
  if (action.flags & SA_RESETHAND) clock_signals[signal].program.handler = (void *)SIG_DFL;
  uint64_t mask = *interrupted_mask(machine) | action.mask | clock_signals_used();
  if (action.flags & SA_NODEFER) mask &= ~signal_bit(signal);
  system_call4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8);
  ((signal_handler *)action.handler)(signal, info, machine);
}

static void to_program(int signal, siginfo_t *info, void *machine) {
  const struct kernel_action *action = &clock_signals[signal].program;
  if (is_handler(action->handler))
    signal_frame_handle(run_handler, action->flags & SA_ONSTACK, signal, info, machine);
  else if (action->handler == (void *)SIG_DFL)
    default_action(signal);
}

/* Of other signals, where the program's handler asks for an alternate stack. A sanitizer's handler
 * may call this one. */
static void on_program_signal(int signal, siginfo_t *info, void *machine) {
  signal_handler *handler = asked[signal].handler;
  const char *entered = (const char *)__builtin_frame_address(0) + sizeof(void *);
  if (entered == (const char *)machine - sizeof(void *))
    signal_frame_handle(handler, true, signal, info, machine);
  else
    handler(signal, info, machine);
}

/* An instruction's own trap, which the kernel lets nobody ignore or block. */
static bool is_forced(int signal, const siginfo_t *info) {
  bool by_instruction =
      info->si_code == SI_KERNEL || (info->si_code > 0 && info->si_code < TRAP_PERF);
  return signal == SIGTRAP && by_instruction;
}

static bool is_shut_off(int signal) {
  return clock_signals[signal].program.handler == (void *)SIG_IGN ||
         (signal_masks_held() & signal_bit(signal));
}

static void on_signal(int signal, siginfo_t *info, void *machine) {
  if (clock_signals_is_tick(info)) {
    if (clock_signals[signal].handler(info, machine)) leave_call_to_others(machine);
    signal_masks_ticked(machine);
  } else if (is_forced(signal, info) && is_shut_off(signal)) {
    default_action(signal);
  } else if (!signal_masks_postpone(signal, info, machine))
    to_program(signal, info, machine);
}

static bool install(int signal) {
  struct kernel_action ours = {
      .handler = (void *)on_signal,
      .flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | SA_RESTORER_FLAG,
      .restorer = ascribe_signal_return,
      .mask = ~0ull, /* what would be handled on the stack that a tick has left */
  };
  return !system_failed(kernel_sigaction(signal, &ours, NULL));
}

static const struct kernel_action ignore = {
    .handler = (void *)SIG_IGN, .restorer = ascribe_signal_return, .flags = SA_RESTORER_FLAG};

uint64_t signals_ignore(void) {
  uint64_t ignored = clock_signals_ignored();
  for (uint64_t left = ignored; left; left &= left - 1) {
    int signal = 1 + __builtin_ctzll(left);
    struct kernel_action now; /* a child in our memory may have changed it */
    if (system_failed(kernel_sigaction(signal, NULL, &now)) || now.handler != (void *)on_signal)
      ignored &= ~signal_bit(signal);
    else
      kernel_sigaction(signal, &ignore, NULL);
  }
  return ignored;
}

void signals_take_back(uint64_t ignored) {
  for (; ignored; ignored &= ignored - 1)
    install(1 + __builtin_ctzll(ignored));
}

/* ---- what the program calls instead of libc's ---- */

static void from_libc(const struct sigaction *action, struct kernel_action *kernel) {
  kernel->handler = (void *)action->sa_sigaction;
  kernel->flags = (uint64_t)(unsigned)action->sa_flags;
  kernel->restorer = ascribe_signal_return;
  kernel->mask = action->sa_mask.__val[0];
}

static void to_libc(const struct kernel_action *kernel, struct sigaction *action) {
  action->sa_sigaction = (void (*)(int, siginfo_t *, void *))kernel->handler;
  action->sa_flags = (int)kernel->flags;
  for (unsigned i = 1; i < sizeof action->sa_mask.__val / sizeof action->sa_mask.__val[0]; i++)
    action->sa_mask.__val[i] = 0;
  action->sa_mask.__val[0] = kernel->mask;
  action->sa_restorer = kernel->restorer;
}

/* `raw`: by the program's own system call, whose restorer is its own too. */
static long next_sigaction(int signal, const struct kernel_action *new, struct kernel_action *old,
                           bool raw) {
  if (raw || !signals_next_sigaction) return asked_sigaction(signal, new, old);
  struct sigaction action, before;
  if (new) to_libc(new, &action);
  if (signals_next_sigaction(signal, new ? &action : NULL, &before)) return -errno;
  from_libc(&before, old);
  return 0;
}

/* CPU timers say nothing of where they were due. Handlers of faults are hardly ever run. */
static void note_alternate(int signal) {
  const uint64_t faults = signal_bit(SIGSEGV) | signal_bit(SIGBUS) | signal_bit(SIGILL) |
                          signal_bit(SIGFPE) | signal_bit(SIGABRT) | signal_bit(SIGSYS);
  struct recording_header *header = storage_header();
  if (header && header->tick_source == TICK_TIMER && !(signal_bit(signal) & faults))
    header->hindrances |= HINDRANCE_UNTICKED;
}

/* Ticks go on while a handler runs, whatever it blocks: but not on an alternate stack, which was
 * made large enough for the program's handler alone. */
static void use_stack(int signal, struct kernel_action *action) {
  action->flags |= SA_ONSTACK;
  action->mask |= clock_signals_used();
  note_alternate(signal);
  if (!is_handler(action->handler) || action->handler == (void *)on_program_signal) return;
  asked[signal].handler = (signal_handler *)action->handler;
  action->handler = (void *)on_program_signal;
}

static void adapt(int signal, struct kernel_action *action) {
  asked[signal].mask = action->mask & clock_signals_used();
  asked[signal].on_stack = action->flags & SA_ONSTACK;
  action->mask &= ~clock_signals_used();
  if (!clock_signals_used() || !asked[signal].on_stack) return;
  if (alternate_stack_chosen())
    use_stack(signal, action);
  else
    action->flags &= ~(uint64_t)SA_ONSTACK;
}

void signals_use_stack(void) {
  for (int signal = 1; clock_signals_used() && signal < SIGNALS; signal++) {
    struct kernel_action action;
    if (!asked[signal].on_stack || system_failed(kernel_sigaction(signal, NULL, &action))) continue;
    use_stack(signal, &action);
    kernel_sigaction(signal, &action, NULL);
  }
}

/* In a child that has its parent's memory: the kernel's are its own, what is kept here is not. */
static long childs_sigaction(int signal, const struct kernel_action *new,
                             struct kernel_action *old) {
  long status = asked_sigaction(signal, new, old);
  if (system_failed(status)) return status;
  if (old->handler == (void *)on_signal) *old = clock_signals[signal].program;
  if (old->handler == (void *)on_program_signal) old->handler = (void *)asked[signal].handler;
  return status;
}

static long program_sigaction(int signal, struct kernel_action *new, struct kernel_action *old,
                              bool raw) {
  if (signal <= 0 || signal >= SIGNALS) return -EINVAL;
  if (clock_signals_used() && threads_are_borrowed()) return childs_sigaction(signal, new, old);
  if (is_shared(signal)) {
    *old = clock_signals[signal].program;
    if (new) clock_signals[signal].program = *new;
    return 0;
  }
  struct asked before = asked[signal];
  if (new) adapt(signal, new);
  long status = next_sigaction(signal, new, old, raw);
  if (system_failed(status))
    asked[signal] = before;
  else if (clock_signals_used()) {
    old->mask = (old->mask & ~clock_signals_used()) | before.mask;
    old->flags |= before.on_stack;
    if (old->handler == (void *)on_program_signal) old->handler = (void *)before.handler;
  }
  return status;
}

LIBC_NAME int sigaction(int signal, const struct sigaction *action, struct sigaction *old) {
  struct kernel_action new_action, old_action = {0};
  if (signal == 32 || signal == 33) { /* glibc keeps these for itself */
    errno = EINVAL;
    return -1;
  }
  if (action) {
    from_libc(action, &new_action);
    new_action.flags |= SA_RESTORER_FLAG;
  }
  long status = program_sigaction(signal, action ? &new_action : NULL, &old_action, false);
  if (system_failed(status)) {
    errno = (int)-status;
    return -1;
  }
  if (old) to_libc(&old_action, old);
  return 0;
}

OWN_NAME(sigaction);

long signals_answer_raw(int signal, const void *action, void *old) {
  struct kernel_action new_action, old_action = {0};
  if (action && !system_readable((uint64_t)action)) return -EFAULT;
  if (action) new_action = *(const struct kernel_action *)action;
  long status = program_sigaction(signal, action ? &new_action : NULL, &old_action, true);
  if (!system_failed(status) && old) *(struct kernel_action *)old = old_action;
  return status;
}

static bool shut_out; /* atomic */

static void shut_all_out(void) {
  uint64_t clocks = clock_signals_used();
  bool ignored = true;
  __atomic_store_n(&shut_out, true, __ATOMIC_RELEASE);
  for (uint64_t left = clocks; left; left &= left - 1)
    ignored &= !system_failed(kernel_sigaction(1 + __builtin_ctzll(left), &ignore, NULL));
  if (!ignored) system_call4(SYS_rt_sigprocmask, SIG_BLOCK, (long)&clocks, 0, 8);
}

static void let_all_in(void) {
  uint64_t clocks = clock_signals_used();
  if (!__atomic_exchange_n(&shut_out, false, __ATOMIC_ACQ_REL)) return;
  system_call4(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&clocks, 0, 8);
  signals_take_back(clocks);
}

void signals_start(void) {
  static const struct clock_signal_keeper keeper = {install, shut_all_out, let_all_in};
  clock_signals_register(&keeper);
}

bool signals_are_taken(void) {
  struct kernel_action now;
  if (__atomic_load_n(&shut_out, __ATOMIC_ACQUIRE)) return false;
  for (uint64_t left = clock_signals_used(); left; left &= left - 1)
    if (!system_failed(kernel_sigaction(1 + __builtin_ctzll(left), NULL, &now)) &&
        now.handler != (void *)on_signal)
      return true;
  return false;
}

static uint64_t interrupting; /* bits of the signals that siginterrupt was asked for */

static void (*set_handler(int number, void (*handler)(int), int flags, uint64_t mask))(int) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old;
  action.sa_mask.__val[0] = mask;
  if (handler == SIG_ERR) {
    errno = EINVAL;
    return SIG_ERR;
  }
  return own_sigaction(number, &action, &old) ? SIG_ERR : old.sa_handler;
}

LIBC_NAME void (*signal(int number, void (*handler)(int)))(int) {
  uint64_t bit = number > 0 && number < 65 ? signal_bit(number) : 0;
  return set_handler(number, handler, interrupting & bit ? 0 : SA_RESTART, bit);
}
OWN_NAME(signal);

/* signal() in programs compiled as strict ISO C. */
LIBC_NAME void (*__sysv_signal(int number, void (*handler)(int)))(int) {
  return set_handler(number, handler, (int)(SA_RESETHAND | SA_NODEFER), 0);
}
OWN_NAME(__sysv_signal);

LIBC_NAME int siginterrupt(int number, int interrupts) {
  struct sigaction action;
  if (own_sigaction(number, NULL, &action)) return -1;
  if (interrupts) {
    interrupting |= signal_bit(number);
    action.sa_flags &= ~SA_RESTART;
  } else {
    interrupting &= ~signal_bit(number);
    action.sa_flags |= SA_RESTART;
  }
  return own_sigaction(number, &action, NULL);
}
