#include "report/columns.h"

enum {
  WIDE = 10,         /* of a figure */
  NARROW_FIGURE = 6, /* "<0.004" */
  ROOMY = 120,       /* terminals from this width on, and files, have wide columns */
  FOR_RATES = 110    /* and from this on, figures per call beside the calls */
};

/* Where nothing is sampled figures are exact; where nobody knows in how many samples they were
 * taken, the title says so. */
static bool has_uncertainty(const struct listing *listing) {
  const struct books *books = &listing->books;
  return listing->profile->origin.evidence == EVIDENCE_TICKS &&
         !(books->events && books->measured) && !books->evidence_unknown;
}

static bool has_calls(const struct listing *listing) {
  for (size_t i = 0; i < listing->function_count; i++) {
    const struct function_cost *cost = &listing->costs->functions[listing->by_total[i]];
    if (cost->calls || cost->recursive) return true;
  }
  return false;
}

void columns_choose(struct listing *listing) {
  unsigned width = listing->options->width;
  struct columns *columns = &listing->columns;
  double whole = (double)listing_whole_ns(listing);
  int length = snprintf(NULL, 0, "%.*f", listing->unit.digits, whole / listing->unit.ns);
  int narrow = (length > NARROW_FIGURE ? length : NARROW_FIGURE) + 2;
  columns->figure = !width || width >= ROOMY || narrow > WIDE ? WIDE : narrow;
  columns->uncertainty = columns->ticks = has_uncertainty(listing);
  columns->calls = has_calls(listing);
  columns->cost = listing->books.all.raw_ns || listing->wait_costs || !columns->calls;
  columns->rates = columns->cost && columns->calls && (!width || width >= FOR_RATES);
}

static void print_texts(const struct listing *listing, const char *first, const char *second) {
  fprintf(listing->out, "%*s", listing->columns.figure, first);
  if (listing->columns.uncertainty) fprintf(listing->out, "%*s", listing->columns.figure, second);
}

void column_heading(const struct listing *listing, const char *name) {
  print_texts(listing, name, "+-");
}

void column_units(const struct listing *listing) {
  print_texts(listing, listing->unit.name, listing->unit.name);
}

void column_estimate(const struct listing *listing, struct estimate estimate) {
  text_time(listing->out, listing->unit, estimate.ns, listing->columns.figure);
  if (listing->columns.uncertainty)
    text_uncertainty(listing->out, listing->unit, estimate.ns, estimate.uncertainty_ns,
                     listing->columns.figure);
}

void column_unknown(const struct listing *listing) {
  print_texts(listing, "-", "-");
}

void column_blank(const struct listing *listing) {
  print_texts(listing, "", "");
}

int column_width(const struct listing *listing) {
  return listing->columns.figure * (1 + listing->columns.uncertainty);
}

void column_shares(const struct listing *listing, uint64_t self_ns, const uint64_t *total_ns,
                   uint64_t whole_ns) {
  text_percent(listing->out, self_ns, whole_ns, SHARE_WIDTH);
  if (total_ns)
    text_percent(listing->out, *total_ns, whole_ns, SHARES_WIDTH - SHARE_WIDTH);
  else
    fprintf(listing->out, "%*s", SHARES_WIDTH - SHARE_WIDTH, "-");
}

void column_shares_heading(const struct listing *listing) {
  fprintf(listing->out, "%*s%*s", SHARE_WIDTH, "self", SHARES_WIDTH - SHARE_WIDTH, "total");
}

void column_shares_units(const struct listing *listing) {
  fprintf(listing->out, "%*s%*s", SHARE_WIDTH, "%", SHARES_WIDTH - SHARE_WIDTH, "%");
}
