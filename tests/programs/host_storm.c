/* A language host in four threads, and 5000 signals a second whose handler is one, too: each call
 * is counted, wherever a signal comes.
 * EXPECT compile -pthread
 * EXPECT output done
 * EXPECT calls outer 8
 * EXPECT calls inner 800000
 * EXPECT calls counted 800000
 * EXPECT arc outer inner 800000
 */
#include "program.h"

#include <ascribe/host.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

enum { THREADS = 4, ROUNDS = 100000 };

static ascribe_point outer, inner, site, handled, counters[2];
static __thread volatile uint64_t *counts;
static __thread volatile ascribe_point running;
static long signals;

static void handle(int signal) {
  (void)signal;
  uint32_t own = ascribe_context();
  ascribe_enter(handled, site);
  if (counts) {
    ascribe_count(&counts[1]);
    __atomic_fetch_add(&signals, 1, __ATOMIC_RELAXED);
  } else {
    __atomic_fetch_add(&signals, 1ul << 32, __ATOMIC_RELAXED);
  }
  ascribe_leave(own);
}

static void run(void) {
  uint32_t caller = ascribe_enter(outer, 0), own = ascribe_context();
  for (int i = 0; i < ROUNDS; i++) {
    running = i % 2 ? inner : site;
    uint32_t back = ascribe_enter(inner, site);
    if (counts) ascribe_count(&counts[0]);
    ascribe_leave(i % 3 ? back : own);
  }
  ascribe_leave(caller);
}

static void *run_thread(void *unused) {
  (void)unused;
  ascribe_host_running(&running);
  for (int i = 0; i < 2; i++) {
    counts = ascribe_host_counters(counters, 2);
    run();
  }
  ascribe_host_running(NULL);
  return NULL;
}

int main(void) {
  struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, NULL);
  ascribe_host_begin();
  uint32_t world = ascribe_host_world("script"), file = ascribe_host_file(world, "/script");
  outer = ascribe_host_function(world, "outer", file, ascribe_range_at(1, 1));
  inner = ascribe_host_function(world, "inner", file, ascribe_range_at(2, 1));
  handled = ascribe_host_function(world, "handled", file, ascribe_range_at(3, 1));
  counters[0] = ascribe_host_function(world, "counted", file, ascribe_range_at(4, 1));
  counters[1] = ascribe_host_function(world, "in-handler", file, ascribe_range_at(5, 1));
  site = ascribe_host_place(outer, ASCRIBE_CALL, ascribe_range_of(1, 5, 1, 9));
  setitimer(ITIMER_REAL, &often, NULL);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, run_thread, NULL);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  setitimer(ITIMER_REAL, &never, NULL);
  expect("calls handled %ld", (signals >> 32) + (signals & 0xffffffff));
  if (ascribe_host_recorded()) expect("calls in-handler %ld", signals & 0xffffffff);
  puts("done");
  return 0;
}
