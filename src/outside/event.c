#include "outside/event.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "outside/kernel_record.h"

enum { FORMAT_LOST = 1 << 4 }; /* PERF_FORMAT_LOST, which older headers lack */

static int open_event(struct perf_event_attr *attr, int tid, int cpu) {
  attr->size = sizeof *attr;
  attr->exclude_hv = 1;
  /* One clock for all buffers, and for us. */
  attr->use_clockid = 1;
  attr->clockid = CLOCK_MONOTONIC;
  return (int)syscall(SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The kernel counts ticks between two of its own, and stops an event that has more than its share
 * of this rate: half of it lets all through. */
static uint32_t rate_most(void) {
  uint32_t rate = 0;
  FILE *file = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");
  if (file && fscanf(file, "%" SCNu32, &rate) != 1) rate = 0;
  if (file) fclose(file);
  return rate > 1 ? rate / 2 : UINT32_MAX;
}

struct event event_of_time(uint32_t rate_hz) {
  uint32_t random = 0, most = rate_most();
  uint64_t mean = 1000000000u / (rate_hz < most ? rate_hz : most);
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random)
    random = (uint32_t)getpid();
  return (struct event){.type = PERF_TYPE_SOFTWARE,
                        .config = PERF_COUNT_SW_TASK_CLOCK,
                        .period = mean - mean / 10 + random % (mean / 5)};
}

int event_open(const struct event *event, int tid, int cpu) {
  struct perf_event_attr attr = {
      .type = event->type,
      .config = event->config,
      .sample_period = event->period,
      .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
                     PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
      .sample_regs_user = KERNEL_RECORD_REGISTERS,
      .sample_stack_user = event->stack_bytes,
      .sample_id_all = 1,
      .read_format = event->tells_lost ? FORMAT_LOST : 0,
      .exclude_kernel = !event->kernel,
      .inherit = 1,
      .inherit_stat = 1, /* each thread's count, when it ends */
      .disabled = event->from_exec,
      .enable_on_exec = event->from_exec,
      .mmap = 1,
      .mmap2 = 1,
      .build_id = 1,
      .comm = 1,
      .comm_exec = 1,
      .task = 1,
  };
  return open_event(&attr, tid, cpu);
}

int event_open_buffer(int cpu, uint32_t buffer_bytes) {
  struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                 .config = PERF_COUNT_SW_DUMMY,
                                 .exclude_kernel = 1,
                                 .watermark = 1,
                                 .wakeup_watermark = buffer_bytes / 4};
  return open_event(&attr, 0, cpu);
}

static bool is_permitted(struct perf_event_attr attr) {
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_TASK_CLOCK;
  attr.disabled = 1;
  int descriptor = open_event(&attr, 0, -1);
  if (descriptor < 0) return false;
  close(descriptor);
  return true;
}

bool event_kernel_permitted(void) {
  return is_permitted((struct perf_event_attr){0});
}

bool event_lost_permitted(void) {
  return is_permitted((struct perf_event_attr){.exclude_kernel = 1, .read_format = FORMAT_LOST});
}

struct event_sums event_read(int descriptor) {
  struct event_sums sums = {0};
  return read(descriptor, &sums, sizeof sums) < (ssize_t)sizeof sums.count ? (struct event_sums){0}
                                                                           : sums;
}

static int paranoid_level(void) {
  int level = 0;
  FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
  if (!file) return 0;
  if (fscanf(file, "%d", &level) != 1) level = 0;
  fclose(file);
  return level;
}

int event_refusal(int number, struct error *error) {
  int level = paranoid_level();
  if ((number == EACCES || number == EPERM) && level > 2)
    return error_set(error,
                     "perf_event_open refused (kernel.perf_event_paranoid=%d): sudo sysctl "
                     "kernel.perf_event_paranoid=2 allows it; ascribe record without --perf needs "
                     "no permission",
                     level);
  if (number == EACCES || number == EPERM || number == ENOSYS)
    return error_set(error,
                     "perf_event_open refused (%s), though kernel.perf_event_paranoid=%d permits "
                     "it: a container's seccomp filter, or a security module; ascribe record "
                     "without --perf needs no permission",
                     strerror(number), level);
  return error_set(error, "perf_event_open failed: %s", strerror(number));
}
