/* How much of the source was executed, where that was counted. */
#include <inttypes.h>

#include "attribution/counts/line_counts.h"
#include "report/listing.h"

static void print_part(FILE *out, uint64_t part, uint64_t whole, const char *what) {
  fprintf(out, "%" PRIu64 " of %" PRIu64 " %s (%.1f %%)", part, whole, what, 100.0 * part / whole);
}

void listing_coverage(const struct listing *listing) {
  struct coverage coverage;
  if (!listing->model->profile->expression_count) return;
  line_counts_coverage(listing->model->profile, &coverage);
  if (!coverage.lines) return;
  listing_label(listing, "executed");
  print_part(listing->out, coverage.executed_lines, coverage.lines, "lines with code");
  if (coverage.branches) {
    fputs(", ", listing->out);
    print_part(listing->out, coverage.taken_branches, coverage.branches, "branches");
  }
  fputc('\n', listing->out);
}
