/* The call sites of functions, by their calls, and by the time while what they called ran. */
#include <inttypes.h>
#include <stdlib.h>

#include "attribution/counts/copies.h"
#include "attribution/equations/possible_calls.h"
#include "report/call_list.h"
#include "report/columns.h"
#include "report/subject.h"

enum { LISTED_SITES = 40, FIGURES = 23, LONGEST_PLACE = 44 };

static void print_place(const struct listing *listing, const char *file, uint32_t line,
                        uint32_t column, const char *unknown) {
  if (file && line) {
    listing_path(listing, file, listing->terminal.width ? LONGEST_PLACE : 0);
    fprintf(listing->out, ":%" PRIu32, line);
    if (column) fprintf(listing->out, ":%" PRIu32, column);
  } else {
    fputs(unknown, listing->out);
  }
}

/* The functions that the site is in the source of, below it. */
static void print_through(const struct listing *listing, const struct profile_site *site) {
  if (site->expansion == NOTHING) return;
  char *text = expansion_text(listing->model->profile, site->expansion);
  listing_dim(listing);
  fprintf(listing->out, "%*s  inlined: %s in %s\n", FIGURES - 1, "", text,
          listing->model->profile->functions[site->within].name);
  listing_plain(listing);
  free(text);
}

static size_t figures_width(const struct listing *listing, const struct call_list *list) {
  return FIGURES + (list->lines->known ? (size_t)column_width(listing) : 0);
}

static void print_calls(const struct listing *listing, const struct call_list *list,
                        const struct call *call, const char *range) {
  FILE *out = listing->out;
  char figure[32];
  snprintf(figure, sizeof figure, "%s%" PRIu64, *range ? "~" : "", call->calls);
  fprintf(out, "%12s  ", call->site == NOTHING ? "-" : figure);
  if (call->site == NOTHING)
    fprintf(out, "%6s", "-");
  else
    text_percent(out, call->calls, list->calls, 6);
}

/* None where no tick fell, which may be as what was called had left its frame to a tail call. */
static void print_time(const struct listing *listing, const struct call_list *list,
                       const struct call *call) {
  if (!list->lines->known) return;
  if (call->call_line == NOTHING)
    column_unknown(listing);
  else
    column_estimate(listing, model_estimate(listing->model, call_time(list, call)));
}

static void print_other(const struct listing *listing, const struct call_list *list,
                        uint32_t function) {
  if (function == NOTHING)
    fputs("<spontaneous>", listing->out);
  else
    listing_name(listing, function,
                 listing_name_width(listing, figures_width(listing, list) + LONGEST_PLACE));
}

static void print_call(const struct listing *listing, const struct call_list *list,
                       const struct call *call) {
  const struct profile_site *site = call_site_of(list, call);
  const struct profile_possible_call *possible =
      site && list->possible ? list->possible[call->site] : NULL;
  char range[CALLS_RANGE_BYTES] = "";
  if (possible) calls_range_text(possible->least, possible->most, range);
  print_calls(listing, list, call, range);
  print_time(listing, list, call);
  fputs("  ", listing->out);
  if (site) {
    print_place(listing, site->file, site->line, site->column,
                site->caller != NOTHING               ? "(line not known)"
                : possible && site->object != NOTHING ? "(inlined)"
                                                      : "(code without hooks)");
    fputs("  ", listing->out);
    print_other(listing, list, list->into ? site->caller : site->callee);
    fprintf(listing->out, "%s%s\n", site->tail ? " tail" : site->in_doubt ? IN_DOUBT : "", range);
    print_through(listing, site);
    return;
  }
  const struct profile_line *line = call_line_of(list, call);
  uint32_t other = list->into ? line->function : list->lines->list[call->call_line].callee;
  print_place(listing, line->file, line->line, 0, "(line not known)");
  fputs("  ", listing->out);
  print_other(listing, list, other);
  fprintf(listing->out, "%s\n", listing_inlined(listing, other));
}

static void print_headings(const struct listing *listing, const struct call_list *list) {
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

struct calls_report {
  const struct listing *listing;
  const struct call_lines *lines;
  const struct profile_possible_call **possible;
  size_t limit; /* of rows, and of functions */
};

static void print_list(const struct calls_report *report, const struct call_list *list) {
  const struct listing *listing = report->listing;
  print_headings(listing, list);
  for (size_t i = 0; i < list->count && i < report->limit; i++)
    print_call(listing, list, &list->items[i]);
  if (list->count > report->limit)
    fprintf(listing->out, "%zu more call sites (--limit all)\n", list->count - report->limit);
  bool own = !list->into && profile_metric(listing->model->profile)->kind == METRIC_HEAP;
  if (!list->count && own)
    fprintf(listing->out, "%12s  no function that allocates: its own lines do (--source)\n", "");
  else if (!list->count)
    fprintf(listing->out, "%12s  no call %s was counted%s\n", "", list->into ? "of it" : "in it",
            list->lines->known ? " or sampled" : "");
  if (list->shared)
    fputs("Call sites of one function on one line share their time.\n", listing->out);
}

static void print_headline(const struct listing *listing, uint32_t function) {
  fputc('\n', listing->out);
  listing_bold(listing);
  fputs("Call sites of ", listing->out);
  listing_name(listing, function, 0);
  fputc('\n', listing->out);
  listing_plain(listing);
}

/* False: nothing is known to call it, nor to be called by it, and it is not the only one of its
 * name. */
static bool print_function(const struct calls_report *report, uint32_t function, bool only) {
  struct call_list from = call_list_make(report->listing->model, report->lines, report->possible,
                                         function, true),
                   to = call_list_make(report->listing->model, report->lines, report->possible,
                                       function, false);
  bool shown = only || from.count || to.count;
  if (shown) {
    print_headline(report->listing, function);
    print_list(report, &from);
    print_list(report, &to);
  }
  call_list_free(&from);
  call_list_free(&to);
  return shown;
}

static void print_functions(const struct calls_report *report, const uint32_t *functions,
                            size_t count) {
  FILE *out = report->listing->out;
  size_t printed = 0, at = 0;
  for (; at < count && printed < report->limit; at++)
    printed += print_function(report, functions[at], count == 1);
  if (!printed) print_function(report, functions[0], true);
  size_t without = at - (printed ? printed : 1), left = count - at;
  if (without) fprintf(out, "\n%zu more of that name, without known calls\n", without);
  if (left)
    fprintf(out, "\n%zu more function%s of that name (--limit all)\n", left, left == 1 ? "" : "s");
}

/* Why no time of a call site is known: a host's contexts have callers, whatever stacks there are.
 */
static void print_no_times(const struct listing *listing, uint32_t function) {
  const struct profile *profile = listing->model->profile;
  uint32_t object = profile->functions[function].object;
  bool is_hosted = object != NOTHING && profile->objects[object].kind == OBJECT_WORLD;
  bool is_solved = profile->possible_call_count && !profile->given;
  fprintf(listing->out, "\nNo times of call sites: %s\n",
          is_solved ? "callers follow from counts, which say nothing of time"
          : is_hosted
              ? "the ticks know the callers (report --graph), but not the lines of the calls"
              : "the ticks sampled no stacks (record --stacks)");
}

void listing_calls(const struct listing *listing) {
  if (listing->model->costs->calls_unknown) {
    print_headline(listing, listing->model->options->calls->groups->ids[0]);
    fputs(listing->model->profile->calls_unknown
              ? "Calls are not known by time: ask the whole profile\n"
              : "Calls were counted without contexts: they are unknown per thread and under a "
                "focus\n",
          listing->out);
    return;
  }
  size_t count, limit = listing->model->options->limit;
  uint32_t *functions = call_list_functions(listing->model, &count);
  bool *selected = costs_select(listing->model->profile, &listing->model->options->selection);
  struct call_lines *lines = call_lines_find(listing->model->profile, selected);
  struct calls_report report = {.listing = listing,
                                .lines = lines,
                                .possible = possible_calls_by_site(listing->model->profile),
                                .limit = limit ? limit : LISTED_SITES};
  print_functions(&report, functions, count);
  if (!lines->known && listing->model->books.all.ticks) print_no_times(listing, functions[0]);
  free(report.possible);
  call_lines_free(lines);
  free(selected);
  free(functions);
}
