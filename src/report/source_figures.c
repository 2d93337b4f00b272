#include "report/source_figures.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/counts/expressions.h"
#include "attribution/counts/line_counts.h"
#include "attribution/line_groups.h"

enum { HIGHEST_LINE = 1 << 24 }; /* a damaged profile must not ask for all memory */

struct making {
  const struct listing *listing;
  struct source_figures *figures;
  bool *member;   /* by function: it is asked for; null: all are */
  bool *selected; /* by context */
  bool counted;   /* something is known of executions */
};

static bool is_member(const struct making *making, uint32_t function) {
  return !making->member || (function != NOTHING && making->member[function]);
}

static bool is_here(const struct making *making, const char *file, uint32_t line) {
  const char *wanted = making->figures->file;
  return file && wanted && line && line < HIGHEST_LINE &&
         (file == wanted || strcmp(file, wanted) == 0);
}

static bool line_counts(const struct making *making, uint32_t id) {
  const struct profile_line *line = &making->listing->profile->lines[id];
  return is_member(making, line->function) && is_here(making, line->file, line->line);
}

static bool site_counts(const struct making *making, uint32_t id) {
  const struct profile_site *site = &making->listing->profile->sites[id];
  uint32_t source = site->expansion == NOTHING ? site->within : site->caller;
  return making->listing->costs->site_calls[id] && is_member(making, source) &&
         is_here(making, site->file, site->line);
}

static bool has_cost(const struct making *making, uint32_t line) {
  const struct costs *costs = making->listing->costs;
  return costs->line_self[line].raw_ns || (costs->line_total && costs->line_total[line].raw_ns);
}

static void widen(struct source_figures *figures, uint32_t line) {
  if (line < figures->first) figures->first = line;
  if (line > figures->last) figures->last = line;
}

static void find_range(struct making *making) {
  const struct profile *profile = making->listing->profile;
  making->figures->first = UINT32_MAX;
  for (size_t i = 0; i < profile->line_count; i++)
    if (line_counts(making, i) && has_cost(making, i))
      widen(making->figures, profile->lines[i].line);
  for (size_t i = 0; i < profile->site_count; i++)
    if (site_counts(making, i)) widen(making->figures, profile->sites[i].line);
}

static void add_lines(struct making *making) {
  const struct profile *profile = making->listing->profile;
  struct source_figures *figures = making->figures;
  size_t count = figures->last - figures->first + 1;
  uint32_t *group = memory_zeroed(profile->line_count, sizeof *group);
  for (size_t i = 0; i < profile->line_count; i++) {
    group[i] = NOTHING;
    if (!line_counts(making, i) || !has_cost(making, i)) continue;
    group[i] = profile->lines[i].line - figures->first;
    struct amount *self = &figures->lines[group[i]].self;
    *self = amount_sum(*self, making->listing->costs->line_self[i]);
  }
  struct amount *totals = line_group_totals(profile, making->selected, group, count);
  figures->totals_known = totals != NULL;
  for (size_t i = 0; totals && i < count; i++)
    figures->lines[i].total = totals[i];
  free(totals);
  free(group);
}

static void add_calls(struct making *making) {
  const struct profile *profile = making->listing->profile;
  struct source_figures *figures = making->figures;
  for (size_t i = 0; i < profile->site_count; i++)
    if (site_counts(making, i))
      figures->lines[profile->sites[i].line - figures->first].calls +=
          making->listing->costs->site_calls[i];
}

/* ---- executions ---- */

static struct executed_lines executed_lines_of(const struct making *making) {
  struct executed_lines lines;
  executed_lines_open(&lines, making->listing->profile, making->figures->file, making->member);
  return lines;
}

/* Counts belong to the whole: a part of the threads or contexts has none of its own. */
static void look_for_executions(struct making *making) {
  struct executed_line line;
  if (!making->figures->file || selection_is_part(making->listing)) return;
  struct executed_lines lines = executed_lines_of(making);
  making->counted = executed_lines_next(&lines, &line);
}

static void widen_by_executions(struct making *making) {
  struct executed_line line;
  if (!making->counted) return;
  struct executed_lines lines = executed_lines_of(making);
  while (executed_lines_next(&lines, &line))
    if (line.line < HIGHEST_LINE) widen(making->figures, line.line);
}

static void add_executions(struct making *making) {
  struct source_figures *figures = making->figures;
  struct executed_line executed;
  if (!making->counted) return;
  struct executed_lines lines = executed_lines_of(making);
  while (executed_lines_next(&lines, &executed)) {
    if (executed.line >= HIGHEST_LINE) continue;
    struct line_figure *line = &figures->lines[executed.line - figures->first];
    line->has_code = !executed.gone;
    line->executed = executed.count;
    line->unsure = executed.unsure;
    line->gone = executed.gone;
  }
}

static void find_ways(struct making *making) {
  const struct profile *profile = making->listing->profile;
  struct source_figures *figures = making->figures;
  if (!making->counted) return;
  figures->ways = memory_zeroed(profile->expression_count, sizeof(*figures->ways));
  for (size_t i = 0; i < profile->expression_count; i++) {
    const struct profile_expression *expression = &profile->expressions[i];
    bool way = expression->kind == EXPRESSION_BRANCH || expression->kind == EXPRESSION_LOOP ||
               expression->kind == EXPRESSION_CASE;
    if (way && is_member(making, expression->function) &&
        is_here(making, expression->file, expression->line))
      figures->ways[figures->way_count++] = expression;
  }
  expressions_sort_ways(figures->ways, figures->way_count);
}

/* The text of macros is not the code of a function, but of a file. */
static void find_copies(struct making *making) {
  struct source_figures *figures = making->figures;
  size_t kept = 0;
  if (!making->counted) return;
  figures->copies =
      line_copies(making->listing->profile, figures->file, making->member, &figures->copy_count);
  for (size_t i = 0; i < figures->copy_count; i++) {
    struct line_copy copy = figures->copies[i];
    bool left_out = copy.own || copy.line >= HIGHEST_LINE || (copy.macro && making->member);
    if (!left_out) figures->copies[kept++] = copy;
  }
  figures->copy_count = kept;
}

/* ---- */

/* Time of the contexts in which one of the functions is active. */
static struct amount total_of(const struct making *making) {
  const struct profile *profile = making->listing->profile;
  const struct selection active = {.focus = making->figures->functions.ids,
                                   .focus_count = making->figures->functions.count,
                                   .thread = NOTHING};
  bool *in_context = costs_select(profile, &active);
  struct amount total = {0};
  for (size_t i = 0; i < profile->context_count; i++)
    if (in_context[i] && making->selected[i]) total = amount_sum(total, context_self(profile, i));
  free(in_context);
  return total;
}

/* A profile with given figures has no contexts: then the total of one function is what was given.
 */
static void sum_functions(struct making *making) {
  const struct listing *listing = making->listing;
  struct source_figures *figures = making->figures;
  const struct subject_functions *functions = &figures->functions;
  figures->total_known = figures->entries_known = true;
  for (size_t i = 0; i < functions->count; i++) {
    const struct function_cost *cost = &listing->costs->functions[functions->ids[i]];
    figures->whole.self = amount_sum(figures->whole.self, cost->self);
    figures->whole.calls += cost->calls + cost->recursive;
    if (!listing_has_total(listing, functions->ids[i])) figures->total_known = false;
    if (!costs_calls_known(listing->profile, listing->costs, functions->ids[i]))
      figures->entries_known = false;
  }
  if (!listing->profile->given)
    figures->whole.total = total_of(making);
  else if (functions->count == 1)
    figures->whole.total = listing->costs->functions[functions->ids[0]].total;
  else
    figures->total_known = false;
}

static void sum_file(struct source_figures *figures) {
  if (figures->first > figures->last) return;
  for (uint32_t i = 0; i <= figures->last - figures->first; i++)
    figures->whole.self = amount_sum(figures->whole.self, figures->lines[i].self);
}

/* That of their definition, or else of the first line that is known of them. */
static const char *file_of(const struct making *making, const struct subject_functions *functions) {
  const struct profile *profile = making->listing->profile;
  const char *file = profile->functions[functions->ids[0]].file;
  for (size_t i = 0; !file && i < profile->line_count; i++)
    if (is_member(making, profile->lines[i].function)) file = profile->lines[i].file;
  return file;
}

void source_figures_make(const struct listing *listing, const struct subject_functions *functions,
                         const char *file, struct source_figures *figures) {
  const struct profile *profile = listing->profile;
  *figures = (struct source_figures){.file = file};
  struct making making = {.listing = listing, .figures = figures};
  making.selected = costs_select(profile, &listing->options->selection);
  if (functions) {
    figures->functions = *functions;
    making.member = memory_zeroed(profile->function_count, sizeof *making.member);
    for (size_t i = 0; i < functions->count; i++)
      making.member[functions->ids[i]] = true;
    figures->file = file_of(&making, functions);
  }
  look_for_executions(&making);
  find_range(&making);
  widen_by_executions(&making);
  find_ways(&making);
  find_copies(&making);
  if (figures->first <= figures->last) {
    figures->lines = memory_zeroed(figures->last - figures->first + 1, sizeof *figures->lines);
    add_lines(&making);
    add_calls(&making);
    add_executions(&making);
  }
  functions ? sum_functions(&making) : sum_file(figures);
  free(making.member);
  free(making.selected);
}

void source_figures_free(struct source_figures *figures) {
  free(figures->lines);
  free(figures->ways);
  free(figures->copies);
  *figures = (struct source_figures){0};
}

struct line_figure source_figures_of(const struct source_figures *figures, uint32_t line) {
  if (line < figures->first || line > figures->last) return (struct line_figure){0};
  return figures->lines[line - figures->first];
}
