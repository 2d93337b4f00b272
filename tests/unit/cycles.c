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
  return cycles_find(program.profile, NULL);
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
  struct cycles *cycles = cycles_find(program.profile, NULL);
  CHECK_EQUAL(cycles->count, 0);
  end(cycles);
}

int main(void) {
  no_recursion();
  one_ring();
  ring_through_an_older_activation();
  arcs_without_a_cycle();
  return check_result();
}
