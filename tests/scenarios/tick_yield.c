/* How many of its ticks a processor delivers: tick_yield PERIOD_NS, until SIGTERM.
 *
 * On a virtual machine whose processor is taken away, CPU time goes on and the timer of a perf
 * event comes late: one tick then stands for several periods.  This program burns CPU time beside
 * a recorded one, with an event of the same period that nobody but the kernel counts, and prints
 * the share of its periods that had a tick. */
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, RING_PAGES = 512, TICK_BYTES = sizeof(struct perf_event_header) };

static volatile sig_atomic_t ended;

static void end(int number) {
  (void)number;
  ended = 1;
}

static double cpu_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int count, char **arguments) {
  struct perf_event_attr event = {
      .type = PERF_TYPE_SOFTWARE,
      .size = sizeof event,
      .config = PERF_COUNT_SW_CPU_CLOCK,
      .sample_period = count > 1 ? strtoul(arguments[1], NULL, 10) : 0,
  };
  int descriptor = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, 0);
  if (descriptor < 0 || event.sample_period == 0) return perror("tick_yield"), 1;
  struct perf_event_mmap_page *ring = mmap(NULL, (size_t)(1 + RING_PAGES) * PAGE,
                                           PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (ring == MAP_FAILED) return perror("tick_yield"), 1;
  signal(SIGTERM, end);

  double ns = -cpu_ns();
  unsigned long long written = ring->data_head;
  while (!ended) {
    unsigned long long unread = ring->data_head - ring->data_tail;
    if (unread > RING_PAGES / 2 * PAGE) ring->data_tail = ring->data_head;
  }
  ns += cpu_ns();
  written = ring->data_head - written;
  printf("%.3f\n", (double)(written / TICK_BYTES) * (double)event.sample_period / ns);
  return 0;
}
