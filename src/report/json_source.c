/* Source text with its figures in the JSON report. */
#include "attribution/counts/expressions.h"
#include "report/json_parts.h"
#include "report/json_values.h"
#include "report/source_figures.h"
#include "report/source_lines.h"

static void write_figure(struct json *json, const struct report_model *model,
                         const struct line_figure *figure) {
  json_amount(json, "self", &model->books, figure->self);
  if (figure->total_known)
    json_amount(json, "total", &model->books, figure->total);
  else
    json_no_amount(json, "total");
}

static void write_case(struct json *json, const struct profile_expression *way) {
  json_open(json, NULL, '{');
  json_text(json, "label", way->label);
  json_line(json, "line", way->label_line);
  json_number(json, "count", way->count);
  json_close(json, '}');
}

/* For each condition, switch and loop of the line: the counts of its branches, in order. */
static void write_ways_of(struct json *json, const struct source_figures *figures, uint32_t line,
                          enum expression_kind kind) {
  const struct profile_expression *last = NULL;
  for (size_t i = 0; i < figures->way_count; i++) {
    const struct profile_expression *way = figures->ways[i];
    if (way->line != line || way->kind != kind) continue;
    bool more = last && expressions_are_one_condition(last, way);
    if (last && !more) json_close(json, ']');
    if (!more) json_open(json, NULL, '[');
    if (kind == EXPRESSION_CASE)
      write_case(json, way);
    else
      json_number(json, NULL, way->count);
    last = way;
  }
  if (last) json_close(json, ']');
}

static void write_ways(struct json *json, const struct source_figures *figures, uint32_t line) {
  json_open(json, "branches", '[');
  write_ways_of(json, figures, line, EXPRESSION_BRANCH);
  json_close(json, ']');
  json_open(json, "switches", '[');
  write_ways_of(json, figures, line, EXPRESSION_CASE);
  json_close(json, ']');
  json_open(json, "loops", '[');
  write_ways_of(json, figures, line, EXPRESSION_LOOP);
  json_close(json, ']');
}

static void write_copies(struct json *json, const struct report_model *model,
                         const struct source_figures *figures, uint32_t line) {
  json_open(json, "copies", '[');
  for (size_t i = 0; i < figures->copy_count; i++) {
    const struct line_copy *copy = &figures->copies[i];
    if (copy->line != line) continue;
    json_open(json, NULL, '{');
    json_id(json, "within", copy->within);
    json_text(json, "within_name", model->profile->functions[copy->within].name);
    json_text(json, "clone", copy->clone);
    json_through(json, model->profile, copy->expansion);
    if (copy->count == COPY_UNCOUNTED)
      json_null(json, "executed");
    else
      json_number(json, "executed", copy->count);
    json_amount(json, "self", &model->books, copy->self);
    json_close(json, '}');
  }
  json_close(json, ']');
}

/* A `switch` may be on a line that has no code else. */
static bool has_ways(const struct source_figures *figures, uint32_t line) {
  for (size_t i = 0; i < figures->way_count; i++)
    if (figures->ways[i]->line == line) return true;
  return false;
}

static void write_lines(struct json *json, const struct report_model *model,
                        const struct source_figures *figures, const struct source_lines *text) {
  json_open(json, "lines", '[');
  for (uint32_t line = figures->first; line <= figures->last; line++) {
    struct line_figure figure = source_figures_of(figures, line);
    if (!figure.self.raw_ns && !figure.total.raw_ns && !figure.calls && !figure.has_code &&
        !has_ways(figures, line))
      continue;
    json_open(json, NULL, '{');
    json_line(json, "line", line);
    json_text(json, "text", source_line(text, line));
    write_figure(json, model, &figure);
    json_number(json, "calls", figure.calls);
    if (figure.has_code && !figure.unsure)
      json_number(json, "executed", figure.executed);
    else
      json_null(json, "executed");
    write_ways(json, figures, line);
    write_copies(json, model, figures, line);
    json_close(json, '}');
  }
  json_close(json, ']');
}

static void write_source(struct json *json, const struct report_model *model,
                         const struct subject_functions *functions, const char *file) {
  struct source_figures figures;
  struct source_lines text = {0};
  source_figures_make(model, functions, file, &figures);
  if (figures.file)
    source_lines_open(model->profile, model->options->profile_path, figures.file, &text, NULL);
  json_open(json, NULL, '{');
  json_open(json, "functions", '[');
  for (size_t i = 0; i < figures.functions.count; i++)
    json_id(json, NULL, figures.functions.ids[i]);
  json_close(json, ']');
  json_text(json, "file", figures.file);
  json_flag(json, "text_known", text.copy.text != NULL);
  json_flag(json, "newer", text.copy.newer);
  write_figure(json, model, &figures.whole);
  if (figures.entries_known)
    json_number(json, "calls", figures.whole.calls);
  else
    json_null(json, "calls");
  write_lines(json, model, &figures, &text);
  json_close(json, '}');
  source_lines_close(&text);
  source_figures_free(&figures);
}

void json_source(struct json *json, const struct report_model *model) {
  const struct subject *subject = model->options->source;
  json_open(json, "source", '[');
  if (subject->file) write_source(json, model, NULL, subject->file);
  for (size_t i = 0; i < subject->group_count; i++)
    write_source(json, model, &subject->groups[i], NULL);
  json_close(json, ']');
}
