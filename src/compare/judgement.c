#include "compare/judgement.h"

#include <math.h>
#include <stdlib.h>

static const double FALSE_CLAIMS = 0.05;

/* What chance may have made. */
struct claim {
  size_t place;
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

static void add_claim(struct claims *claims, size_t place, double z) {
  claims->family++;
  if (z > 0) claims->items[claims->count++] = (struct claim){place, erfc(z / sqrt(2))};
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
  add_claim(claims, place, z);
  return 0;
}

static int judge_values(struct pair_values *values, struct compared *compared,
                        struct claims *claims) {
  for (size_t i = 0; i < compared->pairs.count; i++)
    if (judge_value(values, compared, i, claims) != 0) return -1;
  size_t stand = count_that_stand(claims);
  for (size_t i = 0; i < stand; i++)
    compared->values[claims->items[i].place].stands_out = TRUTH_YES;
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
    if (!isinf(z)) add_claim(claims, place, z);
    return 0;
  }
  bool might;
  if (pair_values_might(values, pair, &might) != 0) return -1;
  claims->family += might;
  return 0;
}

static int judge_conditions(struct pair_values *values, struct compared *compared,
                            struct claims *claims) {
  *claims = (struct claims){.items = claims->items};
  for (size_t i = 0; i < compared->pairs.count; i++)
    if (judge_condition(values, compared, i, claims) != 0) return -1;
  size_t stand = count_that_stand(claims);
  for (size_t i = 0; i < stand; i++)
    compared->values[claims->items[i].place].failed = TRUTH_YES;
  return 0;
}

int judge_all(struct pair_values *values, struct compared *compared, bool condition) {
  struct claims claims = {malloc((compared->pairs.count + 1) * sizeof *claims.items), 0, 0};
  if (!claims.items) return error_set(values->error, "out of memory");
  values->workspace->pauses = 0;
  int result = judge_values(values, compared, &claims);
  if (result == 0 && condition) result = judge_conditions(values, compared, &claims);
  free(claims.items);
  return result;
}
