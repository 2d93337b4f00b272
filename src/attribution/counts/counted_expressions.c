#include "attribution/counts/counted_expressions.h"

#include <stdlib.h>

#include "attribution/counts/copies.h"
#include "attribution/counts/line_executions.h"
#include "base/hash_index.h"
#include "base/map.h"

/* What one flow has of a range's count. */
struct range_part {
  uint32_t block; /* number, or 0 */
  uint64_t times;
};

struct adding {
  struct places *places;
  const struct counted_code *code;
  const struct counted_origins *origins;
  const struct counter_values *values;
  struct source_ranges source;
  struct range_part *parts; /* of the range at hand */
  size_t part_count;
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
  if (kind == RANGE_GONE) return EXPRESSION_GONE;
  if (kind == RANGE_CASE) return EXPRESSION_CASE;
  *way = kind - (kind < RANGE_LOOP ? RANGE_BRANCH : RANGE_LOOP);
  return kind < RANGE_LOOP ? EXPRESSION_BRANCH : EXPRESSION_LOOP;
}

/* Conditions that have one place (those of `a && b` in C++) are told apart by their order in the
 * code; copies of one that the optimizer made in this function have blocks, and are one. */
static uint32_t condition_of(struct adding *adding, const struct counted_range *range,
                             uint32_t block) {
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
  adding->condition = block ? 0 : adding->conditions[place]++;
  return adding->condition;
}

static const char *text_of(struct adding *adding, uint32_t name) {
  const char *text = counted_code_text(adding->code, name);
  return *text ? pool_string(adding->places->profile->pool, text) : NULL;
}

static uint32_t block_of(struct adding *adding, uint32_t number, const char *clone) {
  if (!number) return NOTHING;
  const struct counted_block *counted = &adding->source.blocks[number - 1];
  struct profile_block block = {.within = adding->origins->functions[0],
                                .clone = clone,
                                .number = number,
                                .loop = counted->loop,
                                .loop_file =
                                    counted_path(adding->places, adding->code, counted->loop_file),
                                .loop_line = counted->loop_line,
                                .vectors = text_of(adding, counted->vectors),
                                .by = text_of(adding, counted->by),
                                .where = text_of(adding, counted->where)};
  return builder_block(adding->places->builder, block);
}

static void add_part(struct adding *adding, struct range_part part) {
  ARRAY_GROW(adding->parts, adding->part_count);
  adding->parts[adding->part_count++] = part;
}

static void add_copy(struct adding *adding, const struct counted_range *range, uint32_t expression,
                     const struct range_part *part) {
  const char *clone = copies_clone(adding->places->profile->pool, adding->code->name);
  struct profile_copy copy = {.expression = expression,
                              .within = adding->origins->functions[0],
                              .expansion = adding->origins->expansions[range->origin],
                              .clone = clone,
                              .block = block_of(adding, part->block, clone),
                              .count = part->times};
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
  adding->part_count = 0;
  struct range_part part = {0};
  for (uint32_t flow; source_ranges_flow(&adding->source, &flow, &part.block);) {
    known &= flows[flow].known;
    part.times = flows[flow].times;
    expression.count += part.times;
    add_part(adding, part);
  }
  if (!adding->part_count) add_part(adding, part);
  if (expression.kind == EXPRESSION_BRANCH)
    expression.way += 2 * condition_of(adding, range, adding->parts[0].block);
  if (expression.kind == EXPRESSION_CASE) {
    expression.way = range->which;
    expression.label = text_of(adding, range->label);
    expression.label_line = range->label_line;
  }
  known &= !adding->source.flows_left;
  if (!known || !expression.file || !expression.line) return;
  uint32_t id = builder_expression(adding->places->builder, expression);
  for (size_t i = 0; expression.kind != EXPRESSION_GONE && i < adding->part_count; i++)
    add_copy(adding, range, id, &adding->parts[i]);
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
  free(adding.parts);
  free(adding.conditions);
  map_free(&adding.places_of_conditions);
}
