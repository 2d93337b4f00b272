/* Cycles of mutual recursion that occurred. */
#include "attribution/cycles.h"

#include <inttypes.h>

#include "report/listing.h"

enum { LISTED_CYCLES = 40 };

static void print_member(const struct listing *listing, uint32_t function) {
  if (function == NOTHING)
    fputs("...", listing->out);
  else
    listing_name(listing, function, 0);
}

static void print_cycle(const struct listing *listing, const struct cycle *cycle) {
  fprintf(listing->out, "%14" PRIu64 "  ", cycle->calls);
  for (uint32_t i = 0; i < cycle->length; i++) {
    print_member(listing, cycle->functions[i]);
    fputs(" > ", listing->out);
  }
  print_member(listing, cycle->functions[0]);
  fputc('\n', listing->out);
}

void listing_cycles(const struct listing *listing) {
  struct cycles *cycles = cycles_find(listing->profile, &listing->options->selection);
  size_t limit = listing->options->limit ? listing->options->limit : LISTED_CYCLES;
  fputc('\n', listing->out);
  listing_bold(listing);
  fputs("Cycles that occurred\n", listing->out);
  listing_plain(listing);
  if (cycles->count == 0) fputs("none: no function called itself through others\n", listing->out);
  listing_dim(listing);
  if (cycles->count) fputs("         calls  cycle; calls are those that closed it\n", listing->out);
  listing_plain(listing);
  for (size_t i = 0; i < cycles->count && i < limit; i++)
    print_cycle(listing, &cycles->list[i]);
  if (cycles->count > limit)
    fprintf(listing->out, "%zu more cycles (--limit all)\n", cycles->count - limit);
  if (cycles->more_calls)
    fprintf(listing->out, "%14" PRIu64 "  calls closed other cycles than the %d that are kept\n",
            cycles->more_calls, MOST_CYCLES);
  cycles_free(cycles);
}
