/* The times of functions and arcs, as the paper's "Presenting the results" defines them. */
#include "attribution/costs.h"

#include <stdlib.h>

#include "attribution/books.h"
#include "attribution/line_groups.h"
#include "check.h"
#include "profile_fixture.h"

static struct program program;

static uint32_t id_of(const char *name) {
  return strcmp(name, "<spontaneous>") == 0 ? NOTHING : program_function(&program, name);
}

static const struct arc_cost *arc_of(const struct costs *costs, const char *caller,
                                     const char *callee) {
  static const struct arc_cost none;
  uint32_t from = id_of(caller), to = id_of(callee);
  for (size_t i = 0; i < costs->arc_count; i++)
    if (costs->arcs[i].caller == from && costs->arcs[i].callee == to) return &costs->arcs[i];
  return &none;
}

static const struct function_cost *function_of(const struct costs *costs, const char *name) {
  return &costs->functions[id_of(name)];
}

static void check_arc(int line, const struct costs *costs, const char *caller, const char *callee,
                      const uint64_t expected[5]) {
  const struct arc_cost *arc = arc_of(costs, caller, callee);
  check_equal(__FILE__, line, "calls", arc->calls, expected[0]);
  check_equal(__FILE__, line, "self_1", arc->out_self.ticks, expected[1]);
  check_equal(__FILE__, line, "child_1", arc->out_child.ticks, expected[2]);
  check_equal(__FILE__, line, "self_2", arc->in_self.ticks, expected[3]);
  check_equal(__FILE__, line, "child_2", arc->in_child.ticks, expected[4]);
}
/* calls, self_1, child_1, self_2, child_2 */
#define CHECK_ARC(caller, callee, ...)                                                             \
  check_arc(__LINE__, costs, caller, callee, (const uint64_t[]){__VA_ARGS__})

static void check_function(int line, const struct costs *costs, const char *name,
                           const uint64_t expected[4]) {
  const struct function_cost *cost = function_of(costs, name);
  check_equal(__FILE__, line, "calls", cost->calls, expected[0]);
  check_equal(__FILE__, line, "recursive", cost->recursive, expected[1]);
  check_equal(__FILE__, line, "self", cost->self.ticks, expected[2]);
  check_equal(__FILE__, line, "total", cost->total.ticks, expected[3]);
}
/* calls, recursive calls, self, total */
#define CHECK_FUNCTION(name, ...)                                                                  \
  check_function(__LINE__, costs, name, (const uint64_t[]){__VA_ARGS__})

/* What holds for every profile. */
static void check_balance(const struct profile *profile, const struct costs *costs) {
  struct amount self = {0};
  uint64_t calls = 0;
  for (size_t i = 0; i < profile->function_count; i++) {
    uint64_t into = 0;
    for (size_t arc = 0; arc < costs->arc_count; arc++)
      if (costs->arcs[arc].callee == i) into += costs->arcs[arc].calls;
    CHECK_EQUAL(into, costs->functions[i].calls);
    CHECK(costs->functions[i].total.ticks <= costs->self.ticks);
    CHECK(costs->functions[i].self.ticks <= costs->functions[i].total.ticks);
    self = amount_sum(self, costs->functions[i].self);
    calls += costs->functions[i].calls + costs->functions[i].recursive;
  }
  CHECK_EQUAL(self.ticks, costs->self.ticks);
  CHECK_EQUAL(self.raw_ns, costs->self.raw_ns);
  CHECK_EQUAL(calls, costs->calls);
}

static void check_sum(struct amount a, struct amount b, uint64_t ticks) {
  CHECK_EQUAL(a.ticks + b.ticks, ticks);
}

/* Without mutual recursion the algebra of the paper holds for every function. */
static void check_algebra(const struct profile *profile, const struct costs *costs) {
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct function_cost *cost = &costs->functions[i];
    struct amount below = {0}, in_self = {0}, in_child = {0};
    for (size_t a = 0; a < costs->arc_count; a++) {
      const struct arc_cost *arc = &costs->arcs[a];
      if (arc->caller == i) below = amount_sum(below, amount_sum(arc->out_self, arc->out_child));
      if (arc->callee == i) in_self = amount_sum(in_self, arc->in_self);
      if (arc->callee == i) in_child = amount_sum(in_child, arc->in_child);
      if (arc->caller == NOTHING) continue;
      CHECK_EQUAL(arc->out_self.ticks, arc->in_self.ticks);
      CHECK_EQUAL(arc->out_child.ticks, arc->in_child.ticks);
    }
    check_sum(cost->self, below, cost->total.ticks);
    CHECK_EQUAL(in_self.ticks, cost->self.ticks);
    CHECK_EQUAL(in_child.ticks, cost->total.ticks - cost->self.ticks);
  }
}

/* A shared routine with unequal callers: each gets what was spent for it. */
static void shared_routine(void) {
  program_start(&program);
  program_calls(&program, "main easy work");
  program_tick(&program, 1);
  program_return(&program);
  program_return(&program);
  program_calls(&program, "hard work");
  program_tick(&program, 99);
  struct costs *costs = costs_compute(program_so_far(&program), NULL);
  CHECK_FUNCTION("main", 1, 0, 0, 100);
  CHECK_FUNCTION("work", 2, 0, 100, 100);
  CHECK_ARC("<spontaneous>", "main", 1, 0, 0, 0, 100);
  CHECK_ARC("main", "easy", 1, 0, 1, 0, 1);
  CHECK_ARC("main", "hard", 1, 0, 99, 0, 99);
  CHECK_ARC("easy", "work", 1, 1, 0, 1, 0);
  CHECK_ARC("hard", "work", 1, 99, 0, 99, 0);
  check_balance(program.profile, costs);
  check_algebra(program.profile, costs);
  costs_free(costs);
  profile_free(program_end(&program));
}

/* Main -> P -> Q -> R -> P -> S, time in S: the items are [Main]P, P[Q]R, Q[R]P, R[P]S, P[S]. */
static void mutual_recursion(void) {
  program_start(&program);
  program_calls(&program, "Main P Q R P S");
  program_tick(&program, 7);
  struct costs *costs = costs_compute(program_so_far(&program), NULL);
  const char *active[] = {"Main", "P", "Q", "R"};
  for (size_t i = 0; i < sizeof active / sizeof *active; i++)
    CHECK_EQUAL(function_of(costs, active[i])->total.ticks, 7);
  CHECK_FUNCTION("P", 2, 0, 0, 7);
  CHECK_FUNCTION("S", 1, 0, 7, 7);
  CHECK_ARC("Main", "P", 1, 0, 7, 0, 0); /* P's most recent caller is R */
  CHECK_ARC("P", "Q", 1, 0, 0, 0, 7);    /* P's most recent callee is S */
  CHECK_ARC("Q", "R", 1, 0, 7, 0, 7);
  CHECK_ARC("R", "P", 1, 0, 7, 0, 7);
  CHECK_ARC("P", "S", 1, 7, 0, 7, 0);
  check_balance(program.profile, costs);
  costs_free(costs);
  profile_free(program_end(&program));
}

/* However deep the recursion, nobody's total exceeds the whole. */
static void deep_recursion(void) {
  program_start(&program);
  program_calls(&program, "Main");
  for (int i = 0; i < 1000; i++) {
    program_calls(&program, "P Q R");
    program_tick(&program, 1);
  }
  struct costs *costs = costs_compute(program_so_far(&program), NULL);
  CHECK_FUNCTION("P", 1000, 0, 0, 1000);
  CHECK_FUNCTION("Q", 1000, 0, 0, 1000);
  CHECK_FUNCTION("R", 1000, 0, 1000, 1000);
  CHECK(program.profile->context_count < 10);
  check_balance(program.profile, costs);
  costs_free(costs);
  profile_free(program_end(&program));
}

static void direct_recursion(void) {
  program_start(&program);
  program_calls(&program, "main f f f");
  program_tick(&program, 5);
  struct costs *costs = costs_compute(program_so_far(&program), NULL);
  CHECK_FUNCTION("f", 1, 2, 5, 5);
  CHECK_ARC("main", "f", 1, 5, 0, 5, 0);
  CHECK_EQUAL(costs->arc_count, 2); /* with main's spontaneous one; f -> f is none */
  check_balance(program.profile, costs);
  costs_free(costs);
  profile_free(program_end(&program));
}

/* main -> pick, main -> sort -> pick: under the focus on sort only the second counts. */
static void focus(void) {
  program_start(&program);
  program_calls(&program, "main pick");
  program_tick(&program, 10);
  program_return(&program);
  program_calls(&program, "sort pick");
  program_tick(&program, 3);
  program_return(&program);
  program_tick(&program, 2);
  uint32_t sort = program_function(&program, "sort");
  struct selection selection = {.focus = &sort, .focus_count = 1, .thread = NOTHING};
  struct costs *costs = costs_compute(program_so_far(&program), &selection);
  CHECK_FUNCTION("pick", 1, 0, 3, 3);
  CHECK_FUNCTION("sort", 1, 0, 2, 5);
  CHECK_FUNCTION("main", 0, 0, 0, 5);
  CHECK_ARC("main", "pick", 0, 0, 0, 0, 0);
  CHECK_ARC("main", "sort", 1, 2, 3, 2, 3);
  CHECK_EQUAL(costs->self.ticks, 5);
  check_balance(program.profile, costs);
  costs_free(costs);
  profile_free(program_end(&program));
}

static void threads(void) {
  program_start(&program);
  program_calls(&program, "main work");
  program_tick(&program, 4);
  program_thread(&program, "worker");
  program_calls(&program, "start work");
  program_tick(&program, 6);
  struct costs *costs = costs_compute(program_so_far(&program), NULL);
  CHECK_FUNCTION("work", 2, 0, 10, 10);
  CHECK_ARC("<spontaneous>", "start", 1, 0, 0, 0, 6);
  CHECK_EQUAL(costs->thread_self[0].ticks, 4);
  CHECK_EQUAL(costs->thread_self[1].ticks, 6);
  costs_free(costs);
  struct selection selection = {.thread = 1};
  costs = costs_compute(program_so_far(&program), &selection);
  CHECK_FUNCTION("work", 1, 0, 6, 6);
  CHECK_FUNCTION("main", 0, 0, 0, 0);
  costs_free(costs);
  profile_free(program_end(&program));
}

static void random_programs(void) {
  static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  srand(2);
  for (int round = 0; round < 50; round++) {
    program_start(&program);
    for (int step = 0; step < 2000; step++) {
      int choice = rand() % 5;
      if (choice < 2 && program.depth < 200)
        program_calls(&program, names[rand() % 8]);
      else if (choice < 4 && program.depth > 1)
        program_return(&program);
      else if (program.depth > 1)
        program_tick(&program, 1 + rand() % 3);
    }
    struct costs *costs = costs_compute(program_so_far(&program), NULL);
    check_balance(program.profile, costs);
    costs_free(costs);
    profile_free(program_end(&program));
  }
}

/* Two lines that are active together count once for the group of both. */
static void grouped_lines(const struct profile *profile, uint32_t f, uint32_t g) {
  enum { BOTH, F_ONLY, GROUPS };
  uint32_t *group = memory_zeroed(profile->line_count, sizeof *group);
  bool *selected = costs_select(profile, NULL);
  group[f] = group[g] = BOTH;
  struct amount *totals = line_group_totals(profile, selected, group, GROUPS);
  CHECK_EQUAL(totals[BOTH].ticks, 5);
  CHECK_EQUAL(totals[F_ONLY].ticks, 0);
  free(totals);
  group[f] = F_ONLY;
  group[g] = NOTHING;
  totals = line_group_totals(profile, selected, group, GROUPS);
  CHECK_EQUAL(totals[BOTH].ticks, 0);
  CHECK_EQUAL(totals[F_ONLY].ticks, 5);
  free(totals);
  free(selected);
  free(group);
}

/* A recursive line counts once in its own total, and a tick without a stack makes totals unknown.
 */
static void line_totals(void) {
  program_start(&program);
  program_calls(&program, "main f");
  program_tick(&program, 2);
  program_call(&program, program_function(&program, "g"));
  program_tick(&program, 3);
  struct profile *profile = program_end(&program);
  uint32_t f = profile->metrics[0].ticks[0].line, g = profile->metrics[0].ticks[1].line;
  profile->stacks = memory_zeroed(4, sizeof *profile->stacks);
  profile->stack_count = 4;
  profile->stacks[0] = (struct profile_stack){NOTHING, NOTHING};
  profile->stacks[1] = (struct profile_stack){0, f};
  profile->stacks[2] = (struct profile_stack){1, g};
  profile->stacks[3] = (struct profile_stack){2, f};
  profile->metrics[0].ticks[0].stack = 3;
  struct costs *costs = costs_compute(profile, NULL);
  CHECK(!costs->line_total);
  costs_free(costs);
  profile->metrics[0].ticks[1].stack = 1;
  costs = costs_compute(profile, NULL);
  CHECK(costs->line_total != NULL);
  if (costs->line_total) {
    CHECK_EQUAL(costs->line_total[f].ticks, 5);
    CHECK_EQUAL(costs->line_total[g].ticks, 5);
    CHECK_EQUAL(costs->line_self[f].ticks, 2);
  }
  costs_free(costs);
  grouped_lines(profile, f, g);
  profile_free(profile);
}

/* Stacks begin with main: of what was met above it only, the time below it is not known. */
static void above_main(void) {
  program_start(&program);
  uint32_t start = program_library(&program, "_start"), qsort = program_library(&program, "qsort");
  program_calls(&program, "main f");
  program_tick(&program, 2);
  program_call(&program, qsort);
  program_call(&program, program_function(&program, "compare"));
  struct profile *profile = program_end(&program);
  uint32_t line = profile->metrics[0].ticks[0].line;
  profile->stacks = memory_zeroed(2, sizeof *profile->stacks);
  profile->stack_count = 2;
  profile->stacks[0] = (struct profile_stack){NOTHING, NOTHING};
  profile->stacks[1] = (struct profile_stack){0, line};
  profile->metrics[0].ticks[0].stack = 1;
  profile->functions[start].bodies = BODY_OWN;
  struct costs *costs = costs_compute(profile, NULL);
  CHECK(costs->line_total != NULL);
  CHECK(!costs_total_known(profile, costs, start));
  CHECK(costs_total_known(profile, costs, qsort)); /* no tick below it, of many that there may be */
  CHECK(costs_line_total_known(profile, costs, line));
  profile->lines[line].function = start;
  CHECK(!costs_line_total_known(profile, costs, line));
  profile->functions[start].bodies = BODY_INLINED; /* it would have been in contexts */
  costs_free(costs);
  costs = costs_compute(profile, NULL);
  CHECK(costs_total_known(profile, costs, start));
  costs_free(costs);
  profile_free(profile);
}

/* Most stacks of `deep` are cut off: main, which the others show above it, may have all of their
 * time; what is below it, or only beside it, has no more than it was met in. */
static void cut_stacks(void) {
  program_start(&program);
  program_calls(&program, "main deep");
  program_tick(&program, 2);
  program_return(&program);
  program_calls(&program, "beside");
  program_tick(&program, 3);
  program_return(&program);
  program_return(&program);
  program_calls(&program, "cut deep leaf");
  program_tick(&program, 5);
  struct profile *profile = program_end(&program);
  profile->functions[id_of("cut")].kind = FUNCTION_CUT;
  struct costs *costs = costs_compute(profile, NULL);
  const struct function_cost *main_cost = function_of(costs, "main");
  CHECK_EQUAL(main_cost->total.ticks, 5);
  CHECK_EQUAL(main_cost->total.unseen_ns, 5 * 1000000);
  CHECK(costs_calls_known(profile, costs, id_of("deep")));
  CHECK(!costs_calls_known(profile, costs, id_of("cut")));
  CHECK_EQUAL(function_of(costs, "deep")->total.unseen_ns, 0);
  CHECK_EQUAL(function_of(costs, "leaf")->total.unseen_ns, 0);
  CHECK_EQUAL(function_of(costs, "beside")->total.unseen_ns, 0);
  struct books books;
  books_make(profile, &books);
  CHECK(books_estimate(&books, main_cost->total).high_ns >= 10 * 1000000 * 99 / 100);
  costs_free(costs);
  profile_free(profile);
}

int main(void) {
  cut_stacks();
  shared_routine();
  above_main();
  mutual_recursion();
  deep_recursion();
  direct_recursion();
  focus();
  threads();
  line_totals();
  random_programs();
  return check_result();
}
