/* gprof's assumption on the same data, and where it misleads. */
#include "attribution/average_time.h"

#include <stdlib.h>

#include "attribution/misled.h"
#include "check.h"
#include "profile_fixture.h"

static struct program program;

static double assumed(const struct average_time *average, const char *name) {
  return average_time_of(average, program_function(&program, name)) / 1e6;
}

static void easy_and_hard(void) {
  program_start(&program);
  program_calls(&program, "main easy work");
  program_tick(&program, 10);
  program_return(&program);
  program_return(&program);
  program_calls(&program, "hard work");
  program_tick(&program, 990);
  struct profile *profile = program_so_far(&program);
  struct costs *costs = costs_compute(profile, NULL);
  struct average_time *average = average_time_compute(profile, costs, NULL);
  CHECK(assumed(average, "easy") == 500);
  CHECK(assumed(average, "hard") == 500);
  CHECK(assumed(average, "work") == 1000);
  CHECK(assumed(average, "main") == 1000);

  struct books books;
  size_t count;
  books_make(profile, &books);
  struct misled *list = misled_find(profile, costs, NULL, &books, &count);
  CHECK_EQUAL(count, 6); /* easy, hard, and the arcs to and from each */
  for (size_t i = 0; i < count; i++) {
    CHECK_EQUAL(list[i].assumed_ns, 500000000);
    CHECK(list[i].function != program_function(&program, "work"));
    CHECK(!list[i].in_cycle);
  }
  CHECK_EQUAL(list[0].function, program_function(&program, "easy"));
  CHECK_EQUAL(list[0].truth.ns, 10000000);
  free(list);
  average_time_free(average);
  costs_free(costs);
  profile_free(program_end(&program));
}

/* Equal calls at equal cost: gprof is right, and nothing is listed. */
static void nothing_misleads(void) {
  program_start(&program);
  program_calls(&program, "main");
  for (int i = 0; i < 20; i++) {
    program_calls(&program, i % 2 ? "a work" : "b work");
    program_tick(&program, 10);
    program_return(&program);
    program_return(&program);
  }
  struct costs *costs = costs_compute(program_so_far(&program), NULL);
  struct books books;
  size_t count;
  books_make(program.profile, &books);
  free(misled_find(program.profile, costs, NULL, &books, &count));
  CHECK_EQUAL(count, 0);
  costs_free(costs);
  profile_free(program_end(&program));
}

/* The only call into a cycle has all of its time, as gprof says, however often its members call
 * each other. */
static void calls_into_cycles(void) {
  program_start(&program);
  program_calls(&program, "main P");
  program_tick(&program, 10);
  program_calls(&program, "Q P Q P Q");
  program_tick(&program, 500);
  struct profile *profile = program_so_far(&program);
  struct costs *costs = costs_compute(profile, NULL);
  struct books books;
  size_t count;
  books_make(profile, &books);
  struct misled *list = misled_find(profile, costs, NULL, &books, &count);
  for (size_t i = 0; i < count; i++)
    CHECK_EQUAL(list[i].arc, NOTHING);
  free(list);
  costs_free(costs);
  profile_free(program_end(&program));
}

/* Members of a cycle: their own time and what leaves the cycle; callers get shares of the whole. */
static void cycle_is_lumped(void) {
  program_start(&program);
  program_calls(&program, "main P Q P S");
  program_tick(&program, 30);
  program_return(&program);
  program_tick(&program, 10);
  program_thread(&program, "second");
  program_calls(&program, "other Q");
  program_tick(&program, 60);
  struct costs *costs = costs_compute(program_so_far(&program), NULL);
  struct average_time *average = average_time_compute(program.profile, costs, NULL);
  uint32_t p = program_function(&program, "P"), q = program_function(&program, "Q");
  CHECK(average->graph.nodes[p].cycle &&
        average->graph.nodes[p].cycle == average->graph.nodes[q].cycle);
  CHECK(assumed(average, "P") == 40);
  CHECK(assumed(average, "Q") == 60);
  CHECK(assumed(average, "main") == 50); /* one of the two calls into the cycle */
  CHECK(assumed(average, "other") == 50);
  average_time_free(average);
  costs_free(costs);
  profile_free(program_end(&program));
}

int main(void) {
  easy_and_hard();
  nothing_misleads();
  calls_into_cycles();
  cycle_is_lumped();
  return check_result();
}
