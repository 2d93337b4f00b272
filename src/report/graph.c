/* The call graph, in gprof's layout: callers above, the function, what it calls below.
 * Source: Graham, Kessler, McKusick, "gprof: a call graph execution profiler", figure 4. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/listing.h"

enum {
  FIRST_COLUMN = 10,
  INDENT = 8, /* of callers and callees */
  INDENT_NARROW = 4,
  CALLS_WIDTH = 20,
  CALLS_WIDTH_NARROW = 16,
  MOST_ENTRIES = 40,
  MOST_ARCS = 16
};

struct graph {
  const struct listing *listing;
  uint32_t *order;
  size_t shown;
  bool *printed; /* by function */
};

static bool is_narrow(const struct listing *listing) {
  return listing->columns.figure < 10;
}

/* Wide columns are a little narrower than in the flat profile. */
static int uncertainty_width(const struct listing *listing) {
  const struct columns *columns = &listing->columns;
  return is_narrow(listing) ? columns->uncertain : columns->figure - 1;
}

static int times_width(const struct listing *listing) {
  const struct columns *columns = &listing->columns;
  int uncertain = columns->uncertainty ? uncertainty_width(listing) : 0;
  return 2 * columns->cost * (columns->figure + uncertain);
}

static int indent(const struct listing *listing) {
  return is_narrow(listing) ? INDENT_NARROW : INDENT;
}

static int calls_width(const struct listing *listing) {
  return is_narrow(listing) ? CALLS_WIDTH_NARROW : CALLS_WIDTH;
}

static int name_column(const struct listing *listing) {
  return FIRST_COLUMN + times_width(listing) + (listing->columns.calls ? calls_width(listing) : 0);
}

static void print_texts(const struct listing *listing, const char *time, const char *uncertainty) {
  if (!listing->columns.cost) return;
  int figure = listing->columns.figure;
  fprintf(listing->out, "%*s", figure, time);
  if (listing->columns.uncertainty)
    fprintf(listing->out, "%*s", uncertainty_width(listing), uncertainty);
}

static void print_calls(const struct listing *listing, const char *calls) {
  if (listing->columns.calls) fprintf(listing->out, "%*s", calls_width(listing), calls);
}

static void print_heading(const struct listing *listing) {
  const char *unit = listing->unit.name;
  (listing->columns.cost ? listing_title : listing_title_by_calls)(listing, "Call graph");
  listing_dim(listing);
  fprintf(listing->out, "%*s", FIRST_COLUMN + times_width(listing), "");
  print_calls(listing, "called/total");
  fprintf(listing->out, "%*scallers\nindex%*s", indent(listing), "", FIRST_COLUMN - 5,
          listing->columns.cost ? "%" : "");
  print_texts(listing, "self", "+-");
  print_texts(listing, listing->columns.figure > 8 ? "children" : "child", "+-");
  print_calls(listing, "called+self");
  fprintf(listing->out, "  name\n%*s", FIRST_COLUMN,
          listing->columns.cost ? model_share(listing->model) : "");
  print_texts(listing, unit, unit);
  print_texts(listing, unit, unit);
  print_calls(listing, "called/total");
  fprintf(listing->out, "%*scallees\n", indent(listing), "");
  if (listing->model->costs->total_known && listing->model->costs->self.raw_ns)
    fputs("The file does not say which part of an arc's cost is the callee's own, so all of it "
          "stands under children.\n",
          listing->out);
  listing_plain(listing);
}

/* Null: not known. */
static void print_time(const struct listing *listing, const struct amount *amount) {
  if (!listing->columns.cost) return;
  if (!amount) {
    print_texts(listing, "-", "-");
    return;
  }
  struct estimate estimate = model_estimate(listing->model, *amount);
  text_time(listing->out, listing->unit, estimate.ns, listing->columns.figure);
  if (listing->columns.uncertainty)
    text_uncertainty(listing->out, listing->unit, estimate, uncertainty_width(listing));
}

/* [n] where the function has an entry here, (n) where it has none. */
static void print_name(const struct graph *graph, uint32_t id, size_t indent, const char *remark) {
  const struct listing *listing = graph->listing;
  char behind[64];
  size_t used = (size_t)name_column(listing) + indent;
  used += (size_t)snprintf(behind, sizeof behind, graph->printed[id] ? " [%u]%s" : " (%u)%s",
                           listing->model->index[id], remark);
  const char *inlined = listing_inlined_beside(listing, id, used);
  fprintf(listing->out, "%*s", (int)indent, "");
  listing_name(listing, id, listing_name_width(listing, used + strlen(inlined)));
  fprintf(listing->out, "%s%s\n", behind, inlined);
}

static void print_arc_times(const struct listing *listing, const struct arc_cost *arc,
                            bool incoming) {
  bool known = model_has_total(listing->model, arc->callee) && !arc->cost_unknown;
  bool split = !listing->model->costs->total_known;
  const struct amount *self = incoming ? &arc->in_self : &arc->out_self;
  const struct amount *children = incoming ? &arc->in_child : &arc->out_child;
  if (!split) known = !arc->cost_unknown;
  print_time(listing, split && !arc->cost_unknown ? self : NULL);
  print_time(listing, known ? children : NULL);
}

static void print_arc(const struct graph *graph, const struct arc_cost *arc, bool incoming) {
  const struct listing *listing = graph->listing;
  char calls[64] = "-", range[CALLS_RANGE_BYTES] = "";
  if (arc->solved) calls_range_text(arc->least_calls, arc->most_calls, range);
  if (costs_arc_counted(listing->model->profile, listing->model->costs, arc))
    snprintf(calls, sizeof calls, "%s%" PRIu64 "/%" PRIu64, range[0] ? "~" : "", arc->calls,
             listing->model->costs->functions[arc->callee].calls);
  fprintf(listing->out, "%10s", "");
  print_arc_times(listing, arc, incoming);
  print_calls(listing, calls);
  uint32_t other = incoming ? arc->caller : arc->callee;
  if (other == NOTHING)
    fprintf(listing->out, "%*s<spontaneous>%s\n", indent(listing), "", range);
  else
    print_name(graph, other, (size_t)indent(listing),
               arc->doubtful_calls ? IN_DOUBT
               : arc->tail_calls   ? " tail"
                                   : range);
}

static void print_left_out(const struct listing *listing, size_t count, const char *what) {
  fprintf(listing->out, "%*s... and %zu more %s\n", name_column(listing) + indent(listing), "",
          count, what);
}

static size_t arcs_shown(const struct listing *listing, size_t count) {
  return listing->model->options->limit == SIZE_MAX || count <= MOST_ARCS ? count : MOST_ARCS;
}

static void print_callers(const struct graph *graph, uint32_t id) {
  const struct listing *listing = graph->listing;
  size_t first = listing->model->first_caller[id],
         count = listing->model->first_caller[id + 1] - first;
  size_t shown = arcs_shown(listing, count);
  if (shown < count) print_left_out(listing, count - shown, "callers");
  for (size_t i = count - shown; i < count; i++)
    print_arc(graph, &listing->model->costs->arcs[listing->model->callers[first + i]], true);
}

static void print_callees(const struct graph *graph, uint32_t id) {
  const struct listing *listing = graph->listing;
  size_t first = listing->model->first_callee[id + 1];
  size_t count = listing->model->first_callee[id + 2] - first, shown = arcs_shown(listing, count);
  for (size_t i = 0; i < shown; i++)
    print_arc(graph, &listing->model->costs->arcs[listing->model->callees[first + i]], false);
  if (shown < count) print_left_out(listing, count - shown, "callees");
}

/* For code without hooks the total is a lower bound; for imported costs nothing is shown. */
static void print_share(const struct listing *listing, uint32_t id, bool known, int width) {
  struct amount total = listing->model->costs->functions[id].total;
  if (!listing->columns.cost)
    fprintf(listing->out, "%*s", width, "");
  else if (known || !listing->model->costs->total_known)
    text_percent(listing->out, books_ns(&listing->model->books, total),
                 books_whole_ns(&listing->model->books), width);
  else
    fprintf(listing->out, "%*s", width, "-");
}

static void print_entry(const struct graph *graph, uint32_t id) {
  const struct listing *listing = graph->listing;
  const struct function_cost *cost = &listing->model->costs->functions[id];
  char index[16], calls[64] = "-", hooks[HOOKS_BYTES];
  bool known = model_has_total(listing->model, id);
  struct amount children = {cost->total.ticks - cost->self.ticks,
                            cost->total.raw_ns - cost->self.raw_ns};
  bool counted = costs_calls_known(listing->model->profile, listing->model->costs, id);
  if (counted && cost->recursive)
    snprintf(calls, sizeof calls, "%" PRIu64 "+%" PRIu64, cost->calls, cost->recursive);
  else if (counted)
    snprintf(calls, sizeof calls, "%" PRIu64, cost->calls);
  print_callers(graph, id);
  listing_bold(listing);
  snprintf(index, sizeof index, "[%u]", listing->model->index[id]);
  fprintf(listing->out, "%-5s", index);
  print_share(listing, id, known, 10 - (int)(strlen(index) > 5 ? strlen(index) : 5));
  print_time(listing, &cost->self);
  print_time(listing, known ? &children : NULL);
  print_calls(listing, calls);
  print_name(graph, id, 2, listing_hooks_text(listing, id, hooks));
  listing_plain(listing);
  print_callees(graph, id);
  fputs("-----------------------------------------------\n", listing->out);
}

/* Without a limit: entries that cost 1 % or more. */
static size_t entries_shown(const struct listing *listing) {
  size_t limit = listing->model->options->limit, count = 0;
  if (limit) return limit < listing->model->listed_count ? limit : listing->model->listed_count;
  uint64_t least = listing->model->costs->self.raw_ns / 100;
  for (size_t i = 0; i < listing->model->function_count && count < MOST_ENTRIES; i++) {
    if (listing->model->costs->functions[listing->model->by_total[i]].total.raw_ns < least) break;
    count += model_lists(listing->model, listing->model->by_total[i]);
  }
  return count;
}

static int compare_positions(const void *left, const void *right, void *context) {
  const struct listing *listing = context;
  const struct profile_function *functions = listing->model->profile->functions;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  int order = strcmp(functions[a].name, functions[b].name);
  return order ? order : (listing->model->index[a] > listing->model->index[b]) * 2 - 1;
}

static void print_index(const struct graph *graph) {
  const struct listing *listing = graph->listing;
  qsort_r(graph->order, graph->shown, sizeof *graph->order, compare_positions, (void *)listing);
  fputc('\n', listing->out);
  listing_bold(listing);
  fputs("Index by function name\n", listing->out);
  listing_plain(listing);
  for (size_t i = 0; i < graph->shown; i++) {
    fprintf(listing->out, "%7s[%u] ", "", listing->model->index[graph->order[i]]);
    listing_name(listing, graph->order[i], listing_name_width(listing, 14));
    fputc('\n', listing->out);
  }
}

void listing_graph(const struct listing *listing) {
  struct graph graph = {.listing = listing, .order = model_sorted(listing->model, SORT_TOTAL)};
  graph.printed = memory_zeroed(listing->model->profile->function_count, sizeof *graph.printed);
  graph.shown = entries_shown(listing);
  for (size_t i = 0; i < graph.shown; i++)
    graph.printed[graph.order[i]] = true;
  print_heading(listing);
  for (size_t i = 0; i < graph.shown; i++)
    print_entry(&graph, graph.order[i]);
  if (graph.shown < listing->model->listed_count)
    fprintf(listing->out, "%zu more functions have no entry here (--limit all)\n",
            listing->model->listed_count - graph.shown);
  print_index(&graph);
  free(graph.order);
  free(graph.printed);
}
