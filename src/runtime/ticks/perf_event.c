#include "runtime/ticks/perf_event.h"

#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "runtime/registry/threads.h"
#include "runtime/ticks/sigtrap.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define PERIOD_OF_TRIAL (1ull << 40)
#define HIGHEST 3072   /* a fork goes through all numbers below the highest that is in use */
#define KEPT_MOST 8192 /* descriptors above the limit, as a thread needs one each */
#define EVENT_PAGE 4096
#define RATE_ANY 1000000u
#ifndef TRAP_PERF
#define TRAP_PERF 6
#endif

static struct perf_measure measured[EVENTS_MOST]; /* their addresses tell the handler its own */

static long open_event(unsigned event, uint64_t period, bool kernel, uint32_t tid) {
  const struct perf_measure *what = &measured[event];
  struct perf_event_attr attr;
  for (unsigned i = 0; i < sizeof attr; i++)
    ((volatile char *)&attr)[i] = 0;
  attr.type = what->type;
  attr.size = sizeof attr;
  attr.config = what->config;
  attr.sample_period = period;
  attr.sample_type = what->chosen ? 0 : PERF_SAMPLE_IP; /* for the log */
  attr.exclude_kernel = !kernel;
  attr.exclude_hv = 1;
  attr.sigtrap = 1;
  attr.remove_on_exec = 1;
  attr.sig_data = (uint64_t)what;
  attr.watermark = 1; /* nobody waits for the log */
  attr.wakeup_watermark = UINT32_MAX;
  return system_call6(SYS_perf_event_open, (long)&attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
}

bool perf_measure_is_cpu_time(const struct perf_measure *measure) {
  return measure->type == PERF_TYPE_SOFTWARE && measure->config == PERF_COUNT_SW_TASK_CLOCK;
}

static long try_event(unsigned event, const struct perf_measure *measure) {
  measured[event] = *measure;
  long opened = open_event(event, PERIOD_OF_TRIAL, measure->kernel, 0);
  if (system_failed(opened)) return opened;
  system_call3(SYS_close, opened, 0, 0);
  return 0;
}

/* All CPU time where the kernel lets us see its own, where it does not end system calls by that
 * with EINTR, and where ticks can be kept out of an exec, which would hand a late one to the next
 * program; else that in user code. What the kernel used is then what is left of the thread's clock.
 */
long perf_event_try(unsigned event, struct perf_measure measure, bool execs_seen) {
  bool cpu_time = perf_measure_is_cpu_time(&measure);
  if (cpu_time) measure.kernel = sigtrap_spares_calls() && execs_seen;
  long status = try_event(event, &measure);
  if (cpu_time && measure.kernel && (status == -EACCES || status == -EPERM)) {
    measure.kernel = false;
    status = try_event(event, &measure);
  }
  if (measure.kernel) storage_header()->tick_flags &= ~TICK_USER_ONLY;
  return status;
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

/* A limit that another thread sets meanwhile stays. */
static void set_back(const struct rlimit *limit, const struct rlimit *raised) {
  struct rlimit now;
  system_call3(SYS_getrlimit, RLIMIT_NOFILE, (long)&now, 0);
  if (now.rlim_cur == raised->rlim_cur && now.rlim_max == raised->rlim_max)
    system_call3(SYS_setrlimit, RLIMIT_NOFILE, (long)limit, 0);
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
    set_back(&limit, &raised);
    if (!system_failed(kept)) return kept;
  }
  uint64_t high = limit.rlim_cur / 4 * 3;
  return system_call3(SYS_fcntl, opened, F_DUPFD_CLOEXEC, (long)(high < HIGHEST ? high : HIGHEST));
}

/* Only a descriptor tells how much an event has counted. */
static bool keeps_descriptor(unsigned event) {
  return measured[event].chosen;
}

static void close_ours(struct thread_event *event) {
  if (still_ours(event)) system_call3(SYS_close, event->descriptor, 0, 0);
}

/* The event lives as long as it is mapped, whoever closes its descriptor, and the one that was
 * mapped there before ends. Addresses stay set aside once the thread has ended, for another may be
 * arming its event just then. -1: no event. */
static bool map(struct thread_event *event, long descriptor, uint32_t pages) {
  bool none = descriptor < 0;
  if (!event->page) event->page = system_memory(2 * EVENT_PAGE);
  event->pages = 0; /* a tick on the way back from the kernel is not to read what has gone */
  bool mapped = event->page &&
                !system_failed(system_call6(
                    SYS_mmap, (long)event->page, pages * EVENT_PAGE,
                    none ? PROT_NONE : PROT_READ | PROT_WRITE,
                    MAP_FIXED | (none ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED), descriptor, 0));
  event->log_read = 0;
  if (mapped && !none) event->pages = pages;
  return mapped;
}

/* With a log where it is of CPU time, but not where the user may lock too little memory for it. */
static bool map_open(struct thread_event *event, long descriptor, bool logs) {
  return (logs && map(event, descriptor, 2)) || map(event, descriptor, 1);
}

/* A limit on the address space that is already exceeded permits no mapping, not even that. */
static void unmap(struct thread_event *event) {
  if (!event->page || map(event, -1, 2)) return;
  system_call3(SYS_munmap, (long)event->page, 2 * EVENT_PAGE, 0);
  event->page = NULL;
}

/* The program may have given up privileges, and see the kernel's CPU time no more. */
static long open_for(unsigned number, uint64_t period, uint32_t tid) {
  bool kernel = measured[number].kernel;
  long opened = open_event(number, period, kernel, tid);
  if (opened != -EACCES || !kernel || !perf_measure_is_cpu_time(&measured[number])) return opened;
  __atomic_fetch_or(&storage_header()->tick_flags, TICK_USER_ONLY, __ATOMIC_RELAXED);
  return open_event(number, period, false, tid);
}

/* False: no new event, and the earlier one goes on. A fork by another thread may copy the
 * descriptor meanwhile: see perf_event_forget. */
static bool arm(struct thread_state *thread, unsigned number, uint64_t period) {
  struct thread_event *event = &thread->events[number];
  uint32_t tid = thread == threads_current() ? 0 : thread->record->tid;
  long opened = open_for(number, period, tid);
  if (system_failed(opened)) return false;
  event->descriptor = (int)opened;
  system_call3(SYS_ioctl, opened, PERF_EVENT_IOC_ID, (long)&event->id);
  event->armed = map_open(event, opened, !measured[number].chosen);
  if (!event->armed) unmap(event); /* what could not be mapped may have left a hole */
  close_ours(event);
  return event->armed;
}

static bool start_kept(struct thread_event *event, unsigned number, uint64_t period) {
  long opened = open_for(number, period, 0);
  if (system_failed(opened)) return false;
  long descriptor = out_of_the_way(opened);
  system_call3(SYS_close, opened, 0, 0);
  if (system_failed(descriptor)) return false;
  map(event, descriptor, 1);
  system_call3(SYS_ioctl, descriptor, PERF_EVENT_IOC_ID, (long)&event->id);
  event->descriptor = (int)descriptor;
  return event->armed = true;
}

bool perf_event_start(struct thread_state *thread, unsigned event, uint64_t period) {
  return keeps_descriptor(event) ? start_kept(&thread->events[event], event, period)
                                 : arm(thread, event, period);
}

/* A last tick may come on the way back from the kernel: it is not to arm the event again. */
static void end(struct thread_event *event) {
  bool armed = event->armed;
  event->armed = false;
  if (armed) unmap(event);
}

void perf_event_stop(struct thread_state *thread) {
  for (unsigned i = 0; i < EVENTS_MOST; i++) {
    struct thread_event *event = &thread->events[i];
    end(event);
    if (keeps_descriptor(i)) close_ours(event);
    event->descriptor = -1;
    event->held = false;
  }
}

bool perf_event_is_armed(const struct thread_state *thread, unsigned event) {
  return thread->events[event].armed;
}

bool perf_event_set_period(struct thread_state *thread, unsigned event, uint64_t period) {
  const struct thread_event *of = &thread->events[event];
  if (!of->armed) return false;
  if (!keeps_descriptor(event)) return arm(thread, event, period);
  return !system_failed(
      system_call3(SYS_ioctl, of->descriptor, PERF_EVENT_IOC_PERIOD, (long)&period));
}

void perf_event_renew(struct thread_state *thread, unsigned number, uint64_t period) {
  struct thread_event *event = &thread->events[number];
  if (!perf_event_set_period(thread, number, period)) return;
  event->period = event->stands_for = period;
  thread->owed_ns = 0;
}

void perf_event_enable(struct thread_state *thread, bool enabled) {
  for (unsigned i = 0; i < EVENTS_MOST; i++) {
    struct thread_event *event = &thread->events[i];
    if (keeps_descriptor(i)) {
      if (still_ours(event))
        system_call3(SYS_ioctl, event->descriptor,
                     enabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
    } else if (!enabled && event->armed) {
      end(event);
      event->held = true;
    } else if (enabled && event->held) {
      event->held = !arm(thread, i, event->period);
    }
  }
}

bool perf_event_count(const struct thread_state *thread, unsigned event, uint64_t *count) {
  const struct thread_event *of = &thread->events[event];
  uint64_t value;
  if (!keeps_descriptor(event) || !still_ours(of) ||
      system_call3(SYS_read, of->descriptor, (long)&value, sizeof value) != sizeof value)
    return false;
  *count = value;
  return true;
}

/* ---- the log of the clock: where its periods ended ---- */

union log_record {
  uint64_t words[3];
  struct {
    struct perf_event_header header;
    uint64_t pc;
    uint64_t lost; /* of PERF_RECORD_LOST: how many records had no room */
  };
};

/* Records wrap around at the end of the log. */
static union log_record log_record(const struct thread_event *event, uint64_t at) {
  const char *log = (const char *)event->page + EVENT_PAGE;
  union log_record record;
  for (unsigned i = 0; i < 3; i++)
    record.words[i] = *(const uint64_t *)(log + (at + i * sizeof *record.words) % EVENT_PAGE);
  return record;
}

static bool is_in_kernel(const union log_record *record) {
  return (record->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
}

bool perf_event_take(struct thread_state *thread, unsigned event, uint64_t pc,
                     struct ended_periods *ended) {
  struct thread_event *of = &thread->events[event];
  struct perf_event_mmap_page *page = of->page;
  *ended = (struct ended_periods){0};
  if (of->pages < 2) return false;
  /* Until now the kernel has kept what was read last. */
  __atomic_store_n(&page->data_tail, of->log_read, __ATOMIC_RELEASE);
  uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), at = of->log_read;
  ended->from = at;
  while (at < head) {
    union log_record record = log_record(of, at);
    if (!record.header.size) break;
    if (record.header.type == PERF_RECORD_LOST)
      *(of->log_in_user ? &ended->lost : &ended->in_kernel) += record.lost;
    else if (is_in_kernel(&record))
      ended->in_kernel++;
    else {
      ended->in_user++;
      ended->held += pc && record.pc != pc;
    }
    at += record.header.size;
  }
  of->log_in_user = ended->in_user > ended->in_kernel;
  of->log_read = ended->to = at;
  return true;
}

uint64_t perf_event_next_held(const struct thread_state *thread, unsigned event, uint64_t pc,
                              struct ended_periods *ended) {
  while (ended->from < ended->to) {
    union log_record record = log_record(&thread->events[event], ended->from);
    if (!record.header.size) return 0; /* another thread has armed the event anew */
    ended->from += record.header.size;
    if (record.header.type == PERF_RECORD_LOST || is_in_kernel(&record)) continue;
    if (record.pc != pc) return record.pc;
  }
  return 0;
}

void perf_event_forget(struct thread_state *inherited) {
  for (unsigned i = 0; i < EVENTS_MOST; i++)
    close_ours(&inherited->events[i]);
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
