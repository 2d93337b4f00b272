#include "report/source_figures.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/counts/expressions.h"
#include "base/count_before.h"

struct making {
  const struct report_model *model;
  struct source_figures *figures;
  bool *member;   /* by function: it is asked for; null: all are */
  bool *selected; /* by context */
  bool counted;   /* something is known of executions, which belong to the whole */
};

static bool is_member(const struct making *making, uint32_t function) {
  return !making->member || (function != NOTHING && making->member[function]);
}

static bool is_here(const struct making *making, const char *file, uint32_t line) {
  const char *wanted = making->figures->file;
  return file && wanted && line && (file == wanted || strcmp(file, wanted) == 0);
}

static void find_lines(struct making *making) {
  struct source_figures *figures = making->figures;
  const struct line_question question = {figures->file, making->member, making->selected,
                                         !making->counted};
  if (figures->file)
    line_figures_make(making->model->profile, making->model->costs, &question, &figures->lines);
  const struct line_figures *lines = &figures->lines;
  figures->first = lines->count ? lines->lines[0].line : UINT32_MAX;
  figures->last = lines->count ? lines->lines[lines->count - 1].line : 0;
  for (size_t i = 0; i < lines->count; i++)
    figures->totals_known |= lines->lines[i].total_known;
}

static bool is_any_counted(const struct source_figures *figures) {
  for (size_t i = 0; i < figures->lines.count; i++)
    if (figures->lines.lines[i].has_code) return true;
  return false;
}

static void find_ways(struct making *making) {
  const struct profile *profile = making->model->profile;
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
      line_copies(making->model->profile, figures->file, making->member, &figures->copy_count);
  for (size_t i = 0; i < figures->copy_count; i++) {
    struct line_copy copy = figures->copies[i];
    bool left_out = copy.own || (copy.macro && making->member);
    if (!left_out) figures->copies[kept++] = copy;
  }
  figures->copy_count = kept;
}

/* ---- */

/* Time of the contexts in which one of the functions is active. */
static struct amount total_of(const struct making *making) {
  const struct profile *profile = making->model->profile;
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
  const struct report_model *model = making->model;
  struct source_figures *figures = making->figures;
  const struct subject_functions *functions = &figures->functions;
  figures->whole.total_known = figures->entries_known = true;
  for (size_t i = 0; i < functions->count; i++) {
    const struct function_cost *cost = &model->costs->functions[functions->ids[i]];
    figures->whole.self = amount_sum(figures->whole.self, cost->self);
    figures->whole.calls += cost->calls + cost->recursive;
    if (!model_has_total(model, functions->ids[i])) figures->whole.total_known = false;
    if (!costs_calls_known(model->profile, model->costs, functions->ids[i]))
      figures->entries_known = false;
  }
  if (!model->profile->given)
    figures->whole.total = total_of(making);
  else if (functions->count == 1)
    figures->whole.total = model->costs->functions[functions->ids[0]].total;
  else
    figures->whole.total_known = false;
}

static void sum_file(struct source_figures *figures) {
  for (size_t i = 0; i < figures->lines.count; i++)
    figures->whole.self = amount_sum(figures->whole.self, figures->lines.lines[i].self);
}

/* That of their definition, or else of the first line that is known of them. */
static const char *file_of(const struct making *making, const struct subject_functions *functions) {
  const struct profile *profile = making->model->profile;
  const char *file = profile->functions[functions->ids[0]].file;
  for (size_t i = 0; !file && i < profile->line_count; i++)
    if (is_member(making, profile->lines[i].function)) file = profile->lines[i].file;
  return file;
}

void source_figures_make(const struct report_model *model,
                         const struct subject_functions *functions, const char *file,
                         struct source_figures *figures) {
  const struct profile *profile = model->profile;
  *figures = (struct source_figures){.file = file};
  struct making making = {.model = model, .figures = figures};
  making.selected = costs_select(profile, &model->options->selection);
  if (functions) {
    figures->functions = *functions;
    making.member = memory_zeroed(profile->function_count, sizeof *making.member);
    for (size_t i = 0; i < functions->count; i++)
      making.member[functions->ids[i]] = true;
    figures->file = file_of(&making, functions);
  }
  making.counted = !model_is_part(model);
  find_lines(&making);
  making.counted &= is_any_counted(figures);
  find_ways(&making);
  find_copies(&making);
  functions ? sum_functions(&making) : sum_file(figures);
  free(making.member);
  free(making.selected);
}

void source_figures_free(struct source_figures *figures) {
  line_figures_free(&figures->lines);
  free(figures->ways);
  free(figures->copies);
  *figures = (struct source_figures){0};
}

struct line_figure source_figures_of(const struct source_figures *figures, uint32_t line) {
  const struct line_figures *lines = &figures->lines;
  size_t at = COUNT_BEFORE(lines->count, i, lines->lines[i].line < line);
  bool has_some = at < lines->count && lines->lines[at].line == line;
  return has_some ? lines->lines[at] : (struct line_figure){.total_known = figures->totals_known};
}
