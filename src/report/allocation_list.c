/* What a program allocated: its books, and where it did. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/heap_sites.h"
#include "report/columns.h"

enum {
  SITES_SHOWN = 25,
  NUMBER_WIDTH = 12,
  COUNT_WIDTH = 12,
  RANGE_WIDTH = 20,
  PLACE_BYTES = 4200
};

static uint64_t left(uint64_t whole, uint64_t gone) {
  return gone < whole ? whole - gone : 0;
}

static const char *bytes_text(uint64_t bytes, char text[QUANTITY_BYTES]) {
  return quantity_text("bytes", bytes, text);
}

/* "nothing was seen" has reasons that the user can do something about. */
static void print_unseen(FILE *out) {
  fputs("heap       no allocation was seen: the program is statically linked, or defines malloc "
        "itself (docs/HEAP.md)\n",
        out);
}

static const char *total_text(const struct profile *profile, enum heap_metric metric,
                              char text[QUANTITY_ESTIMATE_BYTES]) {
  return quantity_estimate_text(heap_metric_unit(metric), heap_estimate(profile, metric), text);
}

static void print_counted(const struct profile *profile, const struct profile_heap *sums,
                          FILE *out) {
  char text[QUANTITY_ESTIMATE_BYTES];
  if (sums->mean)
    fprintf(out, "heap       %s", total_text(profile, HEAP_ALLOCATIONS, text));
  else
    fprintf(out, "heap       %" PRIu64 " allocation%s", sums->allocations,
            sums->allocations == 1 ? "" : "s");
  fprintf(out, " of %s", total_text(profile, HEAP_ALLOCATED, text));
}

static void print_peak(const struct profile *profile, const struct profile_heap *sums,
                       size_t processes, FILE *out) {
  char text[QUANTITY_ESTIMATE_BYTES], at[DURATION_BYTES];
  fprintf(out, "; at most %s at once", total_text(profile, HEAP_PEAK, text));
  if (processes > 1) fputs(" (the sum of its processes' peaks)", out);
  if (sums->peak_within)
    fprintf(out, " (threads had up to %s more or less under way)",
            bytes_text(sums->peak_within, text));
  if (processes == 1 && sums->peak_ns) fprintf(out, ", after %s", duration_text(sums->peak_ns, at));
}

static void print_live(const struct profile *profile, const struct profile_heap *sums, FILE *out) {
  uint64_t blocks = left(sums->allocations, sums->frees);
  char text[QUANTITY_ESTIMATE_BYTES];
  fprintf(out, "; %s", total_text(profile, HEAP_LIVE, text));
  if (!sums->mean) fprintf(out, " in %" PRIu64 " block%s", blocks, blocks == 1 ? "" : "s");
  fputs(" at the end\n", out);
  if (sums->mean)
    fprintf(out, "           estimated from random samples, one of %s on average\n",
            bytes_text(sums->mean, text));
}

void listing_heap_sums(const struct profile *profile, FILE *out) {
  size_t processes;
  struct profile_heap sums = heap_sums(profile, &processes);
  if (!sums.recorded) return;
  if (!sums.mean && !sums.allocations && !sums.frees) {
    print_unseen(out);
    return;
  }
  print_counted(profile, &sums, out);
  print_peak(profile, &sums, processes, out);
  print_live(profile, &sums, out);
  if (sums.dropped)
    fprintf(out,
            "           %" PRIu64 " more had no room or came in signal handlers: in no figure\n",
            sums.dropped);
  if (sums.stackless)
    fprintf(out, "           %" PRIu64 " of them had no room for their stack\n", sums.stackless);
  if (sums.unknown_frees + sums.early_frees)
    fprintf(out,
            "           %" PRIu64 " blocks were freed that were allocated before the recording, "
            "a fork or a pause\n",
            sums.unknown_frees + sums.early_frees);
}

/* ---- sites ---- */

/* The list that is printed. */
struct site_list {
  const struct listing *listing;
  enum heap_metric by;
  struct books books; /* of that metric */
};

static bool is_sampled(const struct site_list *list) {
  return list->books.heaviest > 0;
}

static int costliest_first(const void *left_site, const void *right_site, void *context) {
  const struct heap_site *a = left_site, *b = right_site;
  enum heap_metric by = ((const struct site_list *)context)->by;
  uint64_t x = a->cost[by].raw_ns, y = b->cost[by].raw_ns;
  if (x != y) return x > y ? -1 : 1;
  uint64_t calls = a->cost[HEAP_ALLOCATIONS].raw_ns, others = b->cost[HEAP_ALLOCATIONS].raw_ns;
  if (calls != others) return calls > others ? -1 : 1;
  return (a->line > b->line) - (a->line < b->line);
}

static const char *name_of_range(enum heap_metric by) {
  return by == HEAP_LIVE ? "at end, 95 %" : by == HEAP_PEAK ? "at peak, 95 %" : "allocated, 95 %";
}

static void print_heading(const struct site_list *list, const char *title) {
  const struct listing *listing = list->listing;
  fputc('\n', listing->out);
  listing_bold(listing);
  fprintf(listing->out, "%s (%s)\n", title, is_sampled(list) ? "estimated" : "counted");
  listing_plain(listing);
  listing_dim(listing);
  if (is_sampled(list)) fprintf(listing->out, "%*s", RANGE_WIDTH, name_of_range(list->by));
  fprintf(listing->out, "%*s%*s%*s%*s%*s%*s  function and line\n", NUMBER_WIDTH, "allocated",
          COUNT_WIDTH, "allocations", COUNT_WIDTH, "temporary", NUMBER_WIDTH, "at peak",
          NUMBER_WIDTH, "at end", COUNT_WIDTH, "blocks");
  listing_plain(listing);
}

static void print_bytes(const struct listing *listing, uint64_t bytes) {
  char text[QUANTITY_BYTES];
  fprintf(listing->out, "%*s", NUMBER_WIDTH, bytes_text(bytes, text));
}

static void print_range(const struct site_list *list, struct amount amount) {
  char low[QUANTITY_BYTES], high[QUANTITY_BYTES], text[2 * QUANTITY_BYTES + 2];
  if (!is_sampled(list)) return;
  struct estimate estimate = books_estimate(&list->books, amount);
  snprintf(text, sizeof text, "%s..%s", bytes_text(estimate.low_ns, low),
           bytes_text(estimate.high_ns, high));
  fprintf(list->listing->out, "%*s", RANGE_WIDTH, text);
}

static void print_count(const struct listing *listing, uint64_t count) {
  fprintf(listing->out, "%*" PRIu64, COUNT_WIDTH, count);
}

/* A part of a run has no peak. */
static bool peak_is_known(const struct listing *listing) {
  return heap_metric_of(listing->model->profile, HEAP_PEAK) != NOTHING;
}

static void print_site(const struct site_list *list, const struct heap_site *site) {
  const struct listing *listing = list->listing;
  const struct profile_line *line = &listing->model->profile->lines[site->line];
  char place[PLACE_BYTES] = "";
  print_range(list, site->cost[list->by]);
  print_bytes(listing, site->cost[HEAP_ALLOCATED].raw_ns);
  print_count(listing, site->cost[HEAP_ALLOCATIONS].raw_ns);
  print_count(listing, site->cost[HEAP_TEMPORARY].raw_ns);
  if (peak_is_known(listing))
    print_bytes(listing, site->cost[HEAP_PEAK].raw_ns);
  else
    fprintf(listing->out, "%*s", NUMBER_WIDTH, "-");
  print_bytes(listing, site->cost[HEAP_LIVE].raw_ns);
  print_count(listing, site->cost[HEAP_LIVE].ticks);
  fputs("  ", listing->out);
  size_t used = 3 * NUMBER_WIDTH + 3 * COUNT_WIDTH + 2 + (is_sampled(list) ? RANGE_WIDTH : 0);
  if (line->file && line->line)
    snprintf(place, sizeof place, "  %s:%" PRIu32, model_relative(listing->model, line->file),
             line->line);
  listing_name(listing, line->function, listing_name_width(listing, used + strlen(place)));
  fprintf(listing->out, "%s\n", place);
}

/* Where one line allocates nearly everything, its callers are what is asked for. */
static void print_hint(const struct site_list *list, const struct heap_site *sites, size_t count) {
  const struct profile *profile = list->listing->model->profile;
  uint64_t all = 0, first = sites[0].cost[list->by].raw_ns;
  for (size_t i = 0; i < count; i++)
    all += sites[i].cost[list->by].raw_ns;
  if (count < 2 || first < all / 10 * 9) return;
  fputs("nearly all of it in one place; for whom: --wrappers '", list->listing->out);
  text_name(list->listing->out, profile->functions[profile->lines[sites[0].line].function].name, 0);
  fputs("'\n", list->listing->out);
}

static void print_sites(const struct listing *listing, const char *title, enum heap_metric by) {
  size_t count, shown = 0, limit = listing->model->options->limit;
  const struct report_options *options = listing->model->options;
  struct heap_site *sites = heap_sites_make(listing->model->profile, &options->selection, &count);
  struct site_list list = {listing, by, {0}};
  if (!sites || (by == HEAP_PEAK && !peak_is_known(listing))) {
    free(sites);
    fprintf(listing->out, "\n%s: not known%s\n", title,
            listing->model->profile->interval.to_ns ? " by time: ask the whole profile"
                                                    : ": record with --heap");
    return;
  }
  struct profile view =
      metric_view(listing->model->profile, heap_metric_of(listing->model->profile, by));
  books_make(&view, &list.books);
  qsort_r(sites, count, sizeof *sites, costliest_first, &list);
  print_heading(&list, title);
  if (!limit) limit = SITES_SHOWN;
  for (; shown < count && shown < limit && sites[shown].cost[by].raw_ns; shown++)
    print_site(&list, &sites[shown]);
  if (!shown) fputs("        none\n", listing->out);
  if (shown && !options->selection.wrappers) print_hint(&list, sites, count);
  if (shown < count && sites[shown].cost[by].raw_ns)
    fprintf(listing->out, "%zu more places (--limit all)\n", count - shown);
  free(sites);
}

void listing_heap(const struct listing *listing) {
  print_sites(listing, "Where memory was allocated, by bytes", HEAP_ALLOCATED);
}

void listing_leaks(const struct listing *listing) {
  print_sites(listing,
              listing->model->profile->interval.to_ns
                  ? "Memory that was live at the end of the interval, by where it was allocated"
                  : "Memory that was not freed at the end, by where it was allocated",
              HEAP_LIVE);
}

void listing_peak(const struct listing *listing) {
  print_sites(listing, "Memory at the peak, by where it was allocated", HEAP_PEAK);
}
