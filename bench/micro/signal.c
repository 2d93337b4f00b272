/* What a tick costs whose handler does nothing: the interrupt, the signal, the way back.
 *
 *     signal RATE SECONDS
 *
 * The same work is done in slices of CPU time, with the clock running and without in turn.  For
 * each pair of slices one line: microseconds that the work without ticks would have been done in, a
 * tick. The clock is that of the sampler, perf's task-clock with SIGTRAP, or a CPU timer where the
 * kernel permits none: the first line says which. */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SLICE_NS 10000000

static volatile uint64_t ticks;
static volatile uint64_t sink;
static int event = -1;
static timer_t timer;

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static void handler(int number) {
  (void)number;
  ticks++;
}

static bool start_event(uint64_t period_ns) {
  struct perf_event_attr attr = {
      .type = PERF_TYPE_SOFTWARE,
      .size = sizeof attr,
      .config = PERF_COUNT_SW_TASK_CLOCK,
      .sample_period = period_ns,
      .disabled = 1,
      .exclude_kernel = 1,
      .exclude_hv = 1,
      .remove_on_exec = 1,
      .sigtrap = 1,
  };
  event = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  return event >= 0;
}

static void run_clock(uint64_t period_ns, bool on) {
  if (event >= 0) {
    ioctl(event, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
    return;
  }
  struct timespec period = {0, on ? (long)period_ns : 0};
  struct itimerspec each = {period, period};
  timer_settime(timer, 0, &each, NULL);
}

/* Pieces of work a nanosecond of CPU time. */
static double speed(void) {
  uint64_t begin = now(), end = begin, pieces = 0;
  for (; end - begin < SLICE_NS; end = now(), pieces++)
    for (int i = 0; i < 5000; i++)
      sink += i;
  return (double)pieces / (end - begin);
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  uint64_t period_ns = 1000000000 / strtoul(arguments[1], NULL, 10);
  uint64_t end = now() + strtoul(arguments[2], NULL, 10) * 1000000000ull;
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  struct sigevent notice = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF};
  sigaction(SIGTRAP, &action, NULL);
  sigaction(SIGPROF, &action, NULL);
  if (start_event(period_ns))
    puts("perf_event task-clock");
  else if (timer_create(CLOCK_THREAD_CPUTIME_ID, &notice, &timer) == 0)
    puts("CPU timer");
  else
    return 1;
  speed();
  while (now() < end) {
    uint64_t before = ticks;
    double without = speed();
    run_clock(period_ns, true);
    double with = speed();
    run_clock(period_ns, false);
    uint64_t met = ticks - before;
    if (met) printf("%.3f\n", (1 - with / without) * SLICE_NS / met / 1000);
  }
  return 0;
}
