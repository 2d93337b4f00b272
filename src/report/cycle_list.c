/* Cycles of mutual recursion that occurred. */
#include "attribution/cycles.h"

#include <inttypes.h>

#include "report/listing.h"

enum { LISTED_CYCLES = 40, NAME_COLUMN = 40 };

static void print_member(const struct listing *listing, uint32_t function) {
  if (function == NOTHING)
    fputs("...", listing->out);
  else
    listing_name(listing, function, listing_name_width(listing, NAME_COLUMN));
}

static void print_cycle(const struct listing *listing, const struct cycle *cycle) {
  if (cycle->calls)
    fprintf(listing->out, "%14" PRIu64 "%10s  ", cycle->calls, "-");
  else
    fprintf(listing->out, "%14s%10" PRIu64 "  ", "-", cycle->ticks);
  for (uint32_t i = 0; i < cycle->length; i++) {
    print_member(listing, cycle->functions[i]);
    fputs(" > ", listing->out);
  }
  print_member(listing, cycle->functions[0]);
  fputc('\n', listing->out);
}

/* Code without hooks may have called itself where no tick fell. */
static void print_none(const struct listing *listing) {
  fputs(listing->model->books.calls || listing->model->run.hooks
            ? "none: no function called itself through others\n"
            : "none seen: no tick fell while a function had called itself through others\n",
        listing->out);
}

void listing_cycles(const struct listing *listing) {
  struct cycles *cycles = cycles_find(listing->model->profile, &listing->model->options->selection);
  size_t limit = listing->model->options->limit ? listing->model->options->limit : LISTED_CYCLES;
  fputc('\n', listing->out);
  listing_bold(listing);
  fputs("Cycles that occurred\n", listing->out);
  listing_plain(listing);
  if (cycles->count == 0) print_none(listing);
  listing_dim(listing);
  if (cycles->count)
    fputs("         calls     ticks  cycle; calls: that closed it; ticks: of one that was seen on "
          "their stacks only\n",
          listing->out);
  listing_plain(listing);
  for (size_t i = 0; i < cycles->count && i < limit; i++)
    print_cycle(listing, &cycles->list[i]);
  if (cycles->count > limit)
    fprintf(listing->out, "%zu more cycles (--limit all)\n", cycles->count - limit);
  if (cycles->more_calls)
    fprintf(listing->out, "%14" PRIu64 "  calls closed other cycles than the %d that are kept\n",
            cycles->more_calls, MOST_CYCLES);
  if (cycles->more_seen)
    fprintf(listing->out, "ticks found other cycles than the %d that are kept\n", MOST_CYCLES);
  cycles_free(cycles);
}
