/* Cost centres by what they cost. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/centre_costs.h"
#include "profile/centres.h"
#include "report/columns.h"

enum { ENTRIES_WIDTH = 15, CENTRES_SHOWN = 40 };

struct centre_list {
  const struct listing *listing;
  const struct centre_costs *costs;
  uint32_t *order;
  size_t count;
};

static int descending(uint64_t a, uint64_t b) {
  return a > b ? -1 : a < b;
}

static uint64_t entries_of(const struct function_cost *cost) {
  return cost->calls + cost->recursive;
}

static int in_order(const void *left, const void *right, void *context) {
  const struct centre_list *list = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  const struct function_cost *first = &list->costs->costs->functions[a];
  const struct function_cost *second = &list->costs->costs->functions[b];
  int by_self = descending(first->self.raw_ns, second->self.raw_ns);
  int by_total = descending(first->total.raw_ns, second->total.raw_ns);
  int by_entries = descending(entries_of(first), entries_of(second)), order = by_self;
  enum report_sort sort = list->listing->model->options->sort;
  if (sort == SORT_TOTAL) order = by_total;
  if (sort == SORT_CALLS) order = by_entries;
  if (sort == SORT_NAME)
    order = strcmp(list->costs->view.functions[a].name, list->costs->view.functions[b].name);
  if (!order) order = by_self ? by_self : by_total ? by_total : by_entries;
  return order ? order : (a > b) - (a < b);
}

/* Memory: a centre that was entered may have nothing to do with it. */
static void find_centres(struct centre_list *list) {
  bool of_memory = profile_metric(list->listing->model->profile)->kind == METRIC_HEAP;
  size_t all = list->costs->view.function_count;
  list->order = memory_zeroed(all + 1, sizeof *list->order);
  for (size_t i = 0; i < all; i++) {
    const struct function_cost *cost = &list->costs->costs->functions[i];
    bool entered = !of_memory && !list->costs->costs->calls_unknown && entries_of(cost);
    if (entered || cost->total.raw_ns) list->order[list->count++] = (uint32_t)i;
  }
  qsort_r(list->order, list->count, sizeof *list->order, in_order, list);
}

static void print_headings(const struct listing *listing) {
  listing_title(listing, "Cost centres");
  listing_dim(listing);
  column_shares_heading(listing);
  column_heading(listing, "self");
  column_heading(listing, "total");
  fprintf(listing->out, "%*s  centre\n", ENTRIES_WIDTH, "entries");
  column_shares_units(listing);
  column_units(listing);
  column_units(listing);
  fputc('\n', listing->out);
  listing_plain(listing);
}

static void print_place(const struct listing *listing, const struct profile_function *centre) {
  size_t used = SHARES_WIDTH + 2 * column_width(listing) + ENTRIES_WIDTH + 2 + strlen(centre->name);
  if (!centre->linkage[0]) return;
  fputs("  ", listing->out);
  listing_dim(listing);
  text_name(listing->out, model_relative(listing->model, centre->linkage),
            listing_name_width(listing, used + 2));
  listing_plain(listing);
}

static void print_centre(const struct centre_list *list, uint32_t id) {
  const struct listing *listing = list->listing;
  const struct profile_function *centre = &list->costs->view.functions[id];
  const struct function_cost *cost = &list->costs->costs->functions[id];
  struct estimate self = model_estimate(listing->model, cost->self);
  struct estimate total = model_estimate(listing->model, cost->total);
  column_shares(listing, self.ns, &total.ns, books_whole_ns(&listing->model->books));
  column_estimate(listing, self);
  column_estimate(listing, total);
  if (!costs_calls_known(&list->costs->view, list->costs->costs, id))
    fprintf(listing->out, "%*s", ENTRIES_WIDTH, "-");
  else
    fprintf(listing->out, "%*" PRIu64, ENTRIES_WIDTH, entries_of(cost));
  fprintf(listing->out, "  ");
  text_start(listing->out, centre->name, 0);
  print_place(listing, centre);
  fputc('\n', listing->out);
}

static void print_other(const struct listing *listing, struct estimate self, const char *name) {
  column_shares(listing, self.ns, NULL, books_whole_ns(&listing->model->books));
  column_estimate(listing, self);
  column_unknown(listing);
  fprintf(listing->out, "%*s  %s\n", ENTRIES_WIDTH, "-", name);
}

/* What no centre has: with it the self figures add up to the whole. */
static void print_others(const struct centre_list *list) {
  const struct report_model *model = list->listing->model;
  if (list->costs->outside.raw_ns)
    print_other(list->listing, model_estimate(model, list->costs->outside), "(in no cost centre)");
  for (int kind = 0; kind < UNATTRIBUTED_KINDS; kind++) {
    struct unattributed part = model_unattributed(model, kind);
    if (part.time.ns || part.ticks) print_other(list->listing, part.time, part.name);
  }
}

void listing_centres(const struct listing *listing) {
  const struct report_options *options = listing->model->options;
  const struct profile *profile = listing->model->profile;
  if (!profile_has_centres(profile)) {
    fputs("\nCost centres: the program entered none; ASCRIBE_SCOPE of <ascribe/ascribe.h> names "
          "them, and --centres=functions and its like take them from the stacks\n",
          listing->out);
    return;
  }
  if (options->parts & REPORT_SERIES) return; /* which is then by centre */
  struct centre_costs *costs = centre_costs_make(profile, &options->selection);
  struct centre_list list = {.listing = listing, .costs = costs};
  find_centres(&list);
  print_headings(listing);
  size_t limit = options->limit ? options->limit : CENTRES_SHOWN;
  for (size_t i = 0; i < list.count && i < limit; i++)
    print_centre(&list, list.order[i]);
  if (list.count > limit)
    fprintf(listing->out, "%zu more centres (--limit all)\n", list.count - limit);
  print_others(&list);
  free(list.order);
  centre_costs_free(costs);
}
