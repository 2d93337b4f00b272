/* Source text with what each line cost in the margin. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/columns.h"
#include "report/source_margin.h"

enum {
  MOST_FUNCTIONS = 8, /* of one name */
  SHORT_ENOUGH = 60,  /* lines that are shown without leaving any out */
  CONTEXT = 3,        /* lines around those that matter */
  SHORTEST_GAP = 4,   /* lines that are worth leaving out */
  HOT_PART = 200      /* a line matters from this part of the whole on: 0.5 % */
};

/* ---- which lines ---- */

static void choose_range(struct source *source) {
  const struct source_figures *figures = &source->figures;
  bool any = figures->first <= figures->last;
  source->first = any ? figures->first : 1;
  source->last = any ? figures->last : source->text.count;
  if (!figures->functions.count) {
    source->first = 1;
    if (source->text.count > source->last) source->last = source->text.count;
    return;
  }
  uint32_t id = figures->functions.ids[0];
  uint32_t defined = source->listing->model->profile->functions[id].line;
  if (!defined) return;
  if (!any) source->last = defined;
  if (!any || defined < source->first) source->first = defined;
  source->last = source_function_end(&source->text, defined, source->last);
}

static bool matters(const struct source *source, uint32_t line) {
  const struct line_figure figure = source_figures_of(&source->figures, line);
  const struct line_figure *whole = &source->figures.whole;
  uint64_t most =
      whole->total.raw_ns > whole->self.raw_ns ? whole->total.raw_ns : whole->self.raw_ns;
  return figure.self.raw_ns > most / HOT_PART || figure.total.raw_ns > most / HOT_PART ||
         (!most && (figure.calls || figure.has_code));
}

static bool has_figures(const struct source *source, uint32_t line) {
  struct line_figure figure = source_figures_of(&source->figures, line);
  return figure.self.raw_ns || figure.total.raw_ns || figure.calls || figure.has_code;
}

static bool is_shown(const struct source *source, uint32_t line) {
  if (!source->text.count) return has_figures(source, line);
  if (source->listing->model->options->all || source->last - source->first < SHORT_ENOUGH)
    return true;
  if (line == source->first && source->figures.functions.count) return true;
  uint32_t from = line > source->first + CONTEXT ? line - CONTEXT : source->first;
  for (uint32_t near = from; near <= line + CONTEXT && near <= source->last; near++)
    if (matters(source, near)) return true;
  return false;
}

/* ---- columns ---- */

/* No more than the terminal has room for. */
static void print_text(const struct source *source, const char *text) {
  size_t width = listing_name_width(source->listing, margin_width(source) + 10);
  if (text && *text) fputs("  ", source->listing->out);
  if (text) text_source(source->listing->out, text, width);
}

static void print_line(const struct source *source, uint32_t line) {
  const struct listing *listing = source->listing;
  struct line_figure figure = source_figures_of(&source->figures, line);
  if (figure.has_code && !figure.executed && !figure.unsure)
    listing_dim(listing);
  else
    listing_heat(listing, listing->model->costs->self, figure.self, figure.total);
  margin_figures(source, &figure);
  margin_executed(source, &figure);
  margin_calls(source, figure.calls);
  fprintf(listing->out, "%8" PRIu32, line);
  print_text(source, source_line(&source->text, line));
  listing_plain(listing);
  fputc('\n', listing->out);
  source_notes(source, line);
}

/* What was left out between two lines, with its self time: what is shown sums to the whole. */
static void print_gap(const struct source *source, uint32_t from, uint32_t to) {
  const struct listing *listing = source->listing;
  struct line_figure sum = {0};
  if (source->text.count && to - from < SHORTEST_GAP) {
    for (uint32_t line = from; line < to; line++)
      print_line(source, line);
    return;
  }
  for (uint32_t line = from; line < to; line++)
    sum.self = amount_sum(sum.self, source_figures_of(&source->figures, line).self);
  if (!source->text.count && !sum.self.raw_ns) return;
  listing_dim(listing);
  margin_figures(source, &sum);
  margin_executed(source, &(struct line_figure){0});
  margin_calls(source, 0);
  fprintf(listing->out, "%8s  %" PRIu32 " line%s\n", "...", to - from, to - from == 1 ? "" : "s");
  listing_plain(listing);
}

/* ---- the head ---- */

static void print_whole(const struct source *source, const char *name, struct amount amount) {
  const struct listing *listing = source->listing;
  char text[QUANTITY_ESTIMATE_BYTES];
  struct estimate estimate = model_estimate(listing->model, amount);
  fprintf(listing->out, "%-11s%s, %.1f %% of the %s\n", name,
          quantity_estimate_text(model_unit(listing->model), estimate, text),
          text_share(estimate.ns, books_whole_ns(&listing->model->books)),
          model_share(listing->model));
}

static const char *text_state(const struct source *source) {
  if (!source->text.copy.text && source->text.from_disk)
    return ": its text cannot be read, or it is not plainly source, which is not shown";
  if (!source->text.copy.text)
    return ": the profile has no text of it (when it was saved, the file could not be read or was"
           " not plainly source, which is not copied)";
  if (source->text.copy.newer) return ": modified after the program was built, so lines may be off";
  return "";
}

/* Whether counters were placed in the source of the functions that are shown, or of any that has
 * code in the file. */
static bool counted_in_source(const struct source *source) {
  const struct profile *profile = source->listing->model->profile;
  const struct source_figures *figures = &source->figures;
  uint32_t counted = 0;
  for (size_t i = 0; i < figures->functions.count; i++) {
    uint32_t object = profile->functions[figures->functions.ids[i]].object;
    if (object != NOTHING) counted |= profile->objects[object].counted;
  }
  for (size_t i = 0; i < profile->expression_count && !figures->functions.count; i++) {
    uint32_t object = profile->functions[profile->expressions[i].function].object;
    if (object != NOTHING && strcmp(profile->expressions[i].file, figures->file) == 0)
      counted |= profile->objects[object].counted;
  }
  return counted & COUNTED_AS_WRITTEN;
}

static void print_head(const struct source *source) {
  const struct listing *listing = source->listing;
  const struct source_figures *figures = &source->figures;
  const struct subject_functions *functions = &figures->functions;
  fputs("file       ", listing->out);
  listing_path(listing, figures->file, 0);
  if (functions->count) fprintf(listing->out, ":%" PRIu32, source->first);
  if (functions->count && source->last > source->first)
    fprintf(listing->out, "-%" PRIu32, source->last);
  fprintf(listing->out, "%s\n", text_state(source));
  if (functions->count > 1)
    fprintf(listing->out, "functions  %zu of one definition, taken together\n", functions->count);
  if (source->has_costs) print_whole(source, "self", figures->whole.self);
  if (source->has_costs && figures->whole.total_known && functions->count)
    print_whole(source, "total", figures->whole.total);
  if (figures->entries_known && functions->count)
    fprintf(listing->out, "called     %" PRIu64 " time%s\n", figures->whole.calls,
            figures->whole.calls == 1 ? "" : "s");
  if (source->has_counts && counted_in_source(source))
    fputs("executed   by the source, before it was optimized (all inlined copies together)\n",
          listing->out);
}

static void print_columns(const struct source *source) {
  const struct listing *listing = source->listing;
  bool costs = source->has_costs, totals = costs && source->figures.totals_known;
  listing_dim(listing);
  if (totals) column_shares_heading(listing);
  if (costs && !totals) fprintf(listing->out, "%*s", SHARE_WIDTH, "self");
  if (costs) column_heading(listing, "self");
  if (margin_has_total_times(source)) column_heading(listing, "total");
  if (source->has_counts) fprintf(listing->out, "%13s", "executed");
  if (source->has_calls) fprintf(listing->out, "%13s", "calls out");
  fprintf(listing->out, "%8s\n", "line");
  if (totals) column_shares_units(listing);
  if (costs && !totals) fprintf(listing->out, "%*s", SHARE_WIDTH, "%");
  if (costs) column_units(listing);
  if (margin_has_total_times(source)) column_units(listing);
  if (costs) fputc('\n', listing->out);
  listing_plain(listing);
}

/* ---- everything ---- */

static void print_lines(const struct source *source) {
  print_columns(source);
  uint32_t left_out = 0;
  for (uint32_t line = source->first; line <= source->last; line++) {
    if (!is_shown(source, line)) {
      left_out++;
      continue;
    }
    if (left_out) print_gap(source, line - left_out, line);
    left_out = 0;
    print_line(source, line);
  }
  if (left_out) print_gap(source, source->last + 1 - left_out, source->last + 1);
}

static void print_title(const struct source *source) {
  const struct listing *listing = source->listing;
  const struct subject_functions *functions = &source->figures.functions;
  const char *name = functions->count ? listing->model->profile->functions[functions->ids[0]].name
                                      : source->figures.file;
  listing_title_of(listing, "Source of ", name);
}

static void print_source(const struct listing *listing, const struct subject_functions *functions,
                         const char *file) {
  struct source source = {.listing = listing, .has_costs = listing->model->books.sampled_ns > 0};
  struct error error;
  source_figures_make(listing->model, functions, file, &source.figures);
  print_title(&source);
  const char *path = source.figures.file;
  if (!path) {
    fputs("no lines are known: its object has no debug information\n", listing->out);
  } else if (source_lines_open(listing->model->profile, listing->model->options->profile_path, path,
                               &source.text, &error) != 0) {
    fprintf(listing->out, "%s\n", error.text);
  } else {
    for (uint32_t i = source.figures.first; i <= source.figures.last; i++)
      source.has_calls |= source_figures_of(&source.figures, i).calls > 0;
    for (uint32_t i = source.figures.first; i <= source.figures.last; i++)
      source.has_counts |= source_figures_of(&source.figures, i).has_code;
    choose_range(&source);
    print_head(&source);
    print_lines(&source);
    source_lines_close(&source.text);
  }
  source_figures_free(&source.figures);
}

void listing_source(const struct listing *listing) {
  const struct subject *subject = listing->model->options->source;
  size_t count = subject->group_count;
  size_t limit = listing->model->options->limit ? listing->model->options->limit : MOST_FUNCTIONS;
  if (subject->file) print_source(listing, NULL, subject->file);
  const struct subject_functions **order = subject_order(subject, listing->model->costs);
  for (size_t i = 0; i < count && i < limit; i++)
    print_source(listing, order[i], NULL);
  free(order);
  if (count > limit)
    fprintf(listing->out, "\n%zu more functions of that name (--limit all)\n", count - limit);
}
