/* The call graph profile (Graham, Kessler, McKusick, section 5.2 and figure 4). */
#include <stdlib.h>

#include "base/memory.h"
#include "report/gprof.h"

static const char explanation[] =
    "\n"
    " Each entry is about the function with a number at its left. Above it stand its callers,\n"
    " below it the functions that it calls.\n"
    "\n"
    " of the function itself\n"
    "   % time     of the whole, in it and below it\n"
    "   self       time in it alone\n"
    "   children   time that the functions it calls have passed to it\n"
    "   called     how often others called it, + how often it called itself\n"
    " of a caller\n"
    "   self, children   the part of those times that is passed to this caller\n"
    "   called           calls from there / all calls, without those of itself\n"
    " of a function that is called\n"
    "   self, children   the part of its times that is passed to this function\n"
    "   called           calls from here / all its calls, without those of itself\n"
    "\n"
    " Times are passed on in proportion to calls, as if each took the same time. Functions that\n"
    " can call each other in a circle are a cycle, which is one entry; calls inside it pass none.\n"
    " 0/N: the executable has this call, and it was not made. <spontaneous>: nobody is known to\n"
    " have called.\n";

struct graph_order {
  const struct gprof_listing *listing;
  size_t *first_caller, *first_callee; /* by function; one more at the end */
  uint32_t *callers, *callees;         /* arcs, cheapest first; most expensive first */
  FILE *out;
};

/* ---- the order of arcs ---- */

static const struct call_graph *sorted_graph; /* qsort has no argument for it */

/* Arcs inside a cycle pass no time, and come first where the cheapest do; calls of itself before
 * them. */
static int kind_of(const struct graph_arc *arc) {
  const struct graph_node *caller = &sorted_graph->nodes[arc->caller];
  if (arc->caller == arc->callee) return 0;
  return caller->cycle && caller->cycle == sorted_graph->nodes[arc->callee].cycle ? 1 : 2;
}

static int by_cost(const struct graph_arc *a, const struct graph_arc *b) {
  int a_kind = kind_of(a), b_kind = kind_of(b);
  if (a_kind != b_kind) return a_kind < b_kind ? -1 : 1;
  double a_time = a->self + a->child, b_time = b->self + b->child;
  if (a_time != b_time) return a_time < b_time ? -1 : 1;
  return a->calls < b->calls ? -1 : a->calls > b->calls;
}

static int cheaper_first(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  int order = by_cost(&sorted_graph->arcs[a], &sorted_graph->arcs[b]);
  return order ? order : a < b ? -1 : 1;
}

/* Equal ones stand as they were met in both orders. */
static int dearer_first(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  int order = by_cost(&sorted_graph->arcs[b], &sorted_graph->arcs[a]);
  return order ? order : a < b ? -1 : 1;
}

/* Arcs grouped by their caller or callee, each group sorted. */
static uint32_t *group(const struct call_graph *graph, bool by_caller, size_t **firsts) {
  size_t *first = memory_zeroed(graph->function_count + 2, sizeof *first);
  uint32_t *arcs = memory_zeroed(graph->arc_count, sizeof *arcs);
  for (size_t i = 0; i < graph->arc_count; i++)
    first[(by_caller ? graph->arcs[i].caller : graph->arcs[i].callee) + 2]++;
  for (size_t i = 0; i < graph->function_count; i++)
    first[i + 2] += first[i + 1];
  for (size_t i = 0; i < graph->arc_count; i++)
    arcs[first[(by_caller ? graph->arcs[i].caller : graph->arcs[i].callee) + 1]++] = i;
  sorted_graph = graph;
  for (size_t i = 0; i < graph->function_count; i++)
    if (first[i + 1] - first[i] > 1)
      qsort(arcs + first[i], first[i + 1] - first[i], sizeof *arcs,
            by_caller ? dearer_first : cheaper_first);
  *firsts = first;
  return arcs;
}

/* ---- one entry ---- */

static double seconds(const struct graph_order *order, double ticks) {
  return ticks / (order->listing->rate ? order->listing->rate : 1);
}

static void print_arc(const struct graph_order *order, uint32_t index, bool of_caller) {
  const struct call_graph *graph = order->listing->graph;
  const struct graph_arc *arc = &graph->arcs[index];
  const struct graph_node *callee = &graph->nodes[call_graph_whole(graph, arc->callee)];
  if (arc->caller == arc->callee ||
      (callee->cycle && callee->cycle == graph->nodes[arc->caller].cycle))
    fprintf(order->out, "%6s %5s %7s %7s %7llu %7s     ", "", "", "", "",
            (unsigned long long)arc->calls, "");
  else
    fprintf(order->out, "%6s %5s %7.2f %7.2f %7llu/%-7llu     ", "", "", seconds(order, arc->self),
            seconds(order, arc->child), (unsigned long long)arc->calls,
            (unsigned long long)callee->calls);
  gprof_print_numbered(order->listing, of_caller ? arc->caller : arc->callee, order->out);
  fputc('\n', order->out);
}

static void print_callers(const struct graph_order *order, uint32_t function) {
  size_t first = order->first_caller[function], end = order->first_caller[function + 1];
  if (first == end && !order->listing->graph->nodes[function].cycle)
    fprintf(order->out, "%6s %5s %7s %7s %7s %7s     <spontaneous>\n", "", "", "", "", "", "");
  for (size_t i = first; i < end; i++)
    print_arc(order, order->callers[i], true);
}

static void print_callees(const struct graph_order *order, uint32_t function) {
  for (size_t i = order->first_callee[function]; i < order->first_callee[function + 1]; i++)
    print_arc(order, order->callees[i], false);
}

static void print_own_line(const struct graph_order *order, uint32_t node) {
  const struct gprof_listing *listing = order->listing;
  const struct graph_node *shown = &listing->graph->nodes[node];
  double whole = listing->graph->shown > 0 ? listing->graph->shown : 1;
  char number[16];
  snprintf(number, sizeof number, "[%u]", listing->number[node]);
  fprintf(order->out, "%-6s %5.1f %7.2f %7.2f", number,
          100 * (shown->shown_self + shown->shown_child) / whole, seconds(order, shown->shown_self),
          seconds(order, shown->shown_child));
  if (shown->calls + shown->recursive == 0)
    fprintf(order->out, " %7s %7s ", "", "");
  else if (shown->recursive)
    fprintf(order->out, " %7llu+%-7llu ", (unsigned long long)shown->calls,
            (unsigned long long)shown->recursive);
  else
    fprintf(order->out, " %7llu %7s ", (unsigned long long)shown->calls, "");
  gprof_print_numbered(listing, node, order->out);
  fputc('\n', order->out);
}

static double member_time(const struct graph_node *node) {
  return node->shown_self + node->shown_child;
}

static int members_by_time(const void *left, const void *right) {
  uint32_t a_index = *(const uint32_t *)left, b_index = *(const uint32_t *)right;
  const struct graph_node *a = &sorted_graph->nodes[a_index], *b = &sorted_graph->nodes[b_index];
  if (member_time(a) != member_time(b)) return member_time(a) > member_time(b) ? -1 : 1;
  if (a->calls != b->calls) return a->calls > b->calls ? -1 : 1;
  return a_index < b_index ? -1 : 1;
}

static void print_members(const struct graph_order *order, uint32_t cycle) {
  const struct call_graph *graph = order->listing->graph;
  uint32_t *members = memory_zeroed(graph->function_count, sizeof *members);
  size_t count = 0;
  for (size_t i = 0; i < graph->function_count; i++)
    if (graph->nodes[i].cycle == cycle) members[count++] = i;
  sorted_graph = graph;
  qsort(members, count, sizeof *members, members_by_time);
  for (size_t i = 0; i < count; i++) {
    const struct graph_node *member = &graph->nodes[members[i]];
    char recursive[24] = "";
    if (member->recursive)
      snprintf(recursive, sizeof recursive, "+%llu", (unsigned long long)member->recursive);
    fprintf(order->out, "%6s %5s %7.2f %7.2f %7llu%-8s     ", "", "",
            seconds(order, member->shown_self), seconds(order, member->shown_child),
            (unsigned long long)member->calls, recursive);
    gprof_print_numbered(order->listing, members[i], order->out);
    fputc('\n', order->out);
  }
  free(members);
}

static void print_entry(const struct graph_order *order, uint32_t node) {
  const struct graph_node *shown = &order->listing->graph->nodes[node];
  if (!shown->name) {
    print_own_line(order, node);
    print_members(order, shown->cycle);
  } else {
    print_callers(order, node);
    print_own_line(order, node);
    print_callees(order, node);
  }
  fputs("-----------------------------------------------\n", order->out);
}

/* ---- all ---- */

static void print_granularity(const struct gprof_listing *listing, FILE *out) {
  fprintf(out, "\ngranularity: each sample hit covers %.0f byte(s)", listing->bin_bytes);
  if (listing->graph->shown > 0)
    fprintf(out, " for %.2f%% of %.2f %s\n\n", 100 / listing->graph->shown,
            listing->graph->shown / (listing->rate ? listing->rate : 1), listing->dimension);
  else
    fputs(" no time propagated\n\n", out);
}

static bool is_used(const struct graph_node *node) {
  return node->calls || node->recursive || node->shown_self != 0 || node->shown_child != 0;
}

void gprof_print_graph(const struct gprof_listing *listing, FILE *out) {
  const struct call_graph *graph = listing->graph;
  struct graph_order order = {.listing = listing, .out = out};
  order.callers = group(graph, false, &order.first_caller);
  order.callees = group(graph, true, &order.first_callee);
  fputs(listing->brief ? "\t\t\tCall graph\n\n" : "\t\t     Call graph (explained below)\n\n", out);
  print_granularity(listing, out);
  fputs("index % time    self  children    called     name\n", out);
  for (size_t i = 0; i < graph->node_count; i++) {
    const struct graph_node *node = &graph->nodes[listing->order[i]];
    bool wanted = (listing->unused && !node->piece) || is_used(node);
    if (node->listed && wanted) print_entry(&order, listing->order[i]);
  }
  if (!listing->brief) fputs(explanation, out);
  free(order.callers);
  free(order.callees);
  free(order.first_caller);
  free(order.first_callee);
}
