/* The flat profile of several metrics, side by side. */
#include <stdlib.h>
#include <string.h>

#include "report/columns.h"

enum { EACH_MOST = 20, PART_OF_WHOLE = 200 };

struct metrics_beside {
  struct listing *listings; /* one for each */
  struct profile *views;
  size_t count;
  FILE *out;
  bool *chosen; /* by function */
};

static bool by_total(const struct metrics_beside *beside) {
  return beside->listings[0].model->options->sort == SORT_TOTAL;
}

/* What stands in a column. */
static struct amount amount_of(const struct metrics_beside *beside, const struct listing *listing,
                               uint32_t function) {
  const struct function_cost *cost = &listing->model->costs->functions[function];
  return by_total(beside) ? cost->total : cost->self;
}

static int group_width(const struct listing *listing) {
  return SHARE_WIDTH + 1 + column_width(listing);
}

/* Once, if it is the same of all metrics. */
static void print_worth(const struct metrics_beside *beside) {
  const char *first = listing_worth(&beside->listings[0]);
  bool same = true;
  for (size_t i = 1; i < beside->count; i++)
    same &= strcmp(listing_worth(&beside->listings[i]), first) == 0;
  for (size_t i = 0; i < (same ? 1 : beside->count); i++) {
    fputs(i ? "; " : "", beside->out);
    if (!same) fprintf(beside->out, "%s ", profile_metric(&beside->views[i])->name);
    fputs(listing_worth(&beside->listings[i]), beside->out);
  }
}

static void print_heading(const struct metrics_beside *beside) {
  const struct listing *first = &beside->listings[0];
  fputc('\n', beside->out);
  listing_bold(first);
  fprintf(beside->out, "Flat profile of %zu metrics, %s (", beside->count,
          by_total(beside) ? "total" : "self");
  print_worth(beside);
  fputs(")\n", beside->out);
  listing_plain(first);
  listing_dim(first);
  for (size_t i = 0; i < beside->count; i++)
    fprintf(beside->out, "%*s", group_width(&beside->listings[i]),
            profile_metric(&beside->views[i])->name);
  fputs("  name\n", beside->out);
  for (size_t i = 0; i < beside->count; i++) {
    fprintf(beside->out, "%*s", SHARE_WIDTH + 1, "%");
    column_unit(&beside->listings[i]);
  }
  fputc('\n', beside->out);
  listing_plain(first);
}

static void print_cost(const struct metrics_beside *beside, const struct listing *listing,
                       uint32_t function) {
  struct estimate cost = model_estimate(listing->model, amount_of(beside, listing, function));
  if (by_total(beside) && !model_has_total(listing->model, function)) {
    fprintf(beside->out, "%*s", SHARE_WIDTH + 1, "-");
    column_unknown(listing);
    return;
  }
  text_percent(beside->out, cost.ns, books_whole_ns(&listing->model->books), SHARE_WIDTH + 1);
  column_estimate(listing, cost);
}

static void print_entry(const struct metrics_beside *beside, uint32_t function) {
  size_t used = 2;
  for (size_t i = 0; i < beside->count; i++) {
    print_cost(beside, &beside->listings[i], function);
    used += (size_t)group_width(&beside->listings[i]);
  }
  fputs("  ", beside->out);
  listing_name(&beside->listings[0], function, listing_name_width(&beside->listings[0], used));
  fputc('\n', beside->out);
}

/* What makes up most of a metric, or the entries that were asked for. */
static void choose(struct metrics_beside *beside, const struct listing *listing) {
  uint32_t *order = model_sorted(listing->model, SORT_SELF);
  size_t limit = listing->model->options->limit, most = limit ? limit : EACH_MOST;
  uint64_t least = limit ? 1 : listing->model->books.all.raw_ns / PART_OF_WHOLE + 1;
  for (size_t i = 0; i < listing->model->listed_count && most; i++) {
    if (amount_of(beside, listing, order[i]).raw_ns < least) continue;
    beside->chosen[order[i]] = true;
    most--;
  }
  free(order);
}

/* Those of the first metric in its order, then what others have besides. */
static void print_chosen(struct metrics_beside *beside) {
  for (size_t i = 0; i < beside->count; i++) {
    const struct listing *listing = &beside->listings[i];
    uint32_t *order = model_sorted(listing->model, SORT_SELF);
    for (size_t k = 0; k < listing->model->listed_count; k++) {
      if (!beside->chosen[order[k]]) continue;
      beside->chosen[order[k]] = false;
      print_entry(beside, order[k]);
    }
    free(order);
  }
}

void listing_side_by_side(const struct listing *listing) {
  const struct report_options *options = listing->model->options;
  struct metrics_beside beside = {.count = options->metric_count, .out = listing->out};
  beside.listings = memory_zeroed(beside.count, sizeof *beside.listings);
  beside.views = memory_zeroed(beside.count, sizeof *beside.views);
  beside.chosen = memory_zeroed(listing->model->profile->function_count, sizeof *beside.chosen);
  for (size_t i = 0; i < beside.count; i++) {
    beside.views[i] = metric_view(listing->model->profile, options->metrics[i]);
    listing_open(&beside.listings[i], &beside.views[i], options, &listing->terminal, listing->out);
  }
  print_heading(&beside);
  for (size_t i = 0; i < beside.count; i++)
    choose(&beside, &beside.listings[i]);
  print_chosen(&beside);
  for (size_t i = 0; i < beside.count; i++)
    listing_close(&beside.listings[i]);
  free(beside.listings);
  free(beside.views);
  free(beside.chosen);
}
