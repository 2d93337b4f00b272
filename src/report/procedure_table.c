/* The table of CHICKEN's chicken-profile: calls, seconds, average and percent of each function. A
 * function's time is its total. Where that is unknown, it is what the function took itself. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/columns.h"

enum { USUAL_ENTRIES = 40, RATE_WIDTH = 10 };

static void print_rates(const struct listing *listing, const char *rate, const char *uncertainty) {
  if (!listing->columns.rates) return;
  fprintf(listing->out, "%*s", RATE_WIDTH, rate);
  if (listing->columns.uncertainty) fprintf(listing->out, "%*s", RATE_WIDTH, uncertainty);
}

static void print_heading(const struct listing *listing) {
  listing_title(listing, "Functions");
  listing_dim(listing);
  fprintf(listing->out, "%*s", listing->columns.count, "calls");
  column_heading(listing, model_unit(listing->model) ? "cost" : "time");
  print_rates(listing, "average", "+-");
  fprintf(listing->out, "%*s  name\n%*s", SHARE_WIDTH + 2, "percent", listing->columns.count, "");
  column_units(listing);
  print_rates(listing, "/call", "/call");
  fprintf(listing->out, "%*s\n", SHARE_WIDTH + 2, "%");
  listing_plain(listing);
}

static void print_average(const struct listing *listing, struct estimate time, uint64_t calls) {
  char average[DURATION_BYTES], uncertainty[DURATION_BYTES];
  const char *unit = model_unit(listing->model);
  if (!calls || !time.ns || !listing->columns.cost) {
    print_rates(listing, "-", "-");
    return;
  }
  bool known = time.uncertainty_ns != UNCERTAINTY_UNKNOWN;
  print_rates(
      listing, quantity_short_text(unit, (double)time.ns / (double)calls, average),
      known ? quantity_short_text(unit, (double)time.uncertainty_ns / (double)calls, uncertainty)
            : "?");
}

static void print_entry(const struct listing *listing, uint32_t id) {
  const struct report_model *model = listing->model;
  const struct function_cost *cost = &model->costs->functions[id];
  struct estimate time = model_estimate(model, model_time(model, id));
  bool counted = costs_calls_known(model->profile, model->costs, id);
  uint64_t calls = counted ? cost->calls + cost->recursive : 0;
  size_t used = (size_t)(listing->columns.count + column_width(listing) + SHARE_WIDTH + 4) +
                (size_t)RATE_WIDTH * listing->columns.rates * (1 + listing->columns.uncertainty);
  const char *of = listing->columns.cost && !model_has_total(model, id) ? " (self)" : "";
  if (counted)
    fprintf(listing->out, "%*" PRIu64, listing->columns.count, calls);
  else
    fprintf(listing->out, "%*s", listing->columns.count, "-");
  listing->columns.cost ? column_estimate(listing, time) : column_unknown(listing);
  print_average(listing, time, calls);
  if (listing->columns.cost)
    text_percent(listing->out, time.ns, books_whole_ns(&model->books), SHARE_WIDTH + 2);
  else
    fprintf(listing->out, "%*s", SHARE_WIDTH + 2, "-");
  fputs("  ", listing->out);
  listing_name(listing, id, listing_name_width(listing, used + strlen(of)));
  fprintf(listing->out, "%s\n", of);
}

void listing_table(const struct listing *listing) {
  const struct report_model *model = listing->model;
  size_t limit = model->options->limit ? model->options->limit : USUAL_ENTRIES;
  uint32_t *order = model_sorted(model, SORT_TOTAL);
  if (model->options->sort == SORT_DEFAULT)
    qsort_r(order, model->listed_count, sizeof *order, model_compare_times, (void *)model);
  print_heading(listing);
  for (size_t i = 0; i < model->listed_count && i < limit; i++)
    print_entry(listing, order[i]);
  if (model->listed_count > limit)
    fprintf(listing->out, "%zu more functions (--limit all)\n", model->listed_count - limit);
  free(order);
}
