/* Arcs from the counts of call sites and functions. The n-queens program has the shape of the
 * source's Figures 3 to 5: one call site, of a function pointer, with two callees. */
#include "attribution/equations/call_equations.h"

#include "check.h"

#include <stdlib.h>

enum { SITES = 40, FUNCTIONS = 40, ARCS = 400 };

static struct call_node sites[SITES], functions[FUNCTIONS];
static struct call_arc arcs[ARCS];
static struct call_equations equations;

static const struct call_node unknown_count = {0, COUNT_UNBOUNDED};

static void begin(void) {
  memset(sites, 0, sizeof sites);
  memset(functions, 0, sizeof functions);
  memset(arcs, 0, sizeof arcs);
  equations = (struct call_equations){sites, functions, arcs, 0, 0, 0};
}

static uint32_t add_site(uint64_t count) {
  sites[equations.site_count] = (struct call_node){count, count};
  return equations.site_count++;
}

static uint32_t add_function(uint64_t count) {
  functions[equations.function_count] = (struct call_node){count, count};
  return equations.function_count++;
}

static struct call_arc *add_arc(uint32_t site, uint32_t function) {
  arcs[equations.arc_count] = (struct call_arc){.site = site, .function = function};
  return &arcs[equations.arc_count++];
}

static void solve(int line) {
  struct call_conflict conflict;
  check_equal(__FILE__, line, "status", call_equations_solve(&equations, &conflict), 0);
}

static void check_range(int line, const struct call_arc *arc, uint64_t least, uint64_t most) {
  check_equal(__FILE__, line, "least", arc->least, least);
  check_equal(__FILE__, line, "most", arc->most, most);
}

/* The estimates are a solution. */
static void check_estimates(int line) {
  uint64_t given[SITES] = {0}, taken[FUNCTIONS] = {0};
  for (uint32_t i = 0; i < equations.arc_count; i++) {
    given[arcs[i].site] += arcs[i].estimate;
    taken[arcs[i].function] += arcs[i].estimate;
    CHECK(arcs[i].least <= arcs[i].estimate && arcs[i].estimate <= arcs[i].most);
  }
  for (uint32_t i = 0; i < equations.site_count; i++)
    CHECK(sites[i].least <= given[i] && given[i] <= sites[i].most);
  for (uint32_t i = 0; i < equations.function_count; i++)
    CHECK(functions[i].least <= taken[i] && taken[i] <= functions[i].most);
}

/* ---- eight queens, which count themselves ---- */

enum { QUEENS_MAIN, QUEENS_TRY, QUEENS_SAFE, QUEENS_FOUND, QUEENS_FUNCTIONS };
enum { SITE_START, SITE_OUTSIDE, SITE_SAFE, SITE_NEXT, QUEENS_SITES };

static uint64_t entered[QUEENS_FUNCTIONS], executed[QUEENS_SITES];
static uint64_t happened[QUEENS_SITES][QUEENS_FUNCTIONS];
static int place_of[8], solutions;

static void note(int site, int function) {
  executed[site]++;
  entered[function]++;
  happened[site][function]++;
}

static int safe(int row, int column) {
  for (int i = 0; i < row; i++)
    if (place_of[i] == column || abs(place_of[i] - column) == row - i) return 0;
  return 1;
}

static void found(int row) {
  solutions += row == 8;
}

static void try_row(int row) {
  for (int column = 0; column < 8; column++) {
    note(SITE_SAFE, QUEENS_SAFE);
    if (!safe(row, column)) continue;
    place_of[row] = column;
    void (*next)(int) = row == 7 ? found : try_row;
    note(SITE_NEXT, row == 7 ? QUEENS_FOUND : QUEENS_TRY);
    next(row + 1);
  }
}

static void queens_are_determined(void) {
  note(SITE_OUTSIDE, QUEENS_MAIN);
  note(SITE_START, QUEENS_TRY);
  try_row(0);
  CHECK_EQUAL(solutions, 92);
  begin();
  for (int i = 0; i < QUEENS_SITES; i++)
    add_site(executed[i]);
  for (int i = 0; i < QUEENS_FUNCTIONS; i++)
    add_function(entered[i]);
  sites[SITE_OUTSIDE] = unknown_count; /* the program's result escapes: anybody may call it */
  add_arc(SITE_OUTSIDE, QUEENS_MAIN);
  add_arc(SITE_START, QUEENS_TRY);
  add_arc(SITE_SAFE, QUEENS_SAFE);
  add_arc(SITE_NEXT, QUEENS_TRY);
  add_arc(SITE_NEXT, QUEENS_FOUND);
  solve(__LINE__);
  for (uint32_t i = 0; i < equations.arc_count; i++) {
    uint64_t truth = happened[arcs[i].site][arcs[i].function];
    check_range(__LINE__, &arcs[i], truth, truth);
    CHECK_EQUAL(arcs[i].estimate, truth);
  }
}

/* ---- */

/* Two sites, two functions, any of them: 10 = 4 + 6 may be told apart in five ways. */
static void not_determined(void) {
  begin();
  uint32_t few = add_site(4), many = add_site(6);
  uint32_t one = add_function(3), other = add_function(7);
  struct call_arc *few_one = add_arc(few, one), *few_other = add_arc(few, other);
  struct call_arc *many_one = add_arc(many, one), *many_other = add_arc(many, other);
  solve(__LINE__);
  check_range(__LINE__, few_one, 0, 3);
  check_range(__LINE__, few_other, 1, 4);
  check_range(__LINE__, many_one, 0, 3);
  check_range(__LINE__, many_other, 3, 6);
  CHECK_EQUAL(few_one->estimate, 1); /* a function's three calls, from two sites */
  check_estimates(__LINE__);

  few_one->fixed = true; /* the dial */
  few_one->value = 3;
  solve(__LINE__);
  check_range(__LINE__, few_other, 1, 1);
  check_range(__LINE__, many_one, 0, 0);
  check_range(__LINE__, many_other, 6, 6);
  check_estimates(__LINE__);
}

static void contradictions(void) {
  struct call_conflict conflict;
  begin();
  uint32_t site = add_site(5), function = add_function(4);
  struct call_arc *arc = add_arc(site, function);
  CHECK_EQUAL(call_equations_solve(&equations, &conflict), -1);
  CHECK_EQUAL(conflict.kind, CONFLICT_SITE);
  CHECK_EQUAL(conflict.count, 5);
  CHECK_EQUAL(conflict.fits, 4);
  functions[function] = (struct call_node){9, 9};
  CHECK_EQUAL(call_equations_solve(&equations, &conflict), -1);
  CHECK_EQUAL(conflict.kind, CONFLICT_FUNCTION);
  CHECK_EQUAL(conflict.fits, 5);
  functions[function] = unknown_count;
  arc->fixed = true;
  arc->value = 6;
  CHECK_EQUAL(call_equations_solve(&equations, &conflict), -1);
  CHECK_EQUAL(conflict.kind, CONFLICT_FIXED);
  CHECK_EQUAL(conflict.fits, 5);
  arc->value = 5;
  solve(__LINE__);
  check_range(__LINE__, arc, 5, 5);
}

/* Sites that were executed at most so often: the functions' counts tell the rest. */
static void at_most(void) {
  begin();
  uint32_t first = add_site(4), second = add_site(6);
  sites[first].least = sites[second].least = 0;
  uint32_t one = add_function(3), other = add_function(7);
  struct call_arc *a = add_arc(first, one);
  add_arc(first, other);
  add_arc(second, other);
  solve(__LINE__);
  check_range(__LINE__, a, 3, 3);
  check_range(__LINE__, &arcs[1], 1, 1);
  check_range(__LINE__, &arcs[2], 6, 6);
  check_estimates(__LINE__);
}

/* Counts that contradict each other give way. */
static void relaxed(void) {
  begin();
  uint32_t site = add_site(5), function = add_function(9);
  struct call_arc *arc = add_arc(site, function);
  CHECK_EQUAL(call_equations_relax(&equations), 1);
  CHECK_EQUAL(functions[function].least, 0);
  solve(__LINE__);
  check_range(__LINE__, arc, 5, 5);
  sites[site].least = 0;
  solve(__LINE__);
  check_range(__LINE__, arc, 0, 5);
  CHECK_EQUAL(arc->estimate, 5);
}

/* A caller that nobody counted, and a callee. */
static void unknown_ends(void) {
  begin();
  uint32_t known = add_site(10), unknown = add_site(0);
  sites[unknown] = unknown_count;
  uint32_t counted = add_function(7), uncounted = add_function(0);
  functions[uncounted] = unknown_count;
  struct call_arc *a = add_arc(known, counted), *b = add_arc(known, uncounted);
  struct call_arc *c = add_arc(unknown, counted), *d = add_arc(unknown, uncounted);
  solve(__LINE__);
  check_range(__LINE__, a, 0, 7);
  check_range(__LINE__, b, 3, 10);
  check_range(__LINE__, c, 0, 7);
  check_range(__LINE__, d, 0, COUNT_UNBOUNDED);
  check_estimates(__LINE__);
}

static void nothing(void) {
  begin();
  solve(__LINE__);
  add_site(0);
  add_function(0);
  solve(__LINE__);
}

/* ---- random graphs: the truth lies in every interval, and each end of one can be had ---- */

static uint32_t random_state = 12345;
static uint32_t draw(uint32_t below) {
  random_state = random_state * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)random_state * below >> 32);
}

static void add_count(struct call_node *node, uint64_t count) {
  node->least += count;
  node->most += count;
}

static void random_graph(void) {
  static uint64_t truth[ARCS];
  begin();
  uint32_t site_count = 2 + draw(6), function_count = 2 + draw(6);
  for (uint32_t i = 0; i < site_count; i++)
    add_site(0);
  for (uint32_t i = 0; i < function_count; i++)
    add_function(0);
  for (uint32_t i = 0; i < site_count; i++)
    for (uint32_t k = 0; k < function_count; k++) {
      if (draw(3) == 0) continue;
      truth[equations.arc_count] = draw(4) ? draw(1000) : 0;
      add_count(&sites[i], truth[equations.arc_count]);
      add_count(&functions[k], truth[equations.arc_count]);
      add_arc(i, k);
    }
  if (draw(2)) sites[draw(site_count)] = unknown_count;
  if (draw(2)) functions[draw(function_count)] = unknown_count;
  struct call_node *vague = &sites[draw(site_count)]; /* known to lie between two counts */
  if (draw(2) && vague->most != COUNT_UNBOUNDED) {
    vague->least -= draw((uint32_t)vague->least + 1);
    vague->most += draw(1000);
  }
  CHECK_EQUAL(call_equations_relax(&equations), 0);
  solve(__LINE__);
  check_estimates(__LINE__);
  for (uint32_t i = 0; i < equations.arc_count; i++)
    CHECK(arcs[i].least <= truth[i] && truth[i] <= arcs[i].most);
  if (!equations.arc_count) return;
  struct call_arc *chosen = &arcs[draw(equations.arc_count)];
  uint64_t least = chosen->least, most = chosen->most;
  chosen->fixed = true;
  chosen->value = least;
  solve(__LINE__);
  if (most == COUNT_UNBOUNDED) return;
  chosen->value = most;
  solve(__LINE__);
  check_estimates(__LINE__);
  struct call_conflict conflict;
  chosen->value = most + 1;
  CHECK_EQUAL(call_equations_solve(&equations, &conflict), -1);
  CHECK_EQUAL(conflict.fits, most);
  if (!least) return;
  chosen->value = least - 1;
  CHECK_EQUAL(call_equations_solve(&equations, &conflict), -1);
  CHECK_EQUAL(conflict.fits, least);
}

int main(void) {
  queens_are_determined();
  not_determined();
  contradictions();
  at_most();
  relaxed();
  unknown_ends();
  nothing();
  for (int i = 0; i < 2000; i++)
    random_graph();
  return check_result();
}
