/* The call sites of functions, by their calls, and by the time while what they called ran. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/call_lines.h"
#include "attribution/counts/copies.h"
#include "attribution/equations/possible_calls.h"
#include "report/columns.h"
#include "report/listing.h"
#include "report/subject.h"

enum { LISTED_SITES = 40, FIGURES = 23, LONGEST_PLACE = 44 };

/* A call site whose calls were counted, or a line that only stacks know to call. */
struct call {
  uint32_t site;      /* or NOTHING */
  uint32_t call_line; /* of the lines' list: its time; or NOTHING */
  uint64_t calls;
};

struct call_list {
  const struct listing *listing;
  const struct call_lines *lines;
  const struct profile_possible_call **possible; /* by site; or null */
  bool into;                                     /* calls of the subject; else those it makes */
  struct call *items;
  size_t count;
  uint64_t calls;
  bool shared; /* several call sites have their time together */
};

static bool is_subject(const struct subject *subject, uint32_t function) {
  for (size_t i = 0; i < subject->group_count; i++)
    for (size_t k = 0; k < subject->groups[i].count; k++)
      if (subject->groups[i].ids[k] == function) return true;
  return false;
}

static const struct profile_site *site_of(const struct call_list *list, const struct call *call) {
  return call->site == NOTHING ? NULL : &list->listing->profile->sites[call->site];
}

static const struct profile_line *line_of(const struct call_list *list, const struct call *call) {
  return &list->listing->profile->lines[list->lines->list[call->call_line].line];
}

static struct amount time_of(const struct call_list *list, const struct call *call) {
  static const struct amount none;
  return call->call_line == NOTHING ? none : list->lines->list[call->call_line].total;
}

/* ---- order ---- */

static int by_place(const struct call_list *list, const struct call *a, const struct call *b) {
  const struct profile_site *of_a = site_of(list, a), *of_b = site_of(list, b);
  const char *file_a = of_a ? of_a->file : line_of(list, a)->file;
  const char *file_b = of_b ? of_b->file : line_of(list, b)->file;
  uint32_t line_a = of_a ? of_a->line : line_of(list, a)->line;
  uint32_t line_b = of_b ? of_b->line : line_of(list, b)->line;
  int order = strcmp(file_a ? file_a : "", file_b ? file_b : "");
  if (order) return order;
  return line_a == line_b ? (a->site > b->site) - (a->site < b->site) : line_a < line_b ? -1 : 1;
}

static int by_number(uint64_t a, uint64_t b) {
  return (a < b) - (a > b);
}

static int in_order(const void *left, const void *right, void *context) {
  const struct call_list *list = context;
  const struct call *a = left, *b = right;
  enum report_sort sort = list->listing->options->sort;
  int by_calls = by_number(a->calls, b->calls);
  int by_time = by_number(time_of(list, a).raw_ns, time_of(list, b).raw_ns);
  int order = by_calls ? by_calls : by_time;
  if (sort == SORT_SELF || sort == SORT_TOTAL) order = by_time ? by_time : by_calls;
  return order && sort != SORT_NAME ? order : by_place(list, a, b);
}

/* ---- the list ---- */

static void choose_sites(struct call_list *list, bool *has_site) {
  const struct listing *listing = list->listing;
  const struct profile *profile = listing->profile;
  for (uint32_t i = 0; i < profile->site_count; i++) {
    const struct profile_site *site = &profile->sites[i];
    uint32_t function = list->into ? site->callee : site->caller;
    if (function == NOTHING || !is_subject(listing->options->calls, function)) continue;
    uint64_t calls = listing->costs->site_calls[i];
    if (!calls && !(list->possible && list->possible[i])) continue;
    uint32_t call_line = list->lines->of_site[i];
    list->items[list->count++] = (struct call){i, call_line, calls};
    list->calls += calls;
    if (call_line == NOTHING) continue;
    list->shared |= has_site[call_line];
    has_site[call_line] = true;
  }
}

static void choose_lines(struct call_list *list, const bool *has_site) {
  const struct profile *profile = list->listing->profile;
  for (uint32_t i = 0; i < list->lines->count; i++) {
    const struct call_line *call = &list->lines->list[i];
    uint32_t function = list->into ? call->callee : profile->lines[call->line].function;
    if (!has_site[i] && is_subject(list->listing->options->calls, function))
      list->items[list->count++] = (struct call){NOTHING, i, 0};
  }
}

static void choose(struct call_list *list) {
  const struct profile *profile = list->listing->profile;
  bool *has_site = memory_zeroed(list->lines->count, sizeof *has_site);
  list->items = memory_zeroed(profile->site_count + list->lines->count, sizeof *list->items);
  choose_sites(list, has_site);
  choose_lines(list, has_site);
  qsort_r(list->items, list->count, sizeof *list->items, in_order, list);
  free(has_site);
}

/* ---- the rows ---- */

static void print_place(const struct listing *listing, const char *file, uint32_t line,
                        const char *unknown) {
  if (file && line) {
    listing_path(listing, file, listing->options->width ? LONGEST_PLACE : 0);
    fprintf(listing->out, ":%" PRIu32, line);
  } else {
    fputs(unknown, listing->out);
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

static size_t figures_width(const struct call_list *list) {
  return FIGURES + (list->lines->known ? (size_t)column_width(list->listing) : 0);
}

static void print_calls(const struct call_list *list, const struct call *call, const char *range) {
  FILE *out = list->listing->out;
  char figure[32];
  snprintf(figure, sizeof figure, "%s%" PRIu64, *range ? "~" : "", call->calls);
  fprintf(out, "%12s  ", call->site == NOTHING ? "-" : figure);
  if (call->site == NOTHING)
    fprintf(out, "%6s", "-");
  else
    text_percent(out, call->calls, list->calls, 6);
}

/* None where no tick fell, which may be as what was called had left its frame to a tail call. */
static void print_time(const struct call_list *list, const struct call *call) {
  if (!list->lines->known) return;
  if (call->call_line == NOTHING)
    column_unknown(list->listing);
  else
    column_estimate(list->listing, listing_estimate(list->listing, time_of(list, call)));
}

static void print_other(const struct call_list *list, uint32_t function) {
  const struct listing *listing = list->listing;
  if (function == NOTHING)
    fputs("<spontaneous>", listing->out);
  else
    listing_name(listing, function,
                 listing_name_width(listing, figures_width(list) + LONGEST_PLACE));
}

static void print_call(const struct call_list *list, const struct call *call) {
  const struct listing *listing = list->listing;
  const struct profile_site *site = site_of(list, call);
  const struct profile_possible_call *possible =
      site && list->possible ? list->possible[call->site] : NULL;
  char range[CALLS_RANGE_BYTES] = "";
  if (possible) calls_range_text(possible->least, possible->most, range);
  print_calls(list, call, range);
  print_time(list, call);
  fputs("  ", listing->out);
  if (site) {
    print_place(listing, site->file, site->line,
                site->caller != NOTHING               ? "(line not known)"
                : possible && site->object != NOTHING ? "(inlined)"
                                                      : "(code without hooks)");
    fputs("  ", listing->out);
    print_other(list, list->into ? site->caller : site->callee);
    fprintf(listing->out, "%s%s\n", site->tail ? " tail" : "", range);
    print_through(listing, site);
    return;
  }
  const struct profile_line *line = line_of(list, call);
  uint32_t other = list->into ? line->function : list->lines->list[call->call_line].callee;
  print_place(listing, line->file, line->line, "(line not known)");
  fputs("  ", listing->out);
  print_other(list, other);
  fprintf(listing->out, "%s\n", listing_inlined(listing, other));
}

static void print_headings(const struct call_list *list) {
  const struct listing *listing = list->listing;
  fprintf(listing->out, "\n%s\n", list->into ? "called from" : "calls");
  listing_dim(listing);
  fprintf(listing->out, "%12s  %6s", "calls", "%");
  if (list->lines->known) column_heading(listing, "total");
  fprintf(listing->out, "  call site and %s\n", list->into ? "caller" : "callee");
  if (list->lines->known) {
    fprintf(listing->out, "%12s  %6s", "", "");
    column_units(listing);
    fputc('\n', listing->out);
  }
  listing_plain(listing);
}

static void print_list(const struct listing *listing, const struct call_lines *lines, bool into) {
  struct call_list list = {.listing = listing,
                           .lines = lines,
                           .into = into,
                           .possible = possible_calls_by_site(listing->profile)};
  size_t limit = listing->options->limit ? listing->options->limit : LISTED_SITES;
  choose(&list);
  print_headings(&list);
  for (size_t i = 0; i < list.count && i < limit; i++)
    print_call(&list, &list.items[i]);
  if (list.count > limit)
    fprintf(listing->out, "%zu more call sites (--limit all)\n", list.count - limit);
  if (!list.count)
    fprintf(listing->out, "%12s  no call %s was counted%s\n", "", into ? "of it" : "in it",
            lines->known ? " or sampled" : "");
  if (list.shared)
    fputs("Call sites of one function on one line have their time together.\n", listing->out);
  free(list.items);
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
  bool *selected = costs_select(listing->profile, &listing->options->selection);
  struct call_lines *lines = call_lines_find(listing->profile, selected);
  print_list(listing, lines, true);
  print_list(listing, lines, false);
  call_lines_free(lines);
  free(selected);
}
