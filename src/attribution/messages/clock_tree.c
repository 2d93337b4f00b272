/* Comparing clocks that messages or collective calls relate, directly or over other clocks. */
#include <stdlib.h>

#include "attribution/messages/message_finding.h"

#define HOPS_MOST 64         /* from a clock to its root */
#define COST_OF_UNKNOWN 1e18 /* ns: of a relation that is not known at all times */

static double ns_of(const struct job_clock *clock, uint64_t cycles) {
  return ((double)cycles - (double)clock->zero) * clock->cycle_ns;
}

void finding_relate(struct finding *finding, uint32_t from, uint64_t before, uint32_t to,
                    uint64_t after) {
  if (from == to) return;
  double first = ns_of(&finding->clocks[from], before), then = ns_of(&finding->clocks[to], after);
  uint32_t low = from < to ? from : to, high = from < to ? to : from;
  uint32_t fresh = (uint32_t)finding->relation_count;
  uint32_t id = map_find_or_add(&finding->relation_ids, low, high, fresh);
  if (id == fresh) {
    ARRAY_GROW(finding->relations, finding->relation_count);
    finding->relations[finding->relation_count++] = (struct related_clocks){low, high, {0}};
  }
  ARRAY_GROW(finding->bounds, finding->bound_count);
  finding->bounds[finding->bound_count++] =
      from < to ? (struct related_bound){id, true, {first, then - first}}
                : (struct related_bound){id, false, {then, first - then}};
}

static int by_relation(const void *left, const void *right) {
  const struct related_bound *a = left, *b = right;
  COMPARE(a->relation, b->relation);
  return 0;
}

/* One relation after the other: most clocks of a large job hardly met, and an array of bounds for
 * each pair of them would take more room than the bounds. */
static void find_relations(struct finding *finding) {
  struct related_bound *bounds = finding->bounds;
  if (finding->bound_count) qsort(bounds, finding->bound_count, sizeof *bounds, by_relation);
  for (size_t i = 0, k = 0; i < finding->relation_count; i++) {
    struct clock_relation *relation = &finding->relations[i].relation;
    for (; k < finding->bound_count && bounds[k].relation == i; k++)
      clock_relation_add(relation, bounds[k].bound, bounds[k].is_most);
    clock_relation_find(relation);
    clock_relation_forget_bounds(relation);
  }
  free(bounds);
  finding->bounds = NULL;
  finding->bound_count = 0;
}

/* ---- the tree ---- */

/* Whether the way to the clock `to` over `from` is better than the one that it has. */
static bool improve(struct finding *finding, uint32_t from, uint32_t to, double cost) {
  struct job_clock *nearer = &finding->clocks[from], *clock = &finding->clocks[to];
  double distance = nearer->distance + cost;
  if (nearer->root > clock->root) return false;
  if (nearer->root == clock->root && distance >= clock->distance) return false;
  clock->root = nearer->root;
  clock->parent = from;
  clock->distance = distance;
  return true;
}

static double cost_of(const struct clock_relation *relation) {
  double worst = clock_relation_worst(relation);
  return worst < COST_OF_UNKNOWN ? worst + 1 : COST_OF_UNKNOWN;
}

static uint32_t depth_of(const struct finding *finding, uint32_t clock) {
  uint32_t depth = 0;
  for (; finding->clocks[clock].parent != clock && depth <= HOPS_MOST; depth++)
    clock = finding->clocks[clock].parent;
  return depth;
}

/* All ways that are least uncertain, from the clock with the lowest number (Bellman, "On a routing
 * problem", Quarterly of Applied Mathematics 16, 1958). */
void finding_compare_clocks(struct finding *finding) {
  double *costs = memory_zeroed(finding->relation_count + 1, sizeof *costs);
  bool any = true;
  find_relations(finding);
  for (size_t i = 0; i < finding->relation_count; i++)
    costs[i] = cost_of(&finding->relations[i].relation);
  for (uint32_t i = 0; i < finding->clock_count; i++)
    finding->clocks[i].root = finding->clocks[i].parent = i;
  for (int hops = 0; any && hops < HOPS_MOST; hops++) {
    any = false;
    for (size_t i = 0; i < finding->relation_count; i++) {
      const struct related_clocks *related = &finding->relations[i];
      if (!related->relation.span_count) continue;
      any |= improve(finding, related->low, related->high, costs[i]);
      any |= improve(finding, related->high, related->low, costs[i]);
    }
  }
  for (uint32_t i = 0; i < finding->clock_count; i++)
    finding->clocks[i].depth = depth_of(finding, i);
  free(costs);
}

/* ---- comparing ---- */

/* A moment by another clock that is related directly. Adds to the uncertainty. */
static bool convert(const struct finding *finding, uint32_t from, uint32_t to, double *at,
                    double *uncertainty) {
  bool up = from < to;
  uint32_t id = map_find(&finding->relation_ids, up ? from : to, up ? to : from);
  if (id == NOTHING) return false;
  const struct clock_relation *relation = &finding->relations[id].relation;
  double low = *at, ahead, wrong; /* low: by the clock of the lower number */
  for (int i = 0; !up && i < 3; i++) {
    if (!clock_relation_at(relation, low, &ahead, &wrong)) return false;
    low = *at - ahead;
  }
  if (!clock_relation_at(relation, low, &ahead, &wrong)) return false;
  *at += up ? ahead : -ahead;
  *uncertainty += wrong;
  return true;
}

static bool convert_over_tree(const struct finding *finding, uint32_t from, uint32_t to, double *at,
                              double *uncertainty) {
  const struct job_clock *first = &finding->clocks[from], *last = &finding->clocks[to];
  if (from == to) return true;
  if (first->root != last->root || first->depth > HOPS_MOST || last->depth > HOPS_MOST)
    return false;
  if (first->depth >= last->depth)
    return convert(finding, from, first->parent, at, uncertainty) &&
           convert_over_tree(finding, first->parent, to, at, uncertainty);
  return convert_over_tree(finding, from, last->parent, at, uncertainty) &&
         convert(finding, last->parent, to, at, uncertainty);
}

bool finding_later_by(const struct finding *finding, uint32_t from, uint64_t cycles, uint32_t to,
                      uint64_t base, double *later, double *uncertainty) {
  const struct job_clock *clock = &finding->clocks[to];
  *uncertainty = 0;
  if (from == to) {
    *later = ((double)cycles - (double)base) * clock->cycle_ns;
    return clock->cycle_ns > 0;
  }
  double begin = ns_of(&finding->clocks[from], cycles), at = begin;
  bool is_known = convert_over_tree(finding, from, to, &at, uncertainty);
  double direct = begin, wrong = 0;
  if (convert(finding, from, to, &direct, &wrong) && (!is_known || wrong < *uncertainty)) {
    is_known = true;
    at = direct;
    *uncertainty = wrong;
  }
  *later = at - ns_of(clock, base);
  return is_known;
}
