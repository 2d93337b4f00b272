#include "runtime/perf_event.h"

#include "runtime/system.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define PERIOD_OF_TRIAL (1ull << 40)
#define HIGHEST 3072   /* a fork goes through all numbers below the highest that is in use */
#define KEPT_MOST 8192 /* descriptors above the limit, as a thread needs one each */
#define RATE_ANY 1000000u
#ifndef TRAP_PERF
#define TRAP_PERF 6
#endif

static struct perf_measure measured; /* its address is how the handler knows its own */

static long open_event(uint64_t period) {
  struct perf_event_attr attr;
  for (unsigned i = 0; i < sizeof attr; i++)
    ((volatile char *)&attr)[i] = 0;
  attr.type = measured.chosen ? measured.type : PERF_TYPE_SOFTWARE;
  attr.size = sizeof attr;
  attr.config = measured.chosen ? measured.config : PERF_COUNT_SW_TASK_CLOCK;
  attr.sample_period = period;
  /* Samples in user code only: their signal comes at once, in no system call, and can so end none
   * with EINTR. What the kernel used is known from getrusage. */
  attr.exclude_kernel = !measured.kernel;
  attr.exclude_hv = 1;
  attr.sigtrap = 1;
  attr.remove_on_exec = 1;
  attr.sig_data = (uint64_t)&measured;
  return system_call6(SYS_perf_event_open, (long)&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
}

long perf_event_try(const struct perf_measure *measure) {
  measured = *measure;
  long opened = open_event(PERIOD_OF_TRIAL);
  if (system_failed(opened)) return opened;
  system_call3(SYS_close, opened, 0, 0);
  return 0;
}

/* The kernel counts samples between two of its own ticks, and stops an event that has more than its
 * share of this rate; periods vary, so that twice the mean rate may come. */
uint32_t perf_event_rate_most(void) {
  char text[32];
  uint64_t length =
      system_read_file("/proc/sys/kernel/perf_event_max_sample_rate", text, sizeof text);
  uint32_t rate = 0;
  for (uint64_t i = 0; i < length && text[i] >= '0' && text[i] <= '9' && rate < RATE_ANY; i++)
    rate = rate * 10 + (uint32_t)(text[i] - '0');
  if (!length) return RATE_ANY;
  return rate > 2 ? rate / 2 : 1;
}

/* The program may have closed our descriptor and have a file of its own under its number. */
static bool still_ours(const struct thread_state *thread) {
  uint64_t id = 0;
  if (thread->perf_descriptor < 0) return false;
  long status = system_call3(SYS_ioctl, thread->perf_descriptor, PERF_EVENT_IOC_ID, (long)&id);
  return !system_failed(status) && id == thread->perf_id;
}

/* The same under a number that the program cannot get: above its limit, which is raised meanwhile
 * if it may be. Else one that a program seldom comes to; select() takes those below 1024. */
static long out_of_the_way(long opened) {
  struct rlimit limit = {1024, 1024};
  system_call3(SYS_getrlimit, RLIMIT_NOFILE, (long)&limit, 0);
  if (limit.rlim_cur <= HIGHEST && limit.rlim_max > limit.rlim_cur) {
    struct rlimit raised = {limit.rlim_cur + KEPT_MOST, limit.rlim_max};
    if (raised.rlim_cur > limit.rlim_max) raised.rlim_cur = limit.rlim_max;
    system_call3(SYS_setrlimit, RLIMIT_NOFILE, (long)&raised, 0);
    long kept = system_call3(SYS_fcntl, opened, F_DUPFD_CLOEXEC, (long)limit.rlim_cur);
    system_call3(SYS_setrlimit, RLIMIT_NOFILE, (long)&limit, 0);
    if (!system_failed(kept)) return kept;
  }
  uint64_t high = limit.rlim_cur / 4 * 3;
  return system_call3(SYS_fcntl, opened, F_DUPFD_CLOEXEC, (long)(high < HIGHEST ? high : HIGHEST));
}

/* The mapping keeps the event alive should the program close every descriptor. False: those out of
 * the way are all in use. */
static bool keep(struct thread_state *thread, long opened) {
  long descriptor = out_of_the_way(opened);
  system_call3(SYS_close, opened, 0, 0);
  if (system_failed(descriptor)) return false;
  long page = system_call6(SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  thread->perf_page = system_failed(page) ? NULL : (void *)page;
  if (thread->perf_page) system_call3(SYS_madvise, page, 4096, MADV_DONTFORK);
  system_call3(SYS_ioctl, descriptor, PERF_EVENT_IOC_ID, (long)&thread->perf_id);
  thread->perf_descriptor = (int)descriptor;
  return true;
}

bool perf_event_start(struct thread_state *thread, uint64_t period) {
  long descriptor = open_event(period);
  return !system_failed(descriptor) && keep(thread, descriptor);
}

void perf_event_stop(struct thread_state *thread) {
  if (thread->perf_page) system_call3(SYS_munmap, (long)thread->perf_page, 4096, 0);
  if (still_ours(thread)) system_call3(SYS_close, thread->perf_descriptor, 0, 0);
  thread->perf_descriptor = -1;
  thread->perf_page = NULL;
}

bool perf_event_set_period(const struct thread_state *thread, uint64_t period) {
  return thread->perf_descriptor >= 0 &&
         !system_failed(system_call3(SYS_ioctl, thread->perf_descriptor, PERF_EVENT_IOC_PERIOD,
                                     (long)&period));
}

void perf_event_enable(const struct thread_state *thread, bool enabled) {
  if (still_ours(thread))
    system_call3(SYS_ioctl, thread->perf_descriptor,
                 enabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

bool perf_event_count(const struct thread_state *thread, uint64_t *count) {
  uint64_t value;
  if (!still_ours(thread) ||
      system_call3(SYS_read, thread->perf_descriptor, (long)&value, sizeof value) != sizeof value)
    return false;
  *count = value;
  return true;
}

void perf_event_forget(const struct thread_state *inherited) {
  if (still_ours(inherited)) system_call3(SYS_close, inherited->perf_descriptor, 0, 0);
}

bool perf_event_is(const siginfo_t *info) {
  /* siginfo's fields after a TRAP_PERF, as in Linux's uapi: the address, then the sig_data. */
  return info->si_code == TRAP_PERF &&
         *(const uint64_t *)((const char *)info + 24) == (uint64_t)&measured;
}
