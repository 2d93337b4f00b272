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

static struct perf_measure measured[EVENTS_MOST]; /* their addresses tell the handler its own */

static long open_event(unsigned event, uint64_t period) {
  const struct perf_measure *what = &measured[event];
  struct perf_event_attr attr;
  for (unsigned i = 0; i < sizeof attr; i++)
    ((volatile char *)&attr)[i] = 0;
  attr.type = what->chosen ? what->type : PERF_TYPE_SOFTWARE;
  attr.size = sizeof attr;
  attr.config = what->chosen ? what->config : PERF_COUNT_SW_TASK_CLOCK;
  attr.sample_period = period;
  /* Samples in user code only: their signal comes at once, in no system call, and can so end none
   * with EINTR. What the kernel used is known from getrusage. */
  attr.exclude_kernel = !what->kernel;
  attr.exclude_hv = 1;
  attr.sigtrap = 1;
  attr.remove_on_exec = 1;
  attr.sig_data = (uint64_t)what;
  return system_call6(SYS_perf_event_open, (long)&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
}

long perf_event_try(unsigned event, const struct perf_measure *measure) {
  measured[event] = *measure;
  long opened = open_event(event, PERIOD_OF_TRIAL);
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
static bool still_ours(const struct thread_event *event) {
  uint64_t id = 0;
  if (event->descriptor < 0) return false;
  long status = system_call3(SYS_ioctl, event->descriptor, PERF_EVENT_IOC_ID, (long)&id);
  return !system_failed(status) && id == event->id;
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
static bool keep(struct thread_event *event, long opened) {
  long descriptor = out_of_the_way(opened);
  system_call3(SYS_close, opened, 0, 0);
  if (system_failed(descriptor)) return false;
  long page = system_call6(SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  event->page = system_failed(page) ? NULL : (void *)page;
  if (event->page) system_call3(SYS_madvise, page, 4096, MADV_DONTFORK);
  system_call3(SYS_ioctl, descriptor, PERF_EVENT_IOC_ID, (long)&event->id);
  event->descriptor = (int)descriptor;
  return true;
}

bool perf_event_start(struct thread_state *thread, unsigned event, uint64_t period) {
  long descriptor = open_event(event, period);
  return !system_failed(descriptor) && keep(&thread->events[event], descriptor);
}

void perf_event_stop(struct thread_state *thread) {
  for (unsigned i = 0; i < EVENTS_MOST; i++) {
    struct thread_event *event = &thread->events[i];
    if (event->page) system_call3(SYS_munmap, (long)event->page, 4096, 0);
    if (still_ours(event)) system_call3(SYS_close, event->descriptor, 0, 0);
    event->descriptor = -1;
    event->page = NULL;
  }
}

bool perf_event_set_period(const struct thread_state *thread, unsigned event, uint64_t period) {
  int descriptor = thread->events[event].descriptor;
  return descriptor >= 0 &&
         !system_failed(system_call3(SYS_ioctl, descriptor, PERF_EVENT_IOC_PERIOD, (long)&period));
}

void perf_event_enable(const struct thread_state *thread, bool enabled) {
  for (unsigned i = 0; i < EVENTS_MOST; i++)
    if (still_ours(&thread->events[i]))
      system_call3(SYS_ioctl, thread->events[i].descriptor,
                   enabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

bool perf_event_count(const struct thread_state *thread, unsigned event, uint64_t *count) {
  const struct thread_event *of = &thread->events[event];
  uint64_t value;
  if (!still_ours(of) ||
      system_call3(SYS_read, of->descriptor, (long)&value, sizeof value) != sizeof value)
    return false;
  *count = value;
  return true;
}

void perf_event_forget(const struct thread_state *inherited) {
  for (unsigned i = 0; i < EVENTS_MOST; i++)
    if (still_ours(&inherited->events[i]))
      system_call3(SYS_close, inherited->events[i].descriptor, 0, 0);
}

/* siginfo's fields after a TRAP_PERF, as in Linux's uapi: the address, then the sig_data. */
static uint64_t place_of(const siginfo_t *info) {
  return *(const uint64_t *)((const char *)info + 24) - (uint64_t)measured;
}

bool perf_event_is(const siginfo_t *info) {
  return info->si_code == TRAP_PERF && place_of(info) < sizeof measured;
}

unsigned perf_event_of(const siginfo_t *info) {
  return (unsigned)(place_of(info) / sizeof *measured);
}
