/* What may happen to a language host (host_api.py):
 *
 *   host_faults tail|fork|signal|threads|own|pause|null|back|children|unload LIBRARY|outside
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ascribe/host.h"

void moncontrol(int mode);

static volatile uint64_t executed;
static uint32_t world;
static ascribe_point f, g, handled;

static void run(ascribe_point function, int times, int instructions) {
  for (int i = 0; i < times; i++) {
    uint32_t caller = ascribe_enter(function, 0);
    __atomic_fetch_add(&executed, (uint64_t)instructions, __ATOMIC_RELAXED);
    ascribe_leave(caller);
  }
}

static void handle(int signal) {
  (void)signal;
  run(handled, 1, 10);
}

/* Interrupts what it finds: the clock is read amid a read of it. */
static void be_interrupted(void) {
  struct itimerval timer = {{0, 100}, {0, 100}}, none = {{0, 0}, {0, 0}};
  signal(SIGALRM, handle);
  setitimer(ITIMER_REAL, &timer, NULL);
  run(f, 300000, 10);
  setitimer(ITIMER_REAL, &none, NULL);
}

static void *run_thread(void *unused) {
  (void)unused;
  run(f, 20000, 10);
  return NULL;
}

/* With a clock of its own. */
static void *run_own(void *unused) {
  static __thread volatile uint64_t own;
  (void)unused;
  ascribe_host_thread_clock(&own, NULL);
  for (int i = 0; i < 20000; i++) {
    uint32_t caller = ascribe_enter(f, 0);
    own += 10;
    ascribe_leave(caller);
  }
  return NULL;
}

static void run_threads(void *(*main)(void *)) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, main, NULL);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
}

static void run_forked(void) {
  uint32_t caller = ascribe_enter(f, 0);
  executed += 1000000;
  pid_t child = fork();
  ascribe_leave(caller);
  if (child == 0) {
    run(g, 1, 500);
    exit(0);
  }
  waitpid(child, NULL, 0);
}

static void run_paused(void) {
  run(f, 1, 1000);
  uint32_t caller = ascribe_enter(f, 0);
  executed += 10;
  moncontrol(0);
  executed += 1000000;
  moncontrol(1);
  executed += 7;
  ascribe_leave(caller);
}

/* A child that has no room for a recording defines functions; so does its parent afterwards. */
static void define_in_child(void) {
  struct rlimit none = {4096, 4096};
  pid_t child = fork();
  if (child == 0) {
    setrlimit(RLIMIT_FSIZE, &none);
    signal(SIGXFSZ, SIG_IGN);
    if (fork() == 0)
      run(ascribe_host_function(world, "of-the-child", 0, ascribe_range_at(0, 0)), 3, 1);
    while (wait(NULL) > 0)
      ;
    _exit(0);
  }
  waitpid(child, NULL, 0);
  run(ascribe_host_function(world, "of-the-parent", 0, ascribe_range_at(0, 0)), 5, 1);
}

static void pass_nothing(void) {
  uint32_t file = ascribe_host_file(world, NULL);
  ascribe_host_world(NULL);
  run(ascribe_host_function(world, NULL, file, ascribe_range_at(1, 1)), 5, 1);
  ascribe_host_clock(NULL, NULL);
}

/* A clock that begins anew in the middle of a function. */
static void go_back(void) {
  run(f, 3, 1000);
  uint32_t caller = ascribe_enter(f, 0);
  executed = 500;
  ascribe_leave(caller);
  run(f, 1, 7);
}

/* The library's clock goes with it. */
static void unload(const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  int (*play)(int) = (int (*)(int))dlsym(library, "play");
  if (play) play(10);
  dlclose(library);
  run(f, 10, 10);
}

static volatile unsigned long sink;

__attribute__((noinline, section("own_loop"))) static void burn(void) {
  for (unsigned long i = 0; i < 150000000; i++)
    sink = i;
}
extern const char __start_own_loop[], __stop_own_loop[];

/* Code of no object is met before a library that is named as the host's own code. */
static void run_outside(const char *path) {
  static const unsigned char loop[] = {0xb9, 0, 0, 0, 8, 0xff, 0xc9, 0x75, 0xfc, 0xc3};
  void *code =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(code, loop, sizeof loop);
  ((void (*)(void))code)();
  void *library = dlopen(path, RTLD_NOW);
  void (*work)(void) = (void (*)(void))dlsym(library, "work");
  ascribe_host_own_code((const char *)work, (const char *)work + 64);
  uint32_t caller = ascribe_enter(f, 0);
  work();
  ascribe_leave(caller);
  caller = ascribe_enter(g, 0);
  ascribe_host_own_code(__start_own_loop, __stop_own_loop);
  burn();
  ascribe_leave(caller);
}

int main(int count, char **arguments) {
  const char *how = count > 1 ? arguments[1] : "";
  ascribe_host_begin();
  world = ascribe_host_world("w");
  f = ascribe_host_function(world, "f", 0, ascribe_range_at(0, 0));
  g = ascribe_host_function(world, "g", 0, ascribe_range_at(0, 0));
  handled = ascribe_host_function(world, "handled", 0, ascribe_range_at(0, 0));
  if (strcmp(how, "unload") != 0) ascribe_host_clock(&executed, "instructions");
  if (strcmp(how, "tail") == 0) {
    ascribe_enter(f, 0);
    executed += 1000000;
    exit(0);
  }
  if (strcmp(how, "fork") == 0) run_forked();
  if (strcmp(how, "signal") == 0) be_interrupted();
  if (strcmp(how, "threads") == 0) run_threads(run_thread);
  if (strcmp(how, "own") == 0) run_threads(run_own);
  if (strcmp(how, "pause") == 0) run_paused();
  if (strcmp(how, "null") == 0) pass_nothing();
  if (strcmp(how, "back") == 0) go_back();
  if (strcmp(how, "children") == 0) define_in_child();
  if (strcmp(how, "unload") == 0) unload(arguments[2]);
  if (strcmp(how, "outside") == 0) run_outside(arguments[2]);
  fprintf(stderr, "%lu instructions\n", (unsigned long)executed);
  return 0;
}
