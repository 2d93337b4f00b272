/* prctl, and system calls by libc's `syscall`, on their way to the kernel: what the program forbids
 * to itself, ticks do without (time_stamp.h, confinement.h); handlers that it sets for the signals
 * of the clocks are kept (signals.h); another program takes over its signals (hand_over.h). */
#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "runtime/arch/processor.h"
#include "runtime/guise/confinement.h"
#include "runtime/guise/hand_over.h"
#include "runtime/guise/libc_name.h"
#include "runtime/guise/signals.h"
#include "runtime/registry/process_state.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "runtime/registry/threads.h"

struct call {
  long number, arguments[6];
};

static long make(const struct call *call) {
  const long *with = call->arguments;
  return program_call6(call->number, with[0], with[1], with[2], with[3], with[4], with[5]);
}

static long make_confined(const struct call *call, bool strict, const void *filter) {
  struct confinement confinement;
  /* A child in our memory confines itself, not us. */
  if (threads_are_borrowed()) return make(call);
  if (strict)
    confinement_strict(&confinement);
  else
    confinement_filter(&confinement, filter);
  long status = make(call);
  confinement_asked(&confinement, !system_failed(status));
  return status;
}

static long answer_prctl(const struct call *call) {
  const long *with = call->arguments;
  if (with[0] == PR_SET_TSC && with[1] == PR_TSC_SIGSEGV) time_stamp_forbid();
  if (with[0] != PR_SET_SECCOMP) return make(call);
  return make_confined(call, with[1] == SECCOMP_MODE_STRICT, (const void *)with[2]);
}

/* Before it holds: what the recording sets aside would count. */
static long make_limited(const struct call *call, int resource, const void *limits) {
  bool limits_space = resource == RLIMIT_AS && limits && system_readable((uint64_t)limits);
  if (limits_space && !threads_are_borrowed() && process_is_recording())
    storage_leave_space(((const struct rlimit *)limits)->rlim_cur);
  return make(call);
}

static long execute(const struct call *call) {
  struct handed_over handed;
  hand_over(&handed, true);
  long status = make(call);
  hand_over_undo(&handed);
  return status;
}

static long answer(const struct call *call) {
  const long *with = call->arguments;
  if (call->number == SYS_setrlimit) return make_limited(call, (int)with[0], (const void *)with[1]);
  if (call->number == SYS_prlimit64 && with[0] == 0)
    return make_limited(call, (int)with[1], (const void *)with[2]);
  if (call->number == SYS_execve || call->number == SYS_execveat) return execute(call);
  if (call->number == SYS_prctl) return answer_prctl(call);
  if (call->number == SYS_rt_sigaction && with[3] == 8)
    return signals_answer_raw((int)with[0], (const void *)with[1], (void *)with[2]);
  bool confines = call->number == SYS_seccomp &&
                  (with[0] == SECCOMP_SET_MODE_STRICT || with[0] == SECCOMP_SET_MODE_FILTER);
  if (!confines) return make(call);
  return make_confined(call, with[0] == SECCOMP_SET_MODE_STRICT, (const void *)with[2]);
}

static long as_libc(long status) {
  if (!system_failed(status)) return status;
  errno = (int)-status;
  return -1;
}

LIBC_NAME int prctl(int option, ...) {
  va_list list;
  struct call call = {SYS_prctl, {option}};
  va_start(list, option);
  for (int i = 1; i < 5; i++)
    call.arguments[i] = va_arg(list, long);
  va_end(list);
  return (int)as_libc(answer(&call));
}

static int limit(long process, long resource, const void *limits, void *old) {
  const struct call call = {SYS_prlimit64, {process, resource, (long)limits, (long)old}};
  return (int)as_libc(answer(&call));
}

#define DEFINE_LIMITS(suffix)                                                                      \
  LIBC_NAME int ascribe_setrlimit##suffix(int,                                                     \
                                          const struct rlimit *) __asm__("setrlimit" #suffix);     \
  int ascribe_setrlimit##suffix(int resource, const struct rlimit *limits) {                       \
    return limit(0, resource, limits, NULL);                                                       \
  }                                                                                                \
  LIBC_NAME int ascribe_prlimit##suffix(pid_t, int, const struct rlimit *,                         \
                                        struct rlimit *) __asm__("prlimit" #suffix);               \
  int ascribe_prlimit##suffix(pid_t process, int resource, const struct rlimit *limits,            \
                              struct rlimit *old) {                                                \
    return limit(process, resource, limits, old);                                                  \
  }
DEFINE_LIMITS()
DEFINE_LIMITS(64)

/* From interpose_jumps.S: the few calls that are looked at here; what others returned. */
long ascribe_call_answered(long number, long a, long b, long c, long d, long e, long f);
long ascribe_call_answered(long number, long a, long b, long c, long d, long e, long f) {
  const struct call call = {number, {a, b, c, d, e, f}};
  return as_libc(answer(&call));
}
long ascribe_call_failed(long status);
long ascribe_call_failed(long status) {
  return as_libc(status);
}
