#include "report/columns.h"

#include <inttypes.h>
#include <string.h>

enum {
  WIDE = 10,         /* of a figure */
  WIDE_COUNT = 13,   /* of calls */
  NARROW_FIGURE = 6, /* "<0.004" */
  GAP = 2,           /* before a narrow column */
  ROOMY = 120,       /* terminals from this width on, and files, have wide columns */
  FOR_RATES = 110,   /* and from this on, figures per call beside the calls */
  FOR_TICKS = 100    /* or ticks beside times of lines and instructions */
};

/* Where nothing is sampled figures are exact; where nobody knows in how many samples they were
 * taken, the title says so. */
static bool has_uncertainty(const struct listing *listing) {
  const struct books *books = &listing->model->books;
  uint32_t evidence = profile_metric(listing->model->profile)->evidence;
  return (evidence == EVIDENCE_TICKS || evidence == EVIDENCE_SIZED) &&
         !(books->events && books->measured) && !books->evidence_unknown;
}

static bool has_calls(const struct listing *listing) {
  for (size_t i = 0; i < listing->model->function_count; i++) {
    const struct function_cost *cost =
        &listing->model->costs->functions[listing->model->by_total[i]];
    if (cost->calls || cost->recursive) return true;
  }
  return false;
}

static int length_of(const struct listing *listing, uint64_t ns) {
  return snprintf(NULL, 0, "%.*f", listing->unit.digits, ns / listing->unit.ns);
}

/* The width of functions' uncertainties, with "<" before those of zeros, or of their unit. */
static int uncertainty_length(const struct listing *listing) {
  uint64_t most = 0, most_of_zero = 0;
  for (size_t i = 0; i < listing->model->function_count; i++) {
    const struct function_cost *cost =
        &listing->model->costs->functions[listing->model->by_total[i]];
    const struct amount amounts[] = {cost->self, cost->total};
    for (size_t k = 0; k < 2; k++) {
      struct estimate estimate = model_estimate(listing->model, amounts[k]);
      uint64_t *of = estimate.ns ? &most : &most_of_zero;
      if (estimate.uncertainty_ns != UNCERTAINTY_UNKNOWN && estimate.uncertainty_ns > *of)
        *of = estimate.uncertainty_ns;
    }
  }
  int lengths[] = {length_of(listing, most), 1 + length_of(listing, most_of_zero),
                   (int)strlen(listing->unit.name)};
  int longest = 0;
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    if (lengths[i] > longest) longest = lengths[i];
  return longest;
}

static int calls_length(const struct listing *listing) {
  enum { TITLE = 7 /* "inlined" */ };
  uint64_t most = 0;
  for (size_t i = 0; i < listing->model->function_count; i++) {
    const struct function_cost *cost =
        &listing->model->costs->functions[listing->model->by_total[i]];
    if (cost->calls + cost->recursive > most) most = cost->calls + cost->recursive;
  }
  int length = snprintf(NULL, 0, "%" PRIu64, most);
  return length > TITLE ? length : TITLE;
}

/* Narrow terminals have columns that are as wide as what stands in them. */
static void choose_widths(struct listing *listing) {
  unsigned width = listing->terminal.width;
  struct columns *columns = &listing->columns;
  int whole = length_of(listing, model_whole_ns(listing->model));
  int narrow = (whole > NARROW_FIGURE ? whole : NARROW_FIGURE) + GAP;
  columns->figure = columns->uncertain = WIDE;
  columns->count = WIDE_COUNT;
  if (!width || width >= ROOMY || narrow > WIDE) return;
  columns->figure = narrow;
  columns->uncertain = listing->model->wait_costs ? narrow : uncertainty_length(listing) + GAP;
  if (columns->uncertain > narrow) columns->uncertain = narrow;
  columns->count = calls_length(listing) + GAP;
}

void columns_choose(struct listing *listing) {
  unsigned width = listing->terminal.width;
  struct columns *columns = &listing->columns;
  choose_widths(listing);
  columns->room_for_ticks = !width || width >= FOR_TICKS;
  columns->uncertainty = has_uncertainty(listing);
  columns->ticks = columns->uncertainty && columns->room_for_ticks;
  columns->calls = has_calls(listing);
  columns->cost = listing->model->books.all.raw_ns || listing->model->wait_costs || !columns->calls;
  columns->rates = columns->cost && columns->calls && (!width || width >= FOR_RATES);
}

static void print_texts(const struct listing *listing, const char *first, const char *second) {
  fprintf(listing->out, "%*s", listing->columns.figure, first);
  if (listing->columns.uncertainty)
    fprintf(listing->out, "%*s", listing->columns.uncertain, second);
}

void column_heading(const struct listing *listing, const char *name) {
  print_texts(listing, name, "+-");
}

void column_units(const struct listing *listing) {
  print_texts(listing, listing->unit.name, listing->unit.name);
}

void column_unit(const struct listing *listing) {
  print_texts(listing, listing->unit.name, "+-");
}

void column_estimate(const struct listing *listing, struct estimate estimate) {
  text_time(listing->out, listing->unit, estimate.ns, listing->columns.figure);
  if (listing->columns.uncertainty)
    text_uncertainty(listing->out, listing->unit, estimate, listing->columns.uncertain);
}

void column_unknown(const struct listing *listing) {
  print_texts(listing, "-", "-");
}

void column_by_ratio(const struct listing *listing, uint64_t ns) {
  static const char whole[] = "by ratio", part[] = "ratio";
  text_time(listing->out, listing->unit, ns, listing->columns.figure);
  if (listing->columns.uncertainty)
    fprintf(listing->out, "%*s", listing->columns.uncertain,
            listing->columns.uncertain > (int)strlen(whole) ? whole : part);
}

void column_blank(const struct listing *listing) {
  print_texts(listing, "", "");
}

int column_width(const struct listing *listing) {
  const struct columns *columns = &listing->columns;
  return columns->figure + columns->uncertain * columns->uncertainty;
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
