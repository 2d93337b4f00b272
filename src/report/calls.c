/* The call sites of functions, by their calls. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/copies.h"
#include "attribution/possible_calls.h"
#include "report/listing.h"
#include "report/subject.h"

enum { LISTED_SITES = 40, FIGURES = 23, LONGEST_PLACE = 44 };

struct site_list {
  const struct listing *listing;
  const struct profile_possible_call **possible; /* by site; or null */
  uint32_t *sites;
  size_t count;
  uint64_t calls;
};

static bool is_subject(const struct subject *subject, uint32_t function) {
  for (size_t i = 0; i < subject->group_count; i++)
    for (size_t k = 0; k < subject->groups[i].count; k++)
      if (subject->groups[i].ids[k] == function) return true;
  return false;
}

static int by_place(const struct profile_site *a, const struct profile_site *b) {
  int order = strcmp(a->file ? a->file : "", b->file ? b->file : "");
  return order ? order : (a->line > b->line) - (a->line < b->line);
}

static int more_calls_first(const void *left, const void *right, void *context) {
  const struct listing *listing = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  uint64_t of_a = listing->costs->site_calls[a], of_b = listing->costs->site_calls[b];
  if (of_a != of_b && listing->options->sort != SORT_NAME) return of_a > of_b ? -1 : 1;
  int order = by_place(&listing->profile->sites[a], &listing->profile->sites[b]);
  return order ? order : (a > b) - (a < b);
}

/* Those into the subject, or out of it. */
static struct site_list choose(const struct listing *listing, bool into) {
  const struct profile *profile = listing->profile;
  struct site_list list = {.listing = listing,
                           .possible = possible_calls_by_site(profile),
                           .sites = memory_zeroed(profile->site_count, sizeof(uint32_t))};
  for (uint32_t i = 0; i < profile->site_count; i++) {
    const struct profile_site *site = &profile->sites[i];
    uint32_t function = into ? site->callee : site->caller;
    if (function == NOTHING || !is_subject(listing->options->calls, function)) continue;
    if (!listing->costs->site_calls[i] && !(list.possible && list.possible[i])) continue;
    list.sites[list.count++] = i;
    list.calls += listing->costs->site_calls[i];
  }
  qsort_r(list.sites, list.count, sizeof *list.sites, more_calls_first, (void *)listing);
  return list;
}

static void print_place(const struct listing *listing, const struct profile_site *site) {
  if (site->file && site->line) {
    listing_path(listing, site->file, listing->options->width ? LONGEST_PLACE : 0);
    fprintf(listing->out, ":%" PRIu32, site->line);
  } else {
    fputs(site->caller == NOTHING ? "(code without hooks)" : "(line not known)", listing->out);
  }
}

/* The functions that the site is in the source of, below it. */
static void print_through(const struct listing *listing, const struct profile_site *site) {
  if (site->expansion == NOTHING) return;
  char *text = expansion_text(listing->profile, site->expansion);
  listing_dim(listing);
  fprintf(listing->out, "%*s  inlined: %s in %s\n", FIGURES - 1, "", text,
          listing->profile->functions[site->within].name);
  listing_plain(listing);
  free(text);
}

static void print_site(const struct site_list *list, uint32_t id, bool into) {
  const struct listing *listing = list->listing;
  const struct profile_site *site = &listing->profile->sites[id];
  uint64_t calls = listing->costs->site_calls[id];
  const struct profile_possible_call *possible = list->possible ? list->possible[id] : NULL;
  char range[CALLS_RANGE_BYTES] = "", figure[32];
  if (possible) calls_range_text(possible->least, possible->most, range);
  snprintf(figure, sizeof figure, "%s%" PRIu64, range[0] ? "~" : "", calls);
  fprintf(listing->out, "%12s  ", figure);
  text_percent(listing->out, calls, list->calls, 6);
  fputs("  ", listing->out);
  print_place(listing, site);
  fputs("  ", listing->out);
  uint32_t other = into ? site->caller : site->callee;
  size_t used = FIGURES + LONGEST_PLACE;
  if (other == NOTHING)
    fputs("<spontaneous>", listing->out);
  else
    listing_name(listing, other, listing_name_width(listing, used));
  fprintf(listing->out, "%s%s\n", site->tail ? " tail" : "", range);
  print_through(listing, site);
}

static void print_list(const struct listing *listing, bool into) {
  struct site_list list = choose(listing, into);
  size_t limit = listing->options->limit ? listing->options->limit : LISTED_SITES;
  fprintf(listing->out, "\n%s\n", into ? "called from" : "calls");
  listing_dim(listing);
  fprintf(listing->out, "%12s  %6s  %s\n", "calls", "%",
          into ? "call site and caller" : "call site and callee");
  listing_plain(listing);
  for (size_t i = 0; i < list.count && i < limit; i++)
    print_site(&list, list.sites[i], into);
  if (list.count > limit)
    fprintf(listing->out, "%zu more call sites (--limit all)\n", list.count - limit);
  if (!list.count) fputs("        none\n", listing->out);
  free(list.sites);
  free(list.possible);
}

void listing_calls(const struct listing *listing) {
  const struct subject_functions *group = listing->options->calls->groups;
  fputc('\n', listing->out);
  listing_bold(listing);
  fputs("Call sites of ", listing->out);
  listing_name(listing, group->ids[0], 0);
  fputc('\n', listing->out);
  listing_plain(listing);
  if (listing->costs->calls_unknown) {
    fputs("Calls were counted without their contexts: not known of threads or under a focus\n",
          listing->out);
    return;
  }
  print_list(listing, true);
  print_list(listing, false);
}
