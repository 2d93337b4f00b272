/* Nanoseconds of what a language host does at a call. */
#include <ascribe/host.h>

#include "loops.h"

static ascribe_point points[64];
static uint64_t nobody; /* where nothing is recorded */
static volatile uint64_t *counter = &nobody;

KEEP static void call(void) {
  for (int i = 0; i < ROUNDS; i++) {
    uint32_t caller = ascribe_enter(points[0], 0);
    sink = i;
    ascribe_leave(caller);
  }
}

/* A function with as many callees and call sites. */
KEEP static void calls(void) {
  for (int i = 0; i < ROUNDS; i++) {
    uint32_t caller = ascribe_enter(points[i % 64], points[i % 64]);
    sink = i;
    ascribe_leave(caller);
  }
}

KEEP static void put_back(void) {
  uint32_t own = ascribe_context();
  for (int i = 0; i < ROUNDS; i++) {
    ascribe_leave(own);
    sink = i;
  }
}

KEEP static void count(void) {
  for (int i = 0; i < ROUNDS; i++) {
    ascribe_count(counter);
    sink = i;
  }
}

static ascribe_closure closure;

KEEP static void thunk(void) {
  uint32_t built = ascribe_built();
  for (int i = 0; i < ROUNDS; i++) {
    uint32_t demander = ascribe_enter_thunk(built);
    sink = i;
    built = ascribe_update(demander);
  }
}

KEEP static void allocate(void) {
  for (int i = 0; i < ROUNDS; i++) {
    ascribe_allocated(closure);
    sink = i;
  }
}

KEEP static void census(void) {
  uint32_t centre = ascribe_built();
  ascribe_census_begin();
  for (int i = 0; i < ROUNDS; i++) {
    ascribe_census_add(closure, centre);
    sink = i;
  }
  ascribe_census_end();
}

int main(void) {
  void (*const loops[])(void) = {call, calls, put_back, count, thunk, allocate, census};
  ascribe_host_begin();
  uint32_t world = ascribe_host_world("benchmark");
  for (uint32_t i = 0; i < 64; i++)
    points[i] = ascribe_host_function(world, "function", 0, ascribe_range_at(i + 1, 1));
  volatile uint64_t *made = ascribe_host_counters(points, 1);
  if (made) counter = made;
  closure = ascribe_host_closure(ASCRIBE_CONSTRUCTOR, "Cons", 40);
  ascribe_scc(ascribe_host_centre("centre", "benchmark", "", 0));
  print_loops(loops, 7);
  return 0;
}
