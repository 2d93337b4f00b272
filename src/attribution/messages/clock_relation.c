#include "attribution/messages/clock_relation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Clocks run apart by no more, in ns a ns: with what their rates were measured wrong by. */
#define RATE_MOST 1e-3
#define DEPTH_MOST 16
enum { PARTS = 16 };

/* A time in which one line is possible: ahead + rate * (at - from). */
struct clock_span {
  double from, to; /* of the bounds in it */
  bool known;
  double ahead, rate;
  double uncertainty[PARTS + 1]; /* at places from `from` to `to` */
  double rate_uncertainty;
};

struct bounds {
  struct clock_bound *list;
  size_t count;
};

void clock_relation_add(struct clock_relation *relation, struct clock_bound bound, bool is_most) {
  if (is_most) {
    ARRAY_GROW(relation->most, relation->most_count);
    relation->most[relation->most_count++] = bound;
  } else {
    ARRAY_GROW(relation->least, relation->least_count);
    relation->least[relation->least_count++] = bound;
  }
}

static int in_time(const void *left, const void *right) {
  const struct clock_bound *a = left, *b = right;
  if (a->at != b->at) return a->at < b->at ? -1 : 1;
  return (a->ahead > b->ahead) - (a->ahead < b->ahead);
}

/* The bounds that a line can touch: the hull below the list (`sign` 1) or above it (-1). */
static struct bounds hull_of(const struct clock_bound *list, size_t count, double sign) {
  struct bounds hull = {memory_zeroed(count + 1, sizeof *hull.list), 0};
  for (size_t i = 0; i < count; i++) {
    const struct clock_bound *next = &list[i];
    while (hull.count >= 2) {
      const struct clock_bound *a = &hull.list[hull.count - 2], *b = a + 1;
      double cross =
          (b->at - a->at) * (next->ahead - a->ahead) - (b->ahead - a->ahead) * (next->at - a->at);
      if (cross * sign > 0) break;
      hull.count--;
    }
    hull.list[hull.count++] = *next;
  }
  return hull;
}

/* ---- possible lines ---- */

/* For lines of this rate: how far the second clock is ahead at the beginning of the span, at most
 * and at least. If `least` is above `most`, no line of this rate is possible. */
struct corner {
  double rate, most, least;
};

/* The lines of a span that keep all bounds. A line is a point in a plane: its rate, and how far the
 * second clock is ahead at the beginning. The possible ones are a convex polygon in that plane.
 * These are its corners, by ascending rate; a linear function has its greatest and least values
 * there. */
struct lines {
  struct corner *corners;
  size_t count;
};

/* From one point of a hull to the next; not finite if these are of one time. */
static double slope(const struct bounds *hull, size_t number) {
  const struct clock_bound *a = &hull->list[number], *b = a + 1;
  return (b->ahead - a->ahead) / (b->at - a->at);
}

/* Goes through the rates in ascending order, from one slope of a hull to the next: between two
 * slopes the outermost lines touch the same two points. Slopes of `most` ascend, those of `least`
 * descend. */
static struct lines lines_between(const struct bounds *most, const struct bounds *least) {
  struct lines lines = {memory_zeroed(most->count + least->count + 1, sizeof *lines.corners), 0};
  size_t i = 0, k = least->count - 1;
  for (double rate = -RATE_MOST, next; rate <= RATE_MOST; rate = next) {
    while (i + 1 < most->count && slope(most, i) <= rate)
      i++;
    while (k && slope(least, k - 1) <= rate)
      k--;
    lines.corners[lines.count++] =
        (struct corner){rate, most->list[i].ahead - rate * most->list[i].at,
                        least->list[k].ahead - rate * least->list[k].at};
    next = rate < RATE_MOST ? RATE_MOST : INFINITY;
    if (i + 1 < most->count) next = fmin(next, slope(most, i));
    if (k) next = fmin(next, slope(least, k - 1));
  }
  return lines;
}

static double room(const struct corner *corner) {
  return corner->most - corner->least;
}

/* Between a corner that has room and one that has none, where there is just one line left. */
static struct corner edge(const struct corner *possible, const struct corner *impossible) {
  double share = room(possible) / (room(possible) - room(impossible));
  double ahead = possible->most + share * (impossible->most - possible->most);
  return (struct corner){possible->rate + share * (impossible->rate - possible->rate), ahead,
                         ahead};
}

/* Leaves the lines that are possible. `best` is the corner with most room; where several have as
 * much, the middle of them. False: no line is possible. */
static bool cut(struct lines *lines, struct corner *best) {
  size_t first = 0, last = lines->count - 1, widest = 0, alike = 0;
  for (size_t i = 1; i < lines->count; i++) {
    if (room(&lines->corners[i]) > room(&lines->corners[widest])) widest = alike = i;
    if (room(&lines->corners[i]) == room(&lines->corners[widest])) alike = i;
  }
  const struct corner *a = &lines->corners[widest], *b = &lines->corners[alike];
  *best =
      (struct corner){(a->rate + b->rate) / 2, (a->most + b->most) / 2, (a->least + b->least) / 2};
  if (!(room(a) >= 0)) return false; /* the mean of both may round to more */
  while (room(&lines->corners[first]) < 0)
    first++;
  while (room(&lines->corners[last]) < 0)
    last--;
  if (first) {
    first--;
    lines->corners[first] = edge(&lines->corners[first + 1], &lines->corners[first]);
  }
  if (last + 1 < lines->count) {
    last++;
    lines->corners[last] = edge(&lines->corners[last - 1], &lines->corners[last]);
  }
  lines->count = last + 1 - first;
  memmove(lines->corners, lines->corners + first, lines->count * sizeof *lines->corners);
  return true;
}

/* `lines`: those that are possible. */
static void find_uncertainty(struct clock_span *span, const struct lines *lines) {
  const struct corner *slowest = lines->corners, *fastest = &lines->corners[lines->count - 1];
  span->rate_uncertainty = fmax(span->rate - slowest->rate, fastest->rate - span->rate);
  for (int i = 0; i <= PARTS; i++) {
    double at = (span->to - span->from) * i / PARTS, ahead = span->ahead + span->rate * at;
    for (size_t k = 0; k < lines->count; k++) {
      const struct corner *corner = &lines->corners[k];
      double over = corner->most + corner->rate * at - ahead;
      double under = ahead - corner->least - corner->rate * at;
      span->uncertainty[i] = fmax(span->uncertainty[i], fmax(over, under));
    }
  }
}

/* ---- spans ---- */

static void add_span(struct clock_relation *relation, struct clock_span span) {
  ARRAY_GROW(relation->spans, relation->span_count);
  relation->spans[relation->span_count++] = span;
}

static struct bounds part_of(struct bounds bounds, double from, double to) {
  size_t first = 0, last;
  while (first < bounds.count && bounds.list[first].at < from)
    first++;
  for (last = first; last < bounds.count && bounds.list[last].at < to;)
    last++;
  return (struct bounds){bounds.list + first, last - first};
}

/* With times from the beginning of the span. */
static struct bounds shifted(struct bounds bounds, double from) {
  for (size_t i = 0; i < bounds.count; i++)
    bounds.list[i].at -= from;
  return bounds;
}

/* From `from` to before `to`. */
static void find_spans(struct clock_relation *relation, struct bounds most, struct bounds least,
                       double from, double to, int depth) {
  struct clock_span span = {.from = from, .to = to};
  if (!most.count || !least.count) {
    add_span(relation, span);
    return;
  }
  struct bounds above = shifted(hull_of(most.list, most.count, 1), from);
  struct bounds below = shifted(hull_of(least.list, least.count, -1), from);
  struct lines lines = lines_between(&above, &below);
  struct corner best;
  span.known = cut(&lines, &best);
  if (span.known) {
    span.rate = best.rate;
    span.ahead = (best.most + best.least) / 2;
    find_uncertainty(&span, &lines);
  }
  free(above.list);
  free(below.list);
  free(lines.corners);
  if (span.known || depth == DEPTH_MOST) {
    add_span(relation, span);
    return;
  }
  double middle = from + (to - from) / 2;
  find_spans(relation, part_of(most, from, middle), part_of(least, from, middle), from, middle,
             depth + 1);
  find_spans(relation, part_of(most, middle, to), part_of(least, middle, to), middle, to,
             depth + 1);
}

void clock_relation_find(struct clock_relation *relation) {
  struct bounds most = {relation->most, relation->most_count};
  struct bounds least = {relation->least, relation->least_count};
  if (!most.count || !least.count) return;
  qsort(most.list, most.count, sizeof *most.list, in_time);
  qsort(least.list, least.count, sizeof *least.list, in_time);
  double from = fmin(most.list[0].at, least.list[0].at);
  double to = fmax(most.list[most.count - 1].at, least.list[least.count - 1].at);
  find_spans(relation, most, least, from, nextafter(to, INFINITY), 0);
  relation->spans = memory_resized(relation->spans, relation->span_count, sizeof *relation->spans);
}

void clock_relation_forget_bounds(struct clock_relation *relation) {
  free(relation->most);
  free(relation->least);
  relation->most = relation->least = NULL;
  relation->most_count = relation->least_count = 0;
}

bool clock_relation_at(const struct clock_relation *relation, double at, double *ahead,
                       double *uncertainty) {
  if (!relation->span_count) return false;
  size_t i = 0;
  while (i + 1 < relation->span_count && at >= relation->spans[i].to)
    i++;
  const struct clock_span *span = &relation->spans[i];
  if (!span->known) return false;
  /* The possible lines are convex: between two places, none is farther off than in a straight line.
   */
  double within = fmin(fmax(at, span->from), span->to), outside = fabs(at - within);
  double length = span->to - span->from;
  double place = length > 0 ? (within - span->from) / length * PARTS : 0;
  int part = place < PARTS ? (int)place : PARTS - 1;
  double share = place - part;
  *ahead = span->ahead + span->rate * (at - span->from);
  *uncertainty = span->uncertainty[part] * (1 - share) + span->uncertainty[part + 1] * share +
                 span->rate_uncertainty * outside;
  return true;
}

double clock_relation_worst(const struct clock_relation *relation) {
  double worst = 0;
  for (size_t i = 0; i < relation->span_count; i++) {
    const struct clock_span *span = &relation->spans[i];
    for (int k = 0; k <= PARTS; k++)
      worst = fmax(worst, span->known ? span->uncertainty[k] : INFINITY);
  }
  return relation->span_count ? worst : INFINITY;
}

void clock_relation_free(struct clock_relation *relation) {
  clock_relation_forget_bounds(relation);
  free(relation->spans);
  *relation = (struct clock_relation){0};
}
