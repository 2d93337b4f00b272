#include "attribution/line_figures.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/call_lines.h"
#include "attribution/counts/line_counts.h"
#include "attribution/line_groups.h"

enum { HIGHEST_LINE = 1 << 24 }; /* a damaged profile's pages must not be endless */

/* A figure of one kind, which those of the same line are added to. */
struct part {
  struct line_figure figure;
  uint32_t of; /* the profile's line, or NOTHING */
};

struct making {
  const struct profile *profile;
  const struct costs *costs;
  const struct line_question *question;
  struct part *parts;
  size_t count;
  uint32_t *group; /* by line of the profile: its figure */
};

/* ---- what there is ---- */

static bool is_asked_for(const struct making *making, uint32_t function, const char *file,
                         uint32_t line) {
  const struct line_question *question = making->question;
  if (!file || !line || line >= HIGHEST_LINE) return false;
  if (question->member && (function == NOTHING || !question->member[function])) return false;
  return !question->file || question->file == file || strcmp(question->file, file) == 0;
}

static struct line_figure *add(struct making *making, const char *file, uint32_t line,
                               uint32_t of) {
  ARRAY_GROW(making->parts, making->count);
  making->parts[making->count] = (struct part){{.file = file, .line = line}, of};
  return &making->parts[making->count++].figure;
}

static void add_costs(struct making *making) {
  const struct costs *costs = making->costs;
  for (size_t i = 0; i < making->profile->line_count; i++) {
    const struct profile_line *line = &making->profile->lines[i];
    bool has_cost =
        costs->line_self[i].raw_ns || (costs->line_total && costs->line_total[i].raw_ns);
    if (has_cost && is_asked_for(making, line->function, line->file, line->line))
      add(making, line->file, line->line, i)->self = costs->line_self[i];
  }
}

static void add_calls(struct making *making) {
  for (size_t i = 0; i < making->profile->site_count; i++) {
    const struct profile_site *site = &making->profile->sites[i];
    uint32_t source = call_lines_text(making->profile, site);
    uint64_t calls = making->costs->site_calls[i];
    if (calls && is_asked_for(making, source, site->file, site->line))
      add(making, site->file, site->line, NOTHING)->calls = calls;
  }
}

static void add_executions(struct making *making) {
  struct executed_lines lines;
  struct executed_line executed;
  if (making->question->without_counts) return;
  executed_lines_open(&lines, making->profile, making->question->file, making->question->member);
  while (executed_lines_next(&lines, &executed)) {
    if (!executed.line || executed.line >= HIGHEST_LINE) continue;
    struct line_figure *line = add(making, executed.file, executed.line, NOTHING);
    line->has_code = true;
    line->macro = executed.macro && !executed.known;
    line->unsure = executed.unsure;
    line->executed = executed.count;
  }
}

/* ---- lines ---- */

static int by_line(const void *left, const void *right) {
  const struct line_figure *a = &((const struct part *)left)->figure,
                           *b = &((const struct part *)right)->figure;
  int order = a->file == b->file ? 0 : strcmp(a->file, b->file);
  return order ? order : (a->line > b->line) - (a->line < b->line);
}

static void add_to(struct line_figure *sum, const struct line_figure *figure) {
  sum->self = amount_sum(sum->self, figure->self);
  sum->calls += figure->calls;
  sum->has_code |= figure->has_code;
  sum->macro |= figure->macro;
  sum->unsure |= figure->unsure;
  sum->executed += figure->executed;
}

/* Parts of one line stand together. */
static void join(struct making *making, struct line_figures *figures) {
  making->group = memory_resized(NULL, making->profile->line_count, sizeof *making->group);
  figures->lines = memory_zeroed(making->count, sizeof *figures->lines);
  for (size_t i = 0; i < making->profile->line_count; i++)
    making->group[i] = NOTHING;
  for (size_t i = 0; i < making->count; i++) {
    const struct part *part = &making->parts[i];
    if (!i || by_line(part - 1, part) != 0)
      figures->lines[figures->count++] =
          (struct line_figure){.file = part->figure.file, .line = part->figure.line};
    add_to(&figures->lines[figures->count - 1], &part->figure);
    if (part->of != NOTHING) making->group[part->of] = (uint32_t)figures->count - 1;
  }
}

/* ---- totals ---- */

static void add_stack_totals(struct line_figures *figures, const struct amount *totals) {
  for (size_t i = 0; i < figures->count; i++) {
    figures->lines[i].total = totals[i];
    figures->lines[i].total_known = true;
  }
}

/* As an imported file gives them: it does not say how much several functions of a line have in
 * common. */
static void add_given_totals(const struct making *making, struct line_figures *figures) {
  bool *seen = memory_zeroed(figures->count, sizeof *seen);
  for (size_t i = 0; i < making->profile->line_count; i++) {
    uint32_t at = making->group[i];
    if (at == NOTHING) continue;
    figures->lines[at].total_known = !seen[at];
    figures->lines[at].total = seen[at] ? (struct amount){0} : making->costs->line_total[i];
    seen[at] = true;
  }
  free(seen);
}

static void add_totals(const struct making *making, struct line_figures *figures) {
  struct amount *totals =
      line_group_totals(making->profile, making->question->selected, making->group, figures->count);
  if (totals)
    add_stack_totals(figures, totals);
  else if (making->costs->line_total)
    add_given_totals(making, figures);
  free(totals);
}

void line_figures_make(const struct profile *profile, const struct costs *costs,
                       const struct line_question *question, struct line_figures *figures) {
  struct making making = {.profile = profile, .costs = costs, .question = question};
  *figures = (struct line_figures){0};
  add_costs(&making);
  add_calls(&making);
  add_executions(&making);
  if (making.count) qsort(making.parts, making.count, sizeof *making.parts, by_line);
  join(&making, figures);
  add_totals(&making, figures);
  free(making.parts);
  free(making.group);
}

void line_figures_free(struct line_figures *figures) {
  free(figures->lines);
  *figures = (struct line_figures){0};
}
