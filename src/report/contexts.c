/* Contexts by their self time. */
#include <inttypes.h>
#include <stdlib.h>

#include "recording/history.h"
#include "report/listing.h"

enum { MOST_CONTEXTS = 40 };

struct chosen {
  uint32_t *ids;
  size_t count;
};

static int more_time_first(const void *left, const void *right, void *context) {
  const struct profile *profile = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  uint64_t of_a = profile->contexts[a].self.raw_ns, of_b = profile->contexts[b].self.raw_ns;
  if (of_a != of_b) return of_a > of_b ? -1 : 1;
  return (a > b) - (a < b);
}

static struct chosen choose(const struct listing *listing) {
  const struct profile *profile = listing->profile;
  struct chosen chosen = {memory_zeroed(profile->context_count, sizeof(uint32_t)), 0};
  bool *selected = costs_select(profile, &listing->options->selection);
  for (size_t i = 0; i < profile->context_count; i++)
    if (selected[i] && profile->contexts[i].self.raw_ns) chosen.ids[chosen.count++] = i;
  free(selected);
  qsort_r(chosen.ids, chosen.count, sizeof *chosen.ids, more_time_first, (void *)profile);
  return chosen;
}

/* Unmarked entries stand in parentheses: they were called again further on. */
static void print_history(const struct listing *listing, const struct profile_context *context) {
  for (uint32_t i = 0; i < context->length; i++) {
    bool marked = history_marked(context->history[i]);
    if (i) fputs(" > ", listing->out);
    if (!marked) fputc('(', listing->out);
    text_name(listing->out, listing->profile->functions[history_function(context->history[i])].name,
              0);
    if (!marked) fputc(')', listing->out);
  }
  fputc('\n', listing->out);
}

void listing_contexts(const struct listing *listing) {
  struct chosen chosen = choose(listing);
  size_t limit = listing->options->limit ? listing->options->limit : MOST_CONTEXTS;
  fputc('\n', listing->out);
  listing_bold(listing);
  fputs("Contexts\n", listing->out);
  listing_plain(listing);
  listing_dim(listing);
  fprintf(listing->out,
          "   %%      self        +-  context; (f): f was called again further on\n"
          "  %s  %7s   %7s\n",
          listing_share(listing), listing->unit.name, listing->unit.name);
  listing_plain(listing);
  for (size_t i = 0; i < chosen.count && i < limit; i++) {
    const struct profile_context *context = &listing->profile->contexts[chosen.ids[i]];
    struct estimate self = listing_estimate(listing, context->self);
    text_percent(listing->out, self.ns, books_whole_ns(&listing->books), 6);
    text_time(listing->out, listing->unit, self.ns, 10);
    text_uncertainty(listing->out, listing->unit, self.ns, self.uncertainty_ns, 10);
    fputs("  ", listing->out);
    print_history(listing, context);
  }
  if (chosen.count > limit)
    fprintf(listing->out, "%zu more contexts with time (--limit all)\n", chosen.count - limit);
  free(chosen.ids);
}
