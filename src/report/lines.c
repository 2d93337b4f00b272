/* Self time by line. */
#include <stdlib.h>

#include "report/listing.h"

enum { LISTED_LINES = 40 };

static int more_time_first(const void *left, const void *right, void *context) {
  const struct costs *costs = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  uint64_t of_a = costs->line_self[a].raw_ns, of_b = costs->line_self[b].raw_ns;
  if (of_a != of_b) return of_a > of_b ? -1 : 1;
  return (a > b) - (a < b);
}

static void print_line(const struct listing *listing, uint32_t id) {
  const struct profile_line *line = &listing->profile->lines[id];
  struct estimate self = listing_estimate(listing, listing->costs->line_self[id]);
  text_percent(listing->out, self.ns, listing->books.sampled_ns, 6);
  text_time(listing->out, listing->unit, self.ns, 10);
  text_uncertainty(listing->out, listing->unit, self.ns, self.uncertainty_ns, 10);
  fputs("  ", listing->out);
  if (line->file && line->line) {
    text_name(listing->out, line->file, listing_name_width(listing, 60));
    fprintf(listing->out, ":%u in ", line->line);
  } else {
    fputs("(line not known) in ", listing->out);
  }
  listing_name(listing, line->function, 0);
  fputc('\n', listing->out);
}

void listing_lines(const struct listing *listing) {
  size_t count = 0, limit = listing->options->limit ? listing->options->limit : LISTED_LINES;
  uint32_t *lines = memory_zeroed(listing->profile->line_count, sizeof *lines);
  for (size_t i = 0; i < listing->profile->line_count; i++)
    if (listing->costs->line_self[i].raw_ns) lines[count++] = i;
  qsort_r(lines, count, sizeof *lines, more_time_first, listing->costs);
  fputc('\n', listing->out);
  listing_bold(listing);
  fputs("Lines, self time\n", listing->out);
  listing_plain(listing);
  listing_dim(listing);
  fprintf(listing->out, "   %%      self        +-  line\n  %s  %7s   %7s\n",
          listing_share(listing), listing->unit.name, listing->unit.name);
  listing_plain(listing);
  for (size_t i = 0; i < count && i < limit; i++)
    print_line(listing, lines[i]);
  if (count > limit) fprintf(listing->out, "%zu more lines (--limit all)\n", count - limit);
  free(lines);
}
