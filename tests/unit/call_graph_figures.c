/* What callgrind's arcs say of functions: recursion is never counted twice. */
#include "exchange/call_graph_figures.h"

#include <stdlib.h>

#include "check.h"

enum { MOST = 16 };
static struct level_node nodes[MOST];
static struct arc_cost edges[MOST];
static struct level_graph graph;

static void begin(void) {
  graph = (struct level_graph){.nodes = nodes, .edges.arcs = edges};
}

static void node(uint32_t function, uint32_t level, uint64_t self) {
  nodes[graph.node_count++] = (struct level_node){function, level, {0, self}};
  graph.has_levels |= level > 1;
}

static void edge(uint32_t caller, uint32_t callee, uint64_t calls, uint64_t inclusive) {
  edges[graph.edges.arc_count++] = (struct arc_cost){
      .caller = caller, .callee = callee, .calls = calls, .in_child = {0, inclusive}};
}

static struct profile *figures(size_t functions) {
  struct profile *profile = profile_create();
  profile->functions = memory_zeroed(functions, sizeof *profile->functions);
  profile->function_count = functions;
  for (size_t i = 0; i < functions; i++)
    profile->functions[i] =
        (struct profile_function){.name = "f", .object = NOTHING, .kind = FUNCTION_COUNTED};
  call_graph_figures(&graph, profile);
  return profile;
}

static void check_function(const struct profile *profile, uint32_t id, uint64_t calls,
                           uint64_t recursive, uint64_t total, bool known) {
  const struct function_cost *cost = &profile->given->functions[id];
  CHECK_EQUAL(cost->calls, calls);
  CHECK_EQUAL(cost->recursive, recursive);
  CHECK_EQUAL(profile->given->total_known[id], known);
  if (known) CHECK_EQUAL(cost->total.raw_ns, total);
}

static const struct arc_cost *arc(const struct profile *profile, uint32_t caller, uint32_t callee) {
  for (size_t i = 0; i < profile->given->arc_count; i++)
    if (profile->given->arcs[i].caller == caller && profile->given->arcs[i].callee == callee)
      return &profile->given->arcs[i];
  CHECK(!"no such arc");
  return &profile->given->arcs[0];
}

/* main -> even -> odd -> even'2 -> odd'2 -> even'2 ...: 10 each, 4 levels deep. */
static void test_levels(void) {
  begin();
  node(0, 1, 5); /* main */
  node(1, 1, 10);
  node(2, 1, 10);
  node(1, 2, 30);
  node(2, 2, 30);
  edge(0, 1, 1, 80);
  edge(1, 2, 1, 70);
  edge(2, 3, 1, 60);
  edge(3, 4, 3, 50 + 30 + 10);
  edge(4, 3, 2, 40 + 20);
  struct profile *profile = figures(3);
  check_function(profile, 0, 0, 0, 85, true);
  check_function(profile, 1, 4, 0, 80, true);
  check_function(profile, 2, 4, 0, 70, true);
  CHECK_EQUAL(profile->given->functions[1].self.raw_ns, 40);
  CHECK_EQUAL(arc(profile, 1, 2)->calls, 4);
  CHECK_EQUAL(arc(profile, 1, 2)->in_child.raw_ns, 70);
  CHECK(arc(profile, 2, 1)->cost_unknown);
  profile_free(profile);
}

/* The same without levels: only what is above the cycle, and its one entry, are known. */
static void test_cycle_with_one_entry(void) {
  begin();
  node(0, 1, 5);
  node(1, 1, 40);
  node(2, 1, 40);
  edge(0, 1, 1, 80);
  edge(1, 2, 4, 160);
  edge(2, 1, 3, 120);
  struct profile *profile = figures(3);
  check_function(profile, 0, 0, 0, 85, true);
  check_function(profile, 1, 4, 0, 80, true);
  check_function(profile, 2, 4, 0, 0, false);
  CHECK(profile->given->functions[2].total.raw_ns <= 85);
  CHECK(arc(profile, 1, 2)->cost_unknown);
  CHECK(!arc(profile, 0, 1)->cost_unknown);
  profile_free(profile);
}

static void test_cycle_with_two_entries(void) {
  begin();
  node(0, 1, 0);
  node(1, 1, 40);
  node(2, 1, 40);
  edge(0, 1, 1, 50);
  edge(0, 2, 1, 30);
  edge(1, 2, 4, 160);
  edge(2, 1, 3, 120);
  struct profile *profile = figures(3);
  check_function(profile, 0, 0, 0, 80, true);
  check_function(profile, 1, 4, 0, 0, false);
  check_function(profile, 2, 5, 0, 0, false);
  profile_free(profile);
}

static void test_direct_recursion(void) {
  begin();
  node(0, 1, 0);
  node(1, 1, 40);
  edge(0, 1, 1, 40);
  edge(1, 1, 9, 400);
  struct profile *profile = figures(2);
  check_function(profile, 1, 1, 9, 40, true);
  CHECK_EQUAL(profile->given->calls, 10);
  CHECK_EQUAL(profile->given->arc_count, 1);
  profile_free(profile);
}

/* What runs when the program ends is in the costs of calls, but nobody's own. */
static void test_nothing_is_above_the_whole(void) {
  begin();
  node(0, 1, 10);
  node(1, 1, 4);
  edge(0, 1, 1, 6);
  struct profile *profile = figures(2);
  check_function(profile, 0, 0, 0, 14, true);
  check_function(profile, 1, 1, 0, 6, true);
  profile_free(profile);
}

static void test_folded(void) {
  begin();
  graph.is_folded = true;
  node(0, 1, 5);
  node(1, 1, 40);
  edge(NOTHING, 0, 1, 35);
  edge(0, 1, 1, 30);
  edge(1, 0, 1, 10);
  struct profile *profile = figures(2);
  check_function(profile, 0, 2, 0, 45, true);
  CHECK(!arc(profile, 1, 0)->cost_unknown);
  profile_free(profile);
}

int main(void) {
  test_levels();
  test_cycle_with_one_entry();
  test_cycle_with_two_entries();
  test_direct_recursion();
  test_nothing_is_above_the_whole();
  test_folded();
  return check_result();
}
