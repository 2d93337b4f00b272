#include "report/spread_list.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- columns ---- */

void spread_number_of(const struct listing *listing, const struct run_rank *ranks, uint32_t run) {
  if (!ranks)
    fprintf(listing->out, "%5" PRIu32, run + 1);
  else if (ranks[run].known)
    fprintf(listing->out, "%5" PRIu32, ranks[run].rank);
  else
    fprintf(listing->out, "%5s", "-");
}

static void print_number(const struct listing *listing, double ns) {
  fprintf(listing->out, "%10.*f", listing->unit.digits, ns / listing->unit.ns);
}

void spread_print(const struct listing *listing, const struct run_spread *spread) {
  print_number(listing, spread->mean);
  print_number(listing, spread->deviation);
  fputc(spread_is_real(spread, listing->model->profile->run_count) ? '*' : ' ', listing->out);
  print_number(listing, spread->least);
  print_number(listing, spread->most);
}

void spread_print_imbalance(const struct listing *listing, const struct imbalance *imbalance) {
  if (isnan(imbalance->ratio))
    fprintf(listing->out, "%7s%15s", "-", "");
  else if (isnan(imbalance->low))
    fprintf(listing->out, "%7.2f%15s", imbalance->ratio, "unknown");
  else
    fprintf(listing->out, "%7.2f%7.2f..%-6.2f", imbalance->ratio, imbalance->low, imbalance->high);
}

/* ---- lines and contexts ---- */

enum { LISTED_ITEMS = 10, FIGURES = 4 * 10 + 1, COLUMNS = FIGURES + 6 + 22 + 2, FUNCTIONS = 3 };

static bool is_listed(const struct listing *listing, const struct item_spread *item, size_t count) {
  return spread_is_real_of(&item->self, listing->model->profile->run_count, count) &&
         (isnan(item->self.imbalance.low) || item->self.imbalance.low > 1);
}

static void print_title(const struct listing *listing, const struct run_rank *ranks,
                        enum spread_of of) {
  const char *unit = listing->unit.name;
  const char *things = of == SPREAD_OF_LINES ? "Lines" : "Contexts";
  fputc('\n', listing->out);
  listing_bold(listing);
  fprintf(listing->out, "%s in which %s differ by more than sampling explains\n", things,
          ranks ? "ranks" : "runs");
  listing_plain(listing);
  listing_dim(listing);
  fprintf(listing->out,
          "      self deviation      least      most  %4s    imbalance (95 %%)  %s\n"
          "   %7s   %7s    %7s   %7s  with\n",
          ranks ? "rank" : "run", of == SPREAD_OF_LINES ? "line and function" : "context", unit,
          unit, unit, unit);
  listing_plain(listing);
}

/* The innermost functions, with their callers outwards. */
static void print_context(const struct listing *listing, uint32_t id) {
  const struct profile_context *context = &listing->model->profile->contexts[id];
  uint32_t shown = context->length < FUNCTIONS ? context->length : FUNCTIONS;
  if (!context->length) fputs("(outside of functions)", listing->out);
  if (shown < context->length) fputs("... > ", listing->out);
  for (uint32_t i = context->length - shown; i < context->length; i++) {
    listing_name(listing, context->history[i] >> 1, 0);
    if (i + 1 < context->length) fputs(" > ", listing->out);
  }
  fputc('\n', listing->out);
}

static void print_item(const struct listing *listing, const struct run_rank *ranks,
                       enum spread_of of, const struct item_spread *item) {
  spread_print(listing, &item->self);
  fputc(' ', listing->out);
  spread_number_of(listing, ranks, item->self.most_run);
  spread_print_imbalance(listing, &item->self.imbalance);
  fputs("  ", listing->out);
  if (of == SPREAD_OF_LINES)
    listing_line(listing, &listing->model->profile->lines[item->id], COLUMNS);
  else
    print_context(listing, item->id);
}

void listing_spreads(const struct listing *listing, const struct run_rank *ranks,
                     enum spread_of of) {
  size_t count, listed = 0, limit = listing->model->options->limit;
  struct item_spread *list = runs_item_spread(listing->model->profile, of, &count);
  if (!limit) limit = LISTED_ITEMS;
  for (size_t i = 0; i < count; i++) {
    if (!is_listed(listing, &list[i], count)) continue;
    if (!listed++) print_title(listing, ranks, of);
    if (listed <= limit) print_item(listing, ranks, of, &list[i]);
  }
  if (listed > limit)
    fprintf(listing->out, "%zu more %s (--limit all)\n", listed - limit,
            of == SPREAD_OF_LINES ? "lines" : "contexts");
  free(list);
}
