/* The flat profile of a program whose threads were looked at while they waited, too. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "report/columns.h"

enum { LEAST_ENTRIES = 10, MOST_ENTRIES = 40 };

enum { FOR_CALLS = 100 /* columns of a terminal that has room for them */ };

static bool shows_calls(const struct listing *listing) {
  unsigned width = listing->terminal.width;
  return listing->columns.calls && (!width || width >= FOR_CALLS);
}

static void print_heading(const struct listing *listing) {
  listing_title_of_both(listing, "Flat profile");
  listing_dim(listing);
  column_shares_heading(listing);
  column_heading(listing, "CPU");
  column_heading(listing, "waiting");
  column_heading(listing, "total");
  if (shows_calls(listing)) fprintf(listing->out, "%*s", listing->columns.count, "calls");
  fputs("  name\n", listing->out);
  column_shares_units(listing);
  for (int i = 0; i < 3; i++)
    column_units(listing);
  fputc('\n', listing->out);
  listing_plain(listing);
}

/* They were sampled independently of each other, so the squares of what either may lack, or have
 * too much, add up. */
static struct estimate sum(struct estimate cpu, struct estimate waiting) {
  struct estimate both = {.ns = cpu.ns + waiting.ns, .uncertainty_ns = UNCERTAINTY_UNKNOWN};
  if (cpu.uncertainty_ns == UNCERTAINTY_UNKNOWN || waiting.uncertainty_ns == UNCERTAINTY_UNKNOWN)
    return both;
  double below = hypot((double)(cpu.ns - cpu.low_ns), (double)(waiting.ns - waiting.low_ns));
  double above = hypot((double)(cpu.high_ns - cpu.ns), (double)(waiting.high_ns - waiting.ns));
  both.low_ns = both.ns - (uint64_t)below;
  both.high_ns = both.ns + (uint64_t)above;
  both.uncertainty_ns = (uint64_t)fmax(below, above);
  return both;
}

static void print_calls(const struct listing *listing, uint32_t id) {
  const struct function_cost *cost = &listing->model->costs->functions[id];
  if (!shows_calls(listing)) return;
  if (costs_calls_known(listing->model->profile, listing->model->costs, id))
    fprintf(listing->out, "%*" PRIu64, listing->columns.count, cost->calls + cost->recursive);
  else
    fprintf(listing->out, "%*s", listing->columns.count, "-");
}

static void print_entry(const struct listing *listing, uint32_t id) {
  const struct function_cost *cost = &listing->model->costs->functions[id];
  const struct function_cost *waits = &listing->model->wait_costs->functions[id];
  struct estimate cpu = model_estimate(listing->model, cost->self);
  struct estimate waiting = books_estimate(&listing->model->wait_books, waits->self);
  struct estimate total = sum(model_estimate(listing->model, cost->total),
                              books_estimate(&listing->model->wait_books, waits->total));
  bool known = model_has_total(listing->model, id);
  column_shares(listing, cpu.ns + waiting.ns, known ? &total.ns : NULL,
                model_whole_ns(listing->model));
  column_estimate(listing, cpu);
  column_estimate(listing, waiting);
  known ? column_estimate(listing, total) : column_unknown(listing);
  print_calls(listing, id);
  fputs("  ", listing->out);
  listing_entry_name(listing, id,
                     SHARES_WIDTH + 3 * column_width(listing) +
                         (shows_calls(listing) ? listing->columns.count : 0) + 2);
}

static uint64_t self_ns(const struct listing *listing, uint32_t id) {
  return books_ns(&listing->model->books, listing->model->costs->functions[id].self) +
         books_ns(&listing->model->wait_books, listing->model->wait_costs->functions[id].self);
}

/* Without a limit: the functions that make up 99 % of the time. */
static size_t entries_shown(const struct listing *listing, const uint32_t *order) {
  size_t limit = listing->model->options->limit, count = 0;
  uint64_t shown = 0;
  if (limit) return limit < listing->model->listed_count ? limit : listing->model->listed_count;
  while (count < listing->model->listed_count && count < MOST_ENTRIES &&
         (count < LEAST_ENTRIES || shown < model_whole_ns(listing->model) / 100 * 99))
    shown += self_ns(listing, order[count++]);
  return count;
}

/* What no function has. */
static void print_rest(const struct listing *listing, uint64_t ns, const char *what) {
  if (!ns) return;
  text_percent(listing->out, ns, model_whole_ns(listing->model), 6);
  fprintf(listing->out, " %% %s\n", what);
}

void listing_wall(const struct listing *listing) {
  print_heading(listing);
  uint32_t *order = model_sorted(listing->model, SORT_SELF);
  size_t shown = entries_shown(listing, order);
  uint64_t rest = 0;
  for (size_t i = 0; i < shown; i++)
    print_entry(listing, order[i]);
  for (size_t i = shown; i < listing->model->listed_count; i++)
    rest += self_ns(listing, order[i]);
  free(order);
  if (shown < listing->model->listed_count) {
    text_percent(listing->out, rest, model_whole_ns(listing->model), 6);
    fprintf(listing->out, " %% of the time in %zu more functions (--limit all)\n",
            listing->model->listed_count - shown);
  }
  if (model_is_part(listing->model)) return;
  print_rest(listing, listing->model->books.kernel_ns, "CPU time in the kernel, not sampled");
  print_rest(listing, listing->model->books.unsampled_ns, "CPU time, not sampled");
  print_rest(listing, listing->model->wait_books.unsampled_ns, "waiting that was not sampled");
}
