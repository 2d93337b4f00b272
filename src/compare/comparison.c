#include "compare/comparison.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "compare/common_factor.h"
#include "compare/judgement.h"

const char comparison_columns[] =
    "calls or count, recursive_calls, self, total, child, ticks, total_ticks, share, total_share,\n"
    "whole, self_uncertainty, total_uncertainty, name, caller_name, object, file, line,\n"
    "source_column, way, present";

static int compare_pairs(struct pair_values *values, struct compared *compared) {
  const struct entry_pairs *pairs = &compared->pairs;
  compared->values = memory_resized(NULL, pairs->count, sizeof *compared->values);
  for (size_t i = 0; i < pairs->count; i++)
    if (pair_values_of(values, &pairs->items[i], &compared->values[i]) != 0) return -1;
  return 0;
}

static int take_pairs(struct workspace *workspace, const struct comparison *comparison,
                      struct compared *compared, struct error *error) {
  free(compared->values);
  compared->values = NULL;
  if (compared->pairs.items && compared->kind == comparison->kind &&
      compared->first == comparison->first && compared->second == comparison->second)
    return 0;
  compared_free(compared);
  compared->kind = comparison->kind;
  compared->first = comparison->first;
  compared->second = comparison->second;
  if (match_entries(workspace, comparison->kind, comparison->first, comparison->second,
                    &compared->pairs, error) == 0)
    return 0;
  compared_free(compared);
  return -1;
}

int comparison_run(struct workspace *workspace, const struct comparison *comparison,
                   struct compared *compared, struct error *error) {
  const char *expression = comparison->expression ? comparison->expression : "b.self - a.self";
  const char *condition = comparison->fail_if ? comparison->fail_if : "0";
  struct pair_values values = {.workspace = workspace, .error = error};
  int result = pair_values_prepare(&values, expression, condition);
  if (result == 0) result = take_pairs(workspace, comparison, compared, error);
  if (result == 0)
    result = pair_values_open(&values, comparison->first, comparison->second, comparison->kind);
  if (result == 0 && values.spread.measured)
    result = common_factor_find(workspace, comparison->first, comparison->second,
                                comparison->kind == ENTRY_FUNCTIONS ? &compared->pairs : NULL,
                                &values.spread, error);
  if (result == 0) result = compare_pairs(&values, compared);
  bool ratio = values.kept && !values.changed;
  compared->neutral = isnan(comparison->neutral) ? ratio : comparison->neutral;
  if (result == 0) result = judge_all(&values, compared, comparison->fail_if != NULL);
  compared->spread = values.spread;
  pair_values_close(&values);
  if (result != 0) {
    free(compared->values);
    compared->values = NULL;
    return -1;
  }
  return 0;
}
