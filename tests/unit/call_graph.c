/* gprof's paper in figures: topological order, cycles, and the entry for EXAMPLE.
 * Graham, Kessler, McKusick, "gprof: a call graph execution profiler". */
#include "attribution/call_graph.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "report/gprof.h"

static struct call_graph graph;

static uint32_t function(const char *name, double self) {
  return call_graph_add(&graph, (struct graph_node){.name = name, .linkage = name, .self = self});
}

static void call(uint32_t caller, uint32_t callee, uint64_t calls) {
  graph.nodes[callee].calls += calls;
  call_graph_call(&graph, caller, callee, calls);
}

static bool near(double got, double expected) {
  return fabs(got - expected) < 1e-9;
}

/* The nodes of figure 1 by their numbers there, with arcs that make these a topological order. */
static const struct {
  uint32_t caller, callee;
} figure_1[] = {{9, 7}, {9, 3}, {8, 3}, {8, 7}, {3, 2}, {3, 1},
                {7, 5}, {7, 6}, {2, 1}, {5, 4}, {6, 4}};
enum { NODES = 9, ARCS = sizeof figure_1 / sizeof *figure_1 };

static void add_figure_1(void) {
  for (int i = 0; i < NODES; i++)
    function("node", 1);
  for (int i = 0; i < ARCS; i++)
    call(figure_1[i].caller - 1, figure_1[i].callee - 1, 1);
}

/* Figure 1: every arc goes from a higher number to a lower one. */
static void topological_order(void) {
  add_figure_1();
  call_graph_propagate(&graph, NULL);
  for (size_t i = 0; i < graph.arc_count; i++)
    CHECK(graph.nodes[graph.arcs[i].caller].rank > graph.nodes[graph.arcs[i].callee].rank);
  CHECK_EQUAL(graph.node_count, NODES); /* no cycle */
  CHECK(
      near(graph.nodes[8].self + graph.nodes[8].child + graph.nodes[7].self + graph.nodes[7].child,
           NODES)); /* all time arrives at the two roots */
  call_graph_free(&graph);
}

/* Figures 2 and 3: 3 and 7 call each other, and become one node of the order. */
static void cycle_is_one_node(void) {
  add_figure_1();
  call(2, 6, 5);
  call(6, 2, 5);
  call_graph_propagate(&graph, NULL);
  CHECK_EQUAL(graph.node_count, NODES + 1);
  CHECK_EQUAL(graph.nodes[2].rank, graph.nodes[6].rank);
  uint64_t ranks = 0;
  for (int i = 0; i < NODES; i++)
    ranks |= 1ull << graph.nodes[i].rank;
  CHECK_EQUAL(ranks, 0xff); /* eight numbers for nine nodes */
  for (size_t i = 0; i < graph.arc_count; i++) {
    const struct graph_arc *arc = &graph.arcs[i];
    bool inside = graph.nodes[arc->caller].cycle && graph.nodes[arc->callee].cycle;
    CHECK(inside || graph.nodes[arc->caller].rank > graph.nodes[arc->callee].rank);
    if (inside) CHECK(arc->self == 0 && arc->child == 0);
  }
  const struct graph_node *cycle = &graph.nodes[NODES];
  CHECK_EQUAL(call_graph_whole(&graph, 2), NODES);
  CHECK_EQUAL(cycle->calls, 4);      /* from 8 and 9 to each of both */
  CHECK_EQUAL(cycle->recursive, 10); /* among its members */
  CHECK(near(cycle->self, 2));
  CHECK(near(cycle->child, 5)); /* 1, 2, 4, 5 and 6 are below it */
  CHECK(near(graph.nodes[7].child, 3.5) && near(graph.nodes[8].child, 3.5));
  call_graph_free(&graph);
}

/* Figure 4. SUB1 is in a cycle, of which EXAMPLE makes half of the calls; EXAMPLE calls itself. */
static void example_of_the_paper(void) {
  uint32_t main_function = function("main", 0.43), caller1 = function("CALLER1", 0),
           caller2 = function("CALLER2", 0), example = function("EXAMPLE", 0.5),
           sub1 = function("SUB1", 2), partner = function("PARTNER", 1),
           below = function("BELOW", 2), sub2 = function("SUB2", 0), sub3 = function("SUB3", 0),
           leaf = function("LEAF", 2.5);
  call(main_function, caller1, 1);
  call(main_function, caller2, 1);
  call(caller1, example, 4);
  call(caller2, example, 6);
  call(example, example, 4);
  call(example, sub1, 20);
  call(main_function, sub1, 20);
  call(sub1, partner, 7);
  call(partner, sub1, 7);
  call(partner, below, 3);
  call(example, sub2, 1);
  call(main_function, sub2, 4);
  call(sub2, leaf, 1);
  call_graph_call(&graph, example, sub3, 0); /* found in the executable */
  call(main_function, sub3, 5);
  call_graph_propagate(&graph, NULL);

  const struct graph_node *entry = &graph.nodes[example];
  CHECK(near(entry->shown_self, 0.5) && near(entry->shown_child, 3));
  CHECK_EQUAL(entry->calls, 10);
  CHECK_EQUAL(entry->recursive, 4);
  const struct graph_arc *arcs = graph.arcs;
  CHECK(near(arcs[2].self, 0.2) && near(arcs[2].child, 1.2)); /* CALLER1: 4/10 */
  CHECK(near(arcs[3].self, 0.3) && near(arcs[3].child, 1.8)); /* CALLER2: 6/10 */
  CHECK(arcs[4].self == 0 && arcs[4].child == 0);             /* itself: 4 */
  CHECK(near(arcs[5].self, 1.5) && near(arcs[5].child, 1));   /* SUB1 <cycle1>: 20/40 */
  CHECK(near(arcs[10].self, 0) && near(arcs[10].child, 0.5)); /* SUB2: 1/5 */
  CHECK(arcs[13].self == 0 && arcs[13].child == 0);           /* SUB3: 0/5 */
  CHECK_EQUAL(graph.nodes[call_graph_whole(&graph, sub1)].calls, 40);
  CHECK_EQUAL(graph.nodes[sub3].calls, 5);
  CHECK(
      near(graph.nodes[main_function].child, graph.shown - 0.43)); /* nothing is lost on the way */
  CHECK_EQUAL(graph.nodes[sub1].cycle, graph.nodes[partner].cycle);
  CHECK_EQUAL(graph.nodes[below].cycle, 0);
  CHECK_EQUAL(graph.nodes[leaf].cycle, 0);
}

/* The same as it is printed. */
static void listing_of_the_paper(void) {
  struct gprof_listing listing = {
      .graph = &graph, .ticks = graph.shown, .rate = 1, .dimension = "seconds", .brief = true};
  char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  gprof_listing_sort(&listing);
  gprof_print_graph(&listing, out);
  fclose(out);
  CHECK_CONTAINS(text, "                0.20    1.20       4/10          CALLER1 [");
  CHECK_CONTAINS(text, "                0.30    1.80       6/10          CALLER2 [");
  CHECK_CONTAINS(text, "  41.5    0.50    3.00      10+4       EXAMPLE [");
  CHECK_CONTAINS(text, "                1.50    1.00      20/40          SUB1 <cycle 1> [");
  CHECK_CONTAINS(text, "                0.00    0.50       1/5           SUB2 [");
  CHECK_CONTAINS(text, "                0.00    0.00       0/5           SUB3 [");
  free(text);
  gprof_listing_release(&listing);
  call_graph_free(&graph);
}

/* Static arcs complete a cycle that this run has not closed, and pass no time. */
static void static_arcs_make_cycles(void) {
  uint32_t main_function = function("main", 0), a = function("a", 1), b = function("b", 2);
  call(main_function, a, 1);
  call(a, b, 1);
  call_graph_call(&graph, b, a, 0);
  call_graph_propagate(&graph, NULL);
  CHECK_EQUAL(graph.nodes[a].cycle, 1);
  CHECK_EQUAL(graph.nodes[b].cycle, 1);
  CHECK(near(graph.nodes[main_function].child, 3));
  call_graph_free(&graph);
}

/* A function whose time does not count passes none, and its callers' callees below it keep theirs.
 */
static void times_left_out(void) {
  uint32_t main_function = function("main", 1), a = function("a", 2), b = function("b", 4);
  bool excluded[] = {false, true, false};
  struct graph_filter filter = {.timed = {.excluded = excluded}};
  call(main_function, a, 1);
  call(main_function, b, 3);
  call(a, b, 1);
  call_graph_propagate(&graph, &filter);
  CHECK(near(graph.nodes[main_function].child, 3));
  CHECK(near(graph.shown, 1 + 4 * 0.75));
  call_graph_free(&graph);
}

int main(void) {
  topological_order();
  cycle_is_one_node();
  example_of_the_paper();
  listing_of_the_paper();
  static_arcs_make_cycles();
  times_left_out();
  return check_result();
}
