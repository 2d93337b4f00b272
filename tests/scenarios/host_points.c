/* A language host that counts what it executes (host_points.py), and keeps a place word only:
 *
 *   host_points SCRIPT plain|kill|exec|fork|lost|threads|pause|wrong|many
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ascribe/host.h"

void moncontrol(int mode);

enum { SUM, BODY, LOOP_ENTRY, LOOP_TRIP, IS_ODD, IS_EVEN, ODD, CALL, NEVER, POINTS };

static uint32_t world, file;
static ascribe_point points[POINTS];
static uint64_t nobody[POINTS]; /* where nothing is recorded */

static ascribe_point place(int within, enum ascribe_place_kind kind, uint32_t line, uint32_t column,
                           uint32_t end_column) {
  return ascribe_host_place(points[within], kind, ascribe_range_of(line, column, line, end_column));
}

/* The script is host_points.py's. */
static void define_script(const char *path) {
  world = ascribe_host_world("sums");
  file = ascribe_host_file(world, path);
  points[SUM] = ascribe_host_function(world, "sum", file, ascribe_range_of(1, 1, 7, 11));
  points[BODY] = ascribe_host_place(points[SUM], ASCRIBE_EXPRESSION, ascribe_range_of(2, 3, 6, 8));
  points[LOOP_ENTRY] = place(SUM, ASCRIBE_LOOP_ENTRY, 3, 9, 14);
  points[LOOP_TRIP] = place(SUM, ASCRIBE_LOOP_TRIP, 3, 9, 14);
  points[IS_ODD] = place(BODY, ASCRIBE_BRANCH_TRUE, 4, 9, 15);
  points[IS_EVEN] = place(BODY, ASCRIBE_BRANCH_FALSE, 4, 9, 15);
  points[ODD] = place(BODY, ASCRIBE_EXPRESSION, 4, 17, 27);
  points[CALL] = place(BODY, ASCRIBE_CALL, 5, 7, 14);
  points[NEVER] = ascribe_host_function(world, "never", file, ascribe_range_of(8, 1, 9, 8));
}

static volatile uint64_t *counters(void) {
  volatile uint64_t *made = ascribe_host_counters(points, POINTS);
  return made ? made : nobody;
}

static void run(volatile uint64_t *counts, int times) {
  ascribe_count(&counts[SUM]);
  ascribe_count(&counts[BODY]);
  ascribe_count(&counts[LOOP_ENTRY]);
  for (int i = 1; i <= times; i++) {
    ascribe_count(&counts[LOOP_TRIP]);
    if (i % 2) {
      ascribe_count(&counts[IS_ODD]);
      ascribe_count(&counts[ODD]);
    } else {
      ascribe_count(&counts[IS_EVEN]);
    }
    ascribe_count(&counts[CALL]);
  }
}

static void *run_thread(void *unused) {
  (void)unused;
  run(counters(), 1000);
  return NULL;
}

static void run_threads(void) {
  pthread_t threads[5];
  for (int i = 0; i < 5; i++)
    pthread_create(&threads[i], NULL, run_thread, NULL);
  for (int i = 0; i < 5; i++)
    pthread_join(threads[i], NULL);
}

/* The child counts where its parent did, and elsewhere. */
static void run_forked(void) {
  volatile uint64_t *counts = counters();
  run(counts, 10);
  pid_t child = fork();
  run(counts, 100);
  if (child == 0) {
    run(counters(), 1000);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

/* A child that has no room for a recording. */
static void run_lost(void) {
  struct rlimit none = {4096, 4096};
  volatile uint64_t *counts = counters();
  run(counts, 10);
  setrlimit(RLIMIT_FSIZE, &none);
  signal(SIGXFSZ, SIG_IGN);
  pid_t child = fork();
  run(counts, 100);
  if (child == 0) {
    run(counters(), 1000);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

static void run_paused(void) {
  volatile uint64_t *counts = counters();
  run(counts, 10);
  moncontrol(0);
  run(counts, 100);
  volatile uint64_t *others = counters();
  run(others, 100);
  moncontrol(1);
  run(counts, 1000);
  run(others, 10000);
  moncontrol(0);
  run(others, 100);
}

/* What makes no sense counts for nobody. */
static void run_wrong(void) {
  ascribe_point wrong[POINTS];
  for (int i = 0; i < POINTS; i++)
    wrong[i] = i == SUM ? points[SUM] : points[i] + 123456;
  wrong[ODD] = 0;
  volatile uint64_t *counts = ascribe_host_counters(wrong, POINTS);
  run(counts ? counts : nobody, 10);
  if (ascribe_host_counters(points, 0) || ascribe_host_counters(points, 1u << 30)) exit(1);
  if (ascribe_host_place(points[SUM], (enum ascribe_place_kind)7, ascribe_range_at(1, 1))) exit(1);
  if (ascribe_host_place(points[SUM], (enum ascribe_place_kind)0, ascribe_range_at(1, 1))) exit(1);
}

/* More than there may be, and one that is forgotten: its counters count for nobody. */
static void define_many(void) {
  ascribe_point last = 1;
  for (uint32_t i = 0; last && i < 1 << 21; i++)
    last = ascribe_host_function(world, "one of many", file, ascribe_range_at(i, 1));
  if (ascribe_host_recorded() && last) exit(1);
  volatile uint64_t *before = counters();
  run(before, 10);
  ascribe_host_forget(&points[SUM], 1);
  run(before, 1);
  run(counters(), 10);
  for (int i = 0; i < 5; i++) /* a number that was never given out, above all that are */
    ascribe_leave(ascribe_enter(points[NEVER] + (1 << 21), 0));
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  const char *how = arguments[2];
  ascribe_host_begin();
  define_script(arguments[1]);
  if (strcmp(how, "plain") == 0) run(counters(), 1001);
  if (strcmp(how, "kill") == 0) run(counters(), 1001), raise(SIGKILL);
  if (strcmp(how, "exec") == 0) run(counters(), 1001), execl("/bin/echo", "echo", "done", NULL);
  if (strcmp(how, "many") == 0) define_many();
  if (strcmp(how, "fork") == 0) run_forked();
  if (strcmp(how, "lost") == 0) run_lost();
  if (strcmp(how, "threads") == 0) run_threads();
  if (strcmp(how, "pause") == 0) run_paused();
  if (strcmp(how, "wrong") == 0) run_wrong();
  puts("done");
  return 0;
}
