/* Lines of source by what they cost. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/listing.h"

enum { LISTED_LINES = 40, PLACE_COLUMN = 57, LONGEST_PLACE = 44 };

static uint64_t total_of(const struct listing *listing, uint32_t line) {
  const struct costs *costs = listing->costs;
  return costs->line_total ? costs->line_total[line].raw_ns : 0;
}

static int descending(uint64_t a, uint64_t b) {
  return a > b ? -1 : a < b;
}

static int compare_places(const struct profile_line *a, const struct profile_line *b) {
  int order = strcmp(a->file ? a->file : "", b->file ? b->file : "");
  return order ? order : (a->line > b->line) - (a->line < b->line);
}

static int in_order(const void *left, const void *right, void *context) {
  const struct listing *listing = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  const struct profile_line *lines = listing->profile->lines;
  const struct amount *self = listing->costs->line_self;
  int by_self = descending(self[a].raw_ns, self[b].raw_ns);
  int by_total = descending(total_of(listing, a), total_of(listing, b));
  int by_place = compare_places(&lines[a], &lines[b]);
  int order = by_self;
  if (listing->options->sort == SORT_TOTAL) order = by_total;
  if (listing->options->sort == SORT_NAME) order = by_place;
  if (!order) order = by_self ? by_self : by_total;
  if (!order) order = by_place;
  return order ? order : (a > b) - (a < b);
}

static void print_headings(const struct listing *listing) {
  const char *unit = listing->unit.name;
  bool totals = listing->costs->line_total;
  listing_title(listing, "Lines");
  listing_dim(listing);
  fprintf(listing->out, "%6s%10s%10s", "%", "self", "+-");
  if (totals) fprintf(listing->out, "%10s%10s", "total", "+-");
  fprintf(listing->out, "%9s  line and function\n", "ticks");
  fprintf(listing->out, "%6s%10s%10s", listing_share(listing), unit, unit);
  if (totals) fprintf(listing->out, "%10s%10s", unit, unit);
  fputc('\n', listing->out);
  listing_plain(listing);
}

static void print_place(const struct listing *listing, const struct profile_line *line) {
  if (line->file && line->line) {
    listing_path(listing, line->file, listing->options->width ? LONGEST_PLACE : 0);
    fprintf(listing->out, ":%" PRIu32, line->line);
  } else {
    fputs("(line not known)", listing->out);
  }
}

static void print_line(const struct listing *listing, uint32_t id) {
  const struct profile_line *line = &listing->profile->lines[id];
  struct amount amount = listing->costs->line_self[id];
  struct estimate self = listing_estimate(listing, amount);
  text_percent(listing->out, self.ns, listing->books.sampled_ns, 6);
  text_time(listing->out, listing->unit, self.ns, 10);
  text_uncertainty(listing->out, listing->unit, self.ns, self.uncertainty_ns, 10);
  if (listing->costs->line_total) {
    struct estimate total = listing_estimate(listing, listing->costs->line_total[id]);
    text_time(listing->out, listing->unit, total.ns, 10);
    text_uncertainty(listing->out, listing->unit, total.ns, total.uncertainty_ns, 10);
  }
  fprintf(listing->out, "%9" PRIu64 "  ", amount.ticks);
  print_place(listing, line);
  fputs("  ", listing->out);
  listing_name(listing, line->function, listing_name_width(listing, PLACE_COLUMN + LONGEST_PLACE));
  fprintf(listing->out, "%s\n", listing_inlined(listing, line->function));
}

void listing_lines(const struct listing *listing) {
  size_t count = 0, limit = listing->options->limit ? listing->options->limit : LISTED_LINES;
  uint32_t *lines = memory_zeroed(listing->profile->line_count, sizeof *lines);
  for (size_t i = 0; i < listing->profile->line_count; i++)
    if (listing->costs->line_self[i].raw_ns || total_of(listing, i)) lines[count++] = i;
  qsort_r(lines, count, sizeof *lines, in_order, (void *)listing);
  print_headings(listing);
  for (size_t i = 0; i < count && i < limit; i++)
    print_line(listing, lines[i]);
  if (count > limit) fprintf(listing->out, "%zu more lines (--limit all)\n", count - limit);
  free(lines);
}
