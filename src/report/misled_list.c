/* Where gprof's average-time assumption misleads. */
#include <stdlib.h>

#include "attribution/misled.h"
#include "report/listing.h"

enum { LISTED_MISLED = 40, NAME_COLUMN = 50 };

static void print_what(const struct listing *listing, const struct misled *misled) {
  size_t width = listing_name_width(listing, NAME_COLUMN);
  if (misled->function != NOTHING) {
    listing_name(listing, misled->function, width);
  } else {
    const struct arc_cost *arc = &listing->model->costs->arcs[misled->arc];
    listing_name(listing, arc->caller, width / 2);
    fputs(" -> ", listing->out);
    listing_name(listing, arc->callee, width / 2);
  }
  fputs(misled->in_cycle ? " (in a cycle of the call graph)\n" : "\n", listing->out);
}

static void print_misled(const struct listing *listing, const struct misled *misled) {
  text_time(listing->out, listing->unit, misled->truth.ns, 10);
  text_uncertainty(listing->out, listing->unit, misled->truth, 10);
  text_time(listing->out, listing->unit, misled->assumed_ns, 12);
  double change = ((double)misled->assumed_ns - misled->truth.ns) / listing->unit.ns;
  fprintf(listing->out, "%+12.*f  ", listing->unit.digits, change);
  print_what(listing, misled);
}

void listing_misled(const struct listing *listing) {
  size_t count,
      limit = listing->model->options->limit ? listing->model->options->limit : LISTED_MISLED;
  struct misled *list =
      misled_find(listing->model->profile, listing->model->costs,
                  &listing->model->options->selection, &listing->model->books, &count);
  const char *unit = listing->unit.name;
  fputc('\n', listing->out);
  listing_bold(listing);
  fputs("Where the average-time assumption of gprof misleads\n", listing->out);
  listing_plain(listing);
  if (count == 0) {
    fputs("nowhere beyond the uncertainty of the figures\n", listing->out);
  } else {
    listing_dim(listing);
    fprintf(listing->out,
            "     total        +-    as gprof     off by  function, or caller -> callee\n"
            "  %8s  %8s    %8s   %8s\n",
            unit, unit, unit, unit);
    listing_plain(listing);
  }
  for (size_t i = 0; i < count && i < limit; i++)
    print_misled(listing, &list[i]);
  if (count > limit) fprintf(listing->out, "%zu more (--limit all)\n", count - limit);
  free(list);
}
