#include "report/source_margin.h"

#include <inttypes.h>

#include "report/columns.h"

enum { ROOMY = 110 /* columns of a terminal */, COUNT_WIDTH = 13 };

bool margin_has_total_times(const struct source *source) {
  unsigned width = source->listing->terminal.width;
  return source->has_costs && source->figures.totals_known && (!width || width >= ROOMY);
}

static int figures_width(const struct source *source) {
  if (!source->has_costs) return 0;
  int shares = source->figures.totals_known ? SHARES_WIDTH : SHARE_WIDTH;
  return shares + (1 + margin_has_total_times(source)) * column_width(source->listing);
}

int margin_width(const struct source *source) {
  return figures_width(source) + COUNT_WIDTH * (source->has_calls + source->has_counts);
}

static void print_blank(const struct source *source) {
  const struct listing *listing = source->listing;
  fprintf(listing->out, "%*s", figures_width(source), "");
}

static void print_share(const struct listing *listing, struct amount amount, int width) {
  if (amount.raw_ns)
    text_percent(listing->out, model_estimate(listing->model, amount).ns,
                 books_whole_ns(&listing->model->books), width);
  else
    fprintf(listing->out, "%*s", width, "");
}

static void print_estimate(const struct listing *listing, struct amount amount) {
  amount.raw_ns ? column_estimate(listing, model_estimate(listing->model, amount))
                : column_blank(listing);
}

void margin_figures(const struct source *source, const struct line_figure *figure) {
  const struct listing *listing = source->listing;
  if (!figure->self.raw_ns && !figure->total.raw_ns) {
    print_blank(source);
    return;
  }
  bool totals = source->figures.totals_known;
  print_share(listing, figure->self, SHARE_WIDTH);
  if (totals) print_share(listing, figure->total, SHARES_WIDTH - SHARE_WIDTH);
  print_estimate(listing, figure->self);
  if (margin_has_total_times(source)) print_estimate(listing, figure->total);
}

void margin_calls(const struct source *source, uint64_t calls) {
  if (!source->has_calls) return;
  if (calls)
    fprintf(source->listing->out, " %12" PRIu64, calls);
  else
    fprintf(source->listing->out, " %12s", "");
}

void margin_executed(const struct source *source, const struct line_figure *figure) {
  if (!source->has_counts) return;
  if (figure->unsure)
    fprintf(source->listing->out, " %12s", "?");
  else if (figure->has_code)
    fprintf(source->listing->out, " %12" PRIu64, figure->executed);
  else
    fprintf(source->listing->out, " %12s", "");
}
