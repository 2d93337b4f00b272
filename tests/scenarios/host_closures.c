/* What a lazy host allocates and has live, told in all ways, the wrong ones too. */
#include <ascribe/host.h>

#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MORE_THAN_FIT = 9000 };

void moncontrol(int mode);

static ascribe_cost_centre foo, bar;
static ascribe_closure cons, thunk, function, partial, nameless;
static uint32_t in_foo, in_bar;

static void allocate(ascribe_closure closure, int count) {
  for (int i = 0; i < count; i++)
    ascribe_allocated(closure);
}

static void add(ascribe_closure closure, uint32_t centre, int count) {
  for (int i = 0; i < count; i++)
    ascribe_census_add(closure, centre);
}

static void take_censuses(void) {
  ascribe_census_begin();
  ascribe_census_end(); /* nothing is live */
  ascribe_census_begin();
  add(cons, in_foo, 300);
  add(thunk, in_bar, 5);
  ascribe_census_end();
  ascribe_census_begin();
  add(cons, in_foo, 1000); /* it never ends */
  ascribe_census_begin();
  add(cons, in_foo, 100);
  add(thunk, in_bar, 2);
  add(nameless, 0, 1);
  ascribe_census_end();
  add(cons, in_foo, 77); /* in none */
  ascribe_census_end();
}

/* What is added in the pause would be missing. */
static void take_census_in_pause(void) {
  ascribe_census_begin();
  add(cons, in_foo, 10);
  moncontrol(0);
  add(cons, in_foo, 10);
  moncontrol(1);
  add(cons, in_foo, 10);
  ascribe_census_end();
}

/* A heap of its own, and a thunk that the main thread enters at the same time. */
static void *evaluate(void *unused) {
  (void)unused;
  uint32_t demander = ascribe_enter_thunk(in_bar);
  allocate(thunk, 1000);
  ascribe_update(demander);
  ascribe_census_begin();
  add(function, in_foo, 50);
  ascribe_census_end();
  return NULL;
}

static void in_threads(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, evaluate, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
}

static void in_child(void) {
  pid_t pid = fork();
  if (pid == 0) {
    allocate(cons, 7);
    ascribe_census_begin();
    add(partial, 0, 3);
    ascribe_census_end();
    _exit(0);
  }
  waitpid(pid, NULL, 0);
}

static void nonsense(void) {
  static const ascribe_closure none[] = {0, 7, ~0ull, 1ull << 40};
  for (int i = 0; i < 4; i++)
    allocate(none[i], 2);
  allocate(nameless + 1, 1); /* it is not there yet */
  ascribe_scc(cons);
  ascribe_census_begin();
  add(none[1], in_foo, 3);
  for (int i = 0; i < MORE_THAN_FIT; i++)
    ascribe_census_add(ascribe_host_closure(ASCRIBE_THUNK, "many", 8), in_foo);
  ascribe_census_end(); /* with less than it was to have */
}

int main(void) {
  if (ascribe_host_closure(ASCRIBE_THUNK, "before the beginning", 8)) puts("begun");
  ascribe_host_begin();
  foo = ascribe_host_centre("foo", "Main", "/main.stg", 1);
  bar = ascribe_host_centre("bar", "Main", "/main.stg", 2);
  cons = ascribe_host_closure(ASCRIBE_CONSTRUCTOR, "Cons", 24);
  thunk = ascribe_host_closure(ASCRIBE_THUNK, "map", 32);
  function = ascribe_host_closure(ASCRIBE_FUNCTION, "map", 16);
  partial = ascribe_host_closure(ASCRIBE_PARTIAL_APPLICATION, "PAP", 40);
  if (ascribe_host_closure((enum ascribe_closure_kind)9, "no kind", 8) ||
      ascribe_host_closure(ASCRIBE_THUNK, "too large", 1ull << 48))
    puts("defined");
  nameless = ascribe_host_closure(ASCRIBE_THUNK, NULL, 0);
  uint32_t outside = ascribe_scc(foo);
  in_foo = ascribe_allocated(cons);
  if (in_foo != ascribe_built()) puts("another centre");
  allocate(cons, 999);
  ascribe_scc(bar);
  in_bar = ascribe_built();
  allocate(thunk, 500);
  allocate(partial, 20);
  ascribe_restore(outside);
  allocate(nameless, 3);
  allocate(function, 1);
  take_censuses();
  take_census_in_pause();
  in_threads();
  in_child();
  nonsense();
  puts("right");
  return 0;
}
