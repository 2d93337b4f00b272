#include "attribution/counts/counted_expressions.h"

#include "attribution/counts/line_executions.h"

struct adding {
  struct places *places;
  const struct counted_code *code;
  const struct counted_origins *origins;
  const struct counter_values *values;
  struct expression_table *table;
  struct source_ranges source;
};

/* Kinds that are several ways of one range have the first one's number plus the way. */
static enum expression_kind kind_of(uint32_t kind, uint32_t *way) {
  *way = 0;
  if (kind == RANGE_CODE) return EXPRESSION_CODE;
  if (kind == RANGE_MACRO) return EXPRESSION_MACRO;
  if (kind == RANGE_GONE) return EXPRESSION_GONE;
  *way = kind - (kind < RANGE_LOOP ? RANGE_BRANCH : RANGE_LOOP);
  return kind < RANGE_LOOP ? EXPRESSION_BRANCH : EXPRESSION_LOOP;
}

static void add_range(struct adding *adding, const struct counted_range *range) {
  const struct counter_flow *flows =
      adding->values->flows + adding->values->first[adding->code - adding->values->code];
  struct pool *pool = adding->places->profile->pool;
  bool known = true;
  if (range->origin > adding->origins->count) return;
  struct profile_expression expression = {
      .function = adding->origins->functions[range->origin],
      .file = counted_path(adding->places, adding->code, range->file),
      .line = range->line,
      .column = range->column,
      .end_line = range->end_line,
      .end_column = range->end_column};
  expression.kind = kind_of(range->kind, &expression.way);
  for (uint32_t flow; source_ranges_flow(&adding->source, &flow);) {
    known &= flows[flow].known;
    expression.count += flows[flow].times;
  }
  if (!known || !expression.file || !expression.line) return;
  uint32_t id = expression_add(adding->table, &expression);
  if (expression.kind == EXPRESSION_GONE) return;
  struct profile_copy copy = {.expression = id,
                              .within = adding->origins->functions[0],
                              .expansion = adding->origins->expansions[range->origin],
                              .clone = copies_clone(pool, adding->code->name),
                              .count = expression.count};
  copies_add(&adding->places->copies, &copy);
}

static void add_line(struct adding *adding, const struct counted_line *line) {
  const struct counter_flow *flows =
      adding->values->flows + adding->values->first[adding->code - adding->values->code];
  struct profile_expression expression = {
      .function = adding->origins->functions[0],
      .file = counted_path(adding->places, adding->code, line->file),
      .line = line->line,
      .kind = EXPRESSION_LINE};
  if (line_executions(line, flows, &expression.count) && expression.file && expression.line)
    expression_add(adding->table, &expression);
}

void counted_expressions_add(struct places *places, const struct counted_code *code,
                             const struct counted_origins *origins,
                             const struct counter_values *values, struct expression_table *table) {
  struct adding adding = {
      .places = places, .code = code, .origins = origins, .values = values, .table = table};
  struct counted_range range;
  struct counted_line line;
  if (source_ranges_open(code, &adding.source) == 0) {
    while (source_ranges_next(&adding.source, &range) == 1)
      add_range(&adding, &range);
    while (source_ranges_line(&adding.source, &line) == 1)
      add_line(&adding, &line);
  }
  source_ranges_close(&adding.source);
}
