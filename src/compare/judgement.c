#include "compare/judgement.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

static const double FALSE_CLAIMS = 0.05;

/* What chance may have made. */
struct claim {
  signed char *truth; /* to become TRUTH_YES if the claim stands */
  double probability; /* that chance alone makes it, at most */
};

struct claims {
  struct claim *items;
  size_t count, family; /* family: all that chance could have made, claimed or not */
};

static int by_probability(const void *one, const void *other) {
  double a = ((const struct claim *)one)->probability;
  double b = ((const struct claim *)other)->probability;
  return (a > b) - (a < b);
}

/* Benjamini and Hochberg: the first that stand, in the order of their probability. */
static size_t count_that_stand(struct claims *claims) {
  size_t stand = 0;
  qsort(claims->items, claims->count, sizeof *claims->items, by_probability);
  for (size_t i = 0; i < claims->count; i++)
    if (claims->items[i].probability <= FALSE_CLAIMS * (double)(i + 1) / (double)claims->family)
      stand = i + 1;
  return stand;
}

static void add_claim(struct claims *claims, signed char *truth, double z) {
  claims->family++;
  if (z > 0) claims->items[claims->count++] = (struct claim){truth, erfc(z / sqrt(2))};
}

/* ---- values ---- */

/* By the value's interval alone. */
static bool interval_is_beyond(const struct compared_value *value, double neutral) {
  return value->value - value->below > neutral || value->value + value->above < neutral;
}

static int judge_value(struct pair_values *values, struct compared *compared, size_t place,
                       struct claims *claims) {
  const struct entry_pair *pair = &compared->pairs.items[place];
  struct compared_value *value = &compared->values[place];
  struct pair_claim claim = {value->value > compared->neutral ? 1 : -1, compared->neutral};
  double z = 0;
  if (isnan(value->below)) return 0;
  bool differs = value->value != compared->neutral;
  value->stands_out = differs && value->below == 0 && value->above == 0;
  bool seen;
  if (!differs || value->stands_out) return 0;
  if (pair_values_seen(values, pair, &seen) != 0) return -1;
  if (!seen) return 0;
  if (interval_is_beyond(value, compared->neutral) &&
      pair_values_reach(values, pair, &claim, &z) != 0)
    return -1;
  add_claim(claims, &value->stands_out, z);
  return 0;
}

/* ---- the condition ---- */

static int judge_condition(struct pair_values *values, struct compared *compared, size_t place,
                           struct claims *claims) {
  const struct entry_pair *pair = &compared->pairs.items[place];
  struct compared_value *value = &compared->values[place];
  double z = 0;
  if (value->failed == TRUTH_UNKNOWN) return 0;
  if (value->failed == TRUTH_YES) {
    if (pair_values_reach(values, pair, &(struct pair_claim){0}, &z) != 0) return -1;
    value->failed = isinf(z) ? TRUTH_YES : TRUTH_NO;
    if (!isinf(z)) add_claim(claims, &value->failed, z);
    return 0;
  }
  bool might;
  if (pair_values_might(values, pair, &might) != 0) return -1;
  claims->family += might;
  return 0;
}

/* ---- all ---- */

typedef int judge(struct pair_values *values, struct compared *compared, size_t place,
                  struct claims *claims);

/* Returns how many were judged together, or -1. */
static int64_t judge_by(judge *judge_one, struct pair_values *values, struct compared *compared) {
  struct claims claims = {memory_resized(NULL, compared->pairs.count, sizeof *claims.items), 0, 0};
  int result = 0;
  for (size_t i = 0; result == 0 && i < compared->pairs.count; i++)
    result = judge_one(values, compared, i, &claims);
  size_t stand = result == 0 ? count_that_stand(&claims) : 0;
  for (size_t i = 0; i < stand; i++)
    *claims.items[i].truth = TRUTH_YES;
  free(claims.items);
  return result == 0 ? (int64_t)claims.family : -1;
}

int judge_all(struct pair_values *values, struct compared *compared, bool condition) {
  int64_t judged = judge_by(judge_value, values, compared);
  if (judged < 0) return -1;
  compared->judged_together = (size_t)judged;
  return condition && judge_by(judge_condition, values, compared) < 0 ? -1 : 0;
}
