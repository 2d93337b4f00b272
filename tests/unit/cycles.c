/* The cycles that occurred. */
#include "attribution/cycles.h"

#include "check.h"
#include "profile_fixture.h"

static struct program program;

static void check_cycle(int line, const struct cycle *cycle, const char *names, uint64_t calls) {
  char text[200] = "";
  for (uint32_t i = 0; i < cycle->length; i++) {
    if (i) strcat(text, " ");
    strcat(text, cycle->functions[i] == NOTHING
                     ? "..."
                     : program.profile->functions[cycle->functions[i]].name);
  }
  check_text(__FILE__, line, "cycle", text, names);
  check_equal(__FILE__, line, "calls", cycle->calls, calls);
}

static struct cycles *cycles_of(const char *names) {
  program_start(&program);
  program_calls(&program, names);
  return cycles_find(program_so_far(&program), NULL);
}

static void end(struct cycles *cycles) {
  cycles_free(cycles);
  profile_free(program_end(&program));
}

static void no_recursion(void) {
  struct cycles *cycles = cycles_of("Main P P Q R");
  CHECK_EQUAL(cycles->count, 0);
  end(cycles);
}

/* Entered at any of its functions, it is one cycle. */
static void one_ring(void) {
  struct cycles *cycles = cycles_of("Main P Q R P Q R P S");
  CHECK_EQUAL(cycles->count, 1);
  check_cycle(__LINE__, &cycles->list[0], "P Q R", 4);
  end(cycles);
}

/* The states alone do not show the ring of a, f and b: f's older activation is squeezed out. */
static void ring_through_an_older_activation(void) {
  struct cycles *cycles = cycles_of("a f b a b f");
  CHECK_EQUAL(cycles->count, 3);
  check_cycle(__LINE__, &cycles->list[0], "a f b", 1);
  check_cycle(__LINE__, &cycles->list[1], "a b", 1);
  check_cycle(__LINE__, &cycles->list[2], "a b f b", 1);
  end(cycles);
}

/* P calls Q and Q calls P, at different times: a cycle of the graph that did not occur. */
static void arcs_without_a_cycle(void) {
  program_start(&program);
  program_calls(&program, "Main P Q");
  program_return(&program);
  program_return(&program);
  program_calls(&program, "Q P");
  struct cycles *cycles = cycles_find(program_so_far(&program), NULL);
  CHECK_EQUAL(cycles->count, 0);
  end(cycles);
}

/* Code without hooks: its calls are not counted, but ticks find its cycles on their stacks. */
static void seen_in_ticks(void) {
  program_start(&program);
  const char *const names[] = {"main", "parse", "list", "parse", "list", "parse", "item"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    program_call(&program, program_library(&program, names[i]));
    program_tick(&program, 1);
  }
  program.profile->transition_count = 0;
  struct cycles *cycles = cycles_find(program_so_far(&program), NULL);
  CHECK_EQUAL(cycles->count, 1);
  check_cycle(__LINE__, &cycles->list[0], "parse list", 0);
  CHECK_EQUAL(cycles->list[0].ticks, 4); /* from the second parse on; once each */
  end(cycles);
}

/* Ticks in a cycle whose calls were counted say nothing new. */
static void counted_with_ticks(void) {
  program_start(&program);
  program_calls(&program, "Main P Q R P Q");
  program_tick(&program, 10);
  struct cycles *cycles = cycles_find(program_so_far(&program), NULL);
  CHECK_EQUAL(cycles->count, 1);
  check_cycle(__LINE__, &cycles->list[0], "P Q R", 2);
  CHECK_EQUAL(cycles->list[0].ticks, 0);
  end(cycles);
}

int main(void) {
  seen_in_ticks();
  counted_with_ticks();
  no_recursion();
  one_ring();
  ring_through_an_older_activation();
  arcs_without_a_cycle();
  return check_result();
}
