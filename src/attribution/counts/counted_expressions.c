#include "attribution/counts/counted_expressions.h"

#include <stdlib.h>

#include "attribution/counts/copies.h"
#include "attribution/counts/line_executions.h"
#include "base/hash_index.h"
#include "base/map.h"

struct adding {
  struct places *places;
  const struct counted_code *code;
  const struct counted_origins *origins;
  const struct counter_values *values;
  struct source_ranges source;
  struct map places_of_conditions;
  uint32_t *conditions; /* by such a place: how many of it were met */
  size_t condition_count;
  uint32_t condition; /* of its place, whose first way was met last */
};

/* Kinds that are several ways of one range have the first one's number plus the way. */
static enum expression_kind kind_of(uint32_t kind, uint32_t *way) {
  *way = 0;
  if (kind == RANGE_CODE) return EXPRESSION_CODE;
  if (kind == RANGE_MACRO) return EXPRESSION_MACRO;
  if (kind == RANGE_CASE) return EXPRESSION_CASE;
  *way = kind - (kind < RANGE_LOOP ? RANGE_BRANCH : RANGE_LOOP);
  return kind < RANGE_LOOP ? EXPRESSION_BRANCH : EXPRESSION_LOOP;
}

/* Conditions that have one place (those of `a && b` in C++) are told apart by their order in the
 * code. */
static uint32_t condition_of(struct adding *adding, const struct counted_range *range) {
  if (range->kind != RANGE_BRANCH) return adding->condition;
  uint64_t from = (uint64_t)range->line << 32 | range->column;
  uint64_t to = (uint64_t)range->end_line << 32 | range->end_column;
  uint64_t rest = hash_mix(to ^ hash_mix((uint64_t)range->file << 32 | range->origin));
  uint32_t fresh = (uint32_t)adding->condition_count;
  uint32_t place = map_find_or_add(&adding->places_of_conditions, from, rest, fresh);
  if (place == fresh) {
    ARRAY_GROW(adding->conditions, adding->condition_count);
    adding->conditions[adding->condition_count++] = 0;
  }
  adding->condition = adding->conditions[place]++;
  return adding->condition;
}

static const char *text_of(struct adding *adding, uint32_t name) {
  const char *text = counted_code_text(adding->code, name);
  return *text ? pool_string(adding->places->profile->pool, text) : NULL;
}

/* The text of a macro has a part of its count in each expansion. */
static void add_expanded(struct adding *adding, const struct counted_range *range, uint32_t id,
                         uint64_t count) {
  struct profile_copy copy = {
      .expression = id,
      .within = adding->origins->functions[0],
      .expansion =
          counted_origins_expansion(adding->places->builder, adding->origins, range->origin),
      .clone = copies_clone(adding->places->profile->pool, adding->code->name),
      .count = count};
  builder_copy(adding->places->builder, copy);
}

static void add_range(struct adding *adding, const struct counted_range *range) {
  const struct counter_flow *flows =
      adding->values->flows + adding->values->first[adding->code - adding->values->code];
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
  if (expression.kind == EXPRESSION_BRANCH) expression.way += 2 * condition_of(adding, range);
  if (expression.kind == EXPRESSION_CASE) {
    expression.way = range->which;
    expression.label = text_of(adding, range->label);
    expression.label_line = range->label_line;
  }
  known &= !adding->source.flows_left;
  if (!known || !expression.file || !expression.line) return;
  uint32_t id = builder_expression(adding->places->builder, expression);
  if (expression.kind == EXPRESSION_MACRO) add_expanded(adding, range, id, expression.count);
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
    builder_expression(adding->places->builder, expression);
}

void counted_expressions_add(struct places *places, const struct counted_code *code,
                             const struct counted_origins *origins,
                             const struct counter_values *values) {
  struct adding adding = {.places = places, .code = code, .origins = origins, .values = values};
  struct counted_range range;
  struct counted_line line;
  if (source_ranges_open(code, &adding.source) == 0) {
    while (source_ranges_next(&adding.source, &range) == 1)
      add_range(&adding, &range);
    while (source_ranges_line(&adding.source, &line) == 1)
      add_line(&adding, &line);
  }
  source_ranges_close(&adding.source);
  free(adding.conditions);
  map_free(&adding.places_of_conditions);
}
