#include "runtime/guise/confinement.h"

#include <linux/filter.h>
#include <stddef.h>
#include <sys/uio.h>

#include "recording/filters.h"
#include "runtime/arch/processor.h"
#include "runtime/guise/call_filter.h"
#include "runtime/registry/process_state.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/threads.h"
#include "runtime/stacks/stacks.h"
#include "runtime/ticks/ticks.h"

#define ROOM_AHEAD (4ull << 20) /* in the recording: new contexts, ticks at new places */
#define STEPS_MOST BPF_MAXINSNS

extern char **environ __attribute__((weak, visibility("default")));

/* All that the runtime calls (tests/structure/calls.py), and how the kernel returns from ticks. */
static const uint16_t calls[] = {
    SYS_clock_gettime,
    SYS_close,
    SYS_fcntl,
    SYS_fstat,
    SYS_fstatfs,
    SYS_ftruncate,
    SYS_futex,
    SYS_getcwd,
    SYS_geteuid,
    SYS_getpid,
    SYS_getppid,
    SYS_getrlimit,
    SYS_getrusage,
    SYS_gettid,
    SYS_ioctl,
    SYS_madvise,
    SYS_mkdir,
    SYS_mmap,
    SYS_mprotect,
    SYS_mremap,
    SYS_munmap,
    SYS_openat,
    SYS_perf_event_open,
    SYS_prctl,
    SYS_process_vm_readv,
    SYS_pwrite64,
    SYS_read,
    SYS_readlink,
    SYS_rmdir,
    SYS_rt_sigaction,
    SYS_rt_sigpending,
    SYS_rt_sigprocmask,
    SYS_rt_sigqueueinfo,
    SYS_rt_sigreturn,
    SYS_rt_sigtimedwait,
    SYS_rt_tgsigqueueinfo,
    SYS_sched_yield,
    SYS_setrlimit,
    SYS_sigaltstack,
    SYS_tgkill,
    SYS_timer_create,
    SYS_timer_delete,
    SYS_timer_settime,
    SYS_uname,
    SYS_unlinkat,
    SYS_write,
};

/* The calls among these that making a recording needs. */
static const uint16_t calls_of_start[] = {
    SYS_clock_gettime, SYS_close,    SYS_fstat,          SYS_fstatfs, SYS_ftruncate,
    SYS_geteuid,       SYS_getpid,   SYS_mmap,           SYS_madvise, SYS_mprotect,
    SYS_openat,        SYS_unlinkat, SYS_rt_sigprocmask, SYS_munmap,  SYS_read,
};

static bool has(const uint64_t forbidden[], uint16_t number) {
  return forbidden[number / 64] >> number % 64 & 1;
}

static bool touches_us(const uint64_t forbidden[]) {
  for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++)
    if (has(forbidden, calls[i])) return true;
  return false;
}

bool confinement_permits_start(void) {
  for (unsigned i = 0; i < sizeof calls_of_start / sizeof *calls_of_start; i++)
    if (system_forbids(calls_of_start[i])) return false;
  return true;
}

/* The words of the clocks' periods and of the runtime's calls change one after the other: what is
 * called in between is permitted still. */
static void prepare(struct confinement *confinement, const uint64_t forbidden[]) {
  for (unsigned i = 0; i < SYSTEM_CALLS / 64; i++)
    confinement->before[i] = system_forbidden[i];
  confinement->counts = !touches_us(forbidden);
  if (confinement->counts) return;
  if (process_is_recording()) {
    struct thread_state *thread = threads_current();
    storage_make_room(ROOM_AHEAD);
    if (thread && stacks_are_sampled()) stacks_make_room(thread);
    ticks_settle(has(forbidden, SYS_rt_sigreturn));
  }
  for (unsigned i = 0; i < SYSTEM_CALLS / 64; i++)
    __atomic_fetch_or(&system_forbidden[i], forbidden[i], __ATOMIC_RELEASE);
}

/* The program may pass the kernel an address at which there is no memory. */
static bool copy(void *to, const void *from, uint64_t bytes) {
  struct iovec source = {(void *)from, bytes}, target = {to, bytes};
  long process = system_call3(SYS_getpid, 0, 0, 0);
  long got = system_call6(SYS_process_vm_readv, process, (long)&target, 1, (long)&source, 1, 0);
  if (got == (long)bytes) return true;
  if (!from || got == -EFAULT || !system_readable((uint64_t)from)) return false;
  for (uint64_t i = 0; i < bytes; i++)
    ((char *)to)[i] = ((const volatile char *)from)[i];
  return true;
}

struct workspace {
  struct sock_filter filter[STEPS_MOST];
  struct call_filter_state states[STEPS_MOST];
};

/* Where the filter cannot be looked at for want of memory it may forbid anything. */
static bool look(const struct sock_fprog *program, uint64_t forbidden[]) {
  struct workspace *work = system_memory(sizeof *work);
  for (unsigned i = 0; i < SYSTEM_CALLS / 64; i++)
    forbidden[i] = work ? 0 : ~0ull;
  if (!work) return true;
  bool copied = copy(work->filter, program->filter, program->len * sizeof *work->filter);
  if (copied) call_filter_forbid(work->filter, program->len, work->states, forbidden);
  system_call3(SYS_munmap, (long)work, sizeof *work, 0);
  return copied;
}

void confinement_filter(struct confinement *confinement, const void *filter) {
  uint64_t forbidden[SYSTEM_CALLS / 64] = {0};
  struct sock_fprog program = {0, NULL};
  bool seen = copy(&program, filter, sizeof program) && program.len && program.len <= STEPS_MOST;
  /* What the kernel cannot read either it refuses. */
  seen = seen && look(&program, forbidden);
  prepare(confinement, forbidden);
  confinement->counts &= seen;
}

void confinement_strict(struct confinement *confinement) {
  uint64_t forbidden[SYSTEM_CALLS / 64];
  static const uint16_t permitted[] = {SYS_read, SYS_write, SYS_exit, SYS_rt_sigreturn};
  for (unsigned i = 0; i < SYSTEM_CALLS / 64; i++)
    forbidden[i] = ~0ull;
  for (unsigned i = 0; i < sizeof permitted / sizeof *permitted; i++)
    forbidden[permitted[i] / 64] &= ~(1ull << permitted[i] % 64);
  time_stamp_forbid(); /* this mode takes it away, too */
  prepare(confinement, forbidden);
}

/* ---- what programs know that are executed later ---- */

static char *value_of(char *entry, const char *name) {
  while (*name && *entry == *name)
    entry++, name++;
  return *name == 0 && *entry == '=' ? entry + 1 : NULL;
}

/* In place: the environment may be copied, but seldom its texts. */
static void count_filter(void) {
  for (char **entry = &environ ? environ : NULL; entry && *entry; entry++) {
    char *value = value_of(*entry, FILTERS_VARIABLE);
    if (!value) continue;
    char *last = value;
    while (*last)
      last++;
    while (last-- > value && ++*last > '9')
      *last = '0';
  }
}

void confinement_asked(const struct confinement *confinement, bool accepted) {
  if (accepted && confinement->counts) count_filter();
  if (accepted || confinement->counts) return;
  for (unsigned i = 0; i < SYSTEM_CALLS / 64; i++)
    __atomic_store_n(&system_forbidden[i], confinement->before[i], __ATOMIC_RELEASE);
  if (process_is_recording()) ticks_unsettle();
}

static uint64_t number_after(const char *text, uint64_t length, const char *key) {
  for (uint64_t i = 0; i < length; i++) {
    uint64_t k = 0, number = 0;
    while (key[k] && i + k < length && text[i + k] == key[k])
      k++;
    if (key[k] || (i && text[i - 1] != '\n')) continue;
    for (k += i; k < length && text[k] >= '0' && text[k] <= '9'; k++)
      number = number * 10 + (uint64_t)(text[k] - '0');
    return number;
  }
  return 0;
}

bool confinement_is_inherited(const char *known) {
  static char status[8192];
  uint64_t number = 0;
  if (!known) return false;
  for (; *known >= '0' && *known <= '9'; known++)
    number = number * 10 + (uint64_t)(*known - '0');
  uint64_t length = system_read_file("/proc/self/status", status, sizeof status);
  if (number_after(status, length, FILTERS_FIELD) <= number) return false;
  for (unsigned i = 0; i < SYSTEM_CALLS / 64; i++)
    system_forbidden[i] = ~0ull;
  return true;
}
