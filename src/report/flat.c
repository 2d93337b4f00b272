/* The flat profile. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/listing.h"

enum { NAME_COLUMN = 82, LEAST_ENTRIES = 10, MOST_ENTRIES = 40 };

static void print_heading(const struct listing *listing) {
  const char *unit = listing->unit.name;
  listing_title(listing, "Flat profile");
  listing_dim(listing);
  fprintf(listing->out,
          "   %%      self        +-     total        +-        calls     self       +-  name\n"
          "  %s  %7s   %7s   %7s   %7s                /call    /call\n",
          listing_share(listing), unit, unit, unit, unit);
  listing_plain(listing);
}

static void print_per_call(const struct listing *listing, struct estimate self, uint64_t calls) {
  char text[DURATION_BYTES], uncertainty[DURATION_BYTES];
  if (!calls || !self.ns) {
    fprintf(listing->out, " %8s %8s", "-", "-");
    return;
  }
  const char *unit = listing_unit(listing);
  fprintf(listing->out, " %8s %8s", quantity_short_text(unit, (double)self.ns / calls, text),
          self.uncertainty_ns == UNCERTAINTY_UNKNOWN
              ? "?"
              : quantity_short_text(unit, (double)self.uncertainty_ns / calls, uncertainty));
}

static void print_entry(const struct listing *listing, uint32_t id) {
  const struct function_cost *cost = &listing->costs->functions[id];
  struct estimate self = listing_estimate(listing, cost->self);
  text_percent(listing->out, self.ns, listing->books.sampled_ns, 6);
  text_time(listing->out, listing->unit, self.ns, 10);
  text_uncertainty(listing->out, listing->unit, self.ns, self.uncertainty_ns, 10);
  if (listing_has_total(listing, id)) {
    struct estimate total = listing_estimate(listing, cost->total);
    text_time(listing->out, listing->unit, total.ns, 10);
    text_uncertainty(listing->out, listing->unit, total.ns, total.uncertainty_ns, 10);
  } else {
    fprintf(listing->out, "%10s%10s", "-", "-");
  }
  if (costs_calls_known(listing->profile, listing->costs, id)) {
    uint64_t calls = cost->calls + cost->recursive;
    fprintf(listing->out, " %12" PRIu64, calls);
    print_per_call(listing, self, calls);
  } else {
    fprintf(listing->out, " %12s %8s %8s", "-", "-", "-");
  }
  fputs("  ", listing->out);
  const char *inlined = listing_inlined(listing, id);
  listing_name(listing, id, listing_name_width(listing, NAME_COLUMN + strlen(inlined)));
  fprintf(listing->out, " [%u]%s\n", listing->index[id], inlined);
}

/* Without a limit: the functions that make up 99 % of the time. */
static size_t entries_shown(const struct listing *listing, const uint32_t *order) {
  size_t limit = listing->options->limit;
  if (limit) return limit < listing->function_count ? limit : listing->function_count;
  uint64_t whole = listing->costs->self.raw_ns, sum = 0;
  size_t count = 0;
  while (count < listing->function_count && count < MOST_ENTRIES &&
         (count < LEAST_ENTRIES || !whole || sum < whole / 100 * 99))
    sum += listing->costs->functions[order[count++]].self.raw_ns;
  return count;
}

static void print_rest(const struct listing *listing, const uint32_t *order, size_t shown) {
  struct amount rest = {0};
  for (size_t i = shown; i < listing->function_count; i++)
    rest = amount_sum(rest, listing->costs->functions[order[i]].self);
  if (shown == listing->function_count) return;
  text_percent(listing->out, books_ns(&listing->books, rest), listing->books.sampled_ns, 6);
  fprintf(listing->out, " %% of the %s in %zu more functions (--limit all)\n",
          listing_share(listing), listing->function_count - shown);
}

static void print_unattributed(const struct listing *listing, const char *name,
                               struct amount amount) {
  if (!amount.ticks) return;
  struct estimate self = listing_estimate(listing, amount);
  text_percent(listing->out, self.ns, listing->books.sampled_ns, 6);
  text_time(listing->out, listing->unit, self.ns, 10);
  text_uncertainty(listing->out, listing->unit, self.ns, self.uncertainty_ns, 10);
  fprintf(listing->out, "%10s%10s %12s %8s %8s  %s\n", "-", "-", "-", "-", "-", name);
}

void listing_flat(const struct listing *listing) {
  if (listing->wait_costs) {
    listing_wall(listing);
    return;
  }
  print_heading(listing);
  uint32_t *order = listing_sorted(listing, SORT_SELF);
  size_t shown = entries_shown(listing, order);
  for (size_t i = 0; i < shown; i++)
    print_entry(listing, order[i]);
  print_rest(listing, order, shown);
  free(order);
  if (selection_is_part(listing)) return;
  print_unattributed(listing, "(profiler)", listing->books.profiler);
  print_unattributed(listing, "(ticks that had no room)", listing->books.dropped);
}
