#include "attribution/counted_expressions.h"

#include <stdio.h>
#include <stdlib.h>

#include "symbols/source_path.h"

const char *counted_path(struct places *places, const struct counted_code *code, uint32_t name) {
  const char *file = counted_code_text(code, name);
  char path[8192];
  if (!*file) return NULL;
  if (*file == '/' || !*code->directory)
    snprintf(path, sizeof path, "%s", file);
  else
    snprintf(path, sizeof path, "%s/%s", code->directory, file);
  source_path_normalise(path);
  return pool_string(places->profile->pool, path);
}

/* ---- functions ---- */

struct adding {
  struct places *places;
  uint32_t object, function;
  const struct counted_code *code;
  const struct counter_values *values;
  struct expression_table *table;
  struct source_ranges source;
  uint32_t *functions; /* by number of what was inlined */
};

static void find_functions(struct adding *adding) {
  adding->functions =
      memory_zeroed((size_t)adding->source.origin_count + 1, sizeof *adding->functions);
  adding->functions[0] = adding->function;
  for (uint32_t i = 0; i < adding->source.origin_count; i++) {
    const struct counted_origin *origin = &adding->source.origins[i];
    const char *name = counted_code_text(adding->code, origin->name);
    const char *file = counted_path(adding->places, adding->code, origin->file);
    adding->functions[i + 1] =
        *name ? places_inlined(adding->places, adding->object, name, file, origin->line)
              : adding->functions[origin->parent];
  }
}

/* ---- ranges ---- */

static void add_range(struct adding *adding, const struct counted_range *range) {
  const struct counter_flow *flows =
      adding->values->flows + adding->values->first[adding->code - adding->values->code];
  bool branch = range->kind != RANGE_CODE, known = true;
  struct profile_expression expression = {
      .function = adding->functions[range->origin],
      .file = counted_path(adding->places, adding->code, range->file),
      .line = range->line,
      .column = range->column,
      .end_line = range->end_line,
      .end_column = range->end_column,
      .way = branch ? range->kind - RANGE_BRANCH : 0,
      .kind = branch ? EXPRESSION_BRANCH : EXPRESSION_CODE};
  for (uint32_t flow; source_ranges_flow(&adding->source, &flow);) {
    known &= flows[flow].known;
    expression.count += flows[flow].times;
  }
  if (known && expression.file && expression.line) expression_add(adding->table, &expression);
}

void counted_expressions_add(struct places *places, uint32_t object, uint32_t function,
                             const struct counted_code *code, const struct counter_values *values,
                             struct expression_table *table) {
  struct adding adding = {.places = places,
                          .object = object,
                          .function = function,
                          .code = code,
                          .values = values,
                          .table = table};
  struct counted_range range;
  if (source_ranges_open(code, &adding.source) == 0) {
    find_functions(&adding);
    while (source_ranges_next(&adding.source, &range) == 1)
      add_range(&adding, &range);
  }
  free(adding.functions);
  source_ranges_close(&adding.source);
}
