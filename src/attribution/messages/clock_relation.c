#include "attribution/messages/clock_relation.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* Clocks run apart by no more, in ns a ns: with what their rates were measured wrong by. */
#define RATE_MOST 1e-3
#define STEPS 60 /* of a search: to less than a ns */
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

/* ---- lines of a rate ---- */

struct lines {
  struct bounds most, least; /* hulls, times from the beginning of the span */
};

/* How far the second clock may be ahead at the beginning, if they run apart at this rate. */
static double highest(const struct lines *lines, double rate) {
  double found = INFINITY;
  for (size_t i = 0; i < lines->most.count; i++)
    found = fmin(found, lines->most.list[i].ahead - rate * lines->most.list[i].at);
  return found;
}

static double lowest(const struct lines *lines, double rate) {
  double found = -INFINITY;
  for (size_t i = 0; i < lines->least.count; i++)
    found = fmax(found, lines->least.list[i].ahead - rate * lines->least.list[i].at);
  return found;
}

/* For lines of this rate: how far the outermost ones lie apart (below 0: there is no line), and how
 * far at most and at least the second clock is ahead at a time. */
static double room(const struct lines *lines, double rate, double at) {
  (void)at;
  return highest(lines, rate) - lowest(lines, rate);
}
static double most_at(const struct lines *lines, double rate, double at) {
  return highest(lines, rate) + rate * at;
}
static double least_at(const struct lines *lines, double rate, double at) {
  return -(lowest(lines, rate) + rate * at);
}

/* The rate between two at which a concave function is greatest. */
static double greatest(const struct lines *lines, double low, double high, double at,
                       double (*function)(const struct lines *, double, double)) {
  for (int i = 0; i < STEPS; i++) {
    double third = (high - low) / 3, a = low + third, b = high - third;
    if (function(lines, a, at) < function(lines, b, at))
      low = a;
    else
      high = b;
  }
  return (low + high) / 2;
}

/* The last possible rate from one that is possible on, towards `end`. */
static double last_possible(const struct lines *lines, double possible, double end) {
  if (room(lines, end, 0) >= 0) return end;
  for (int i = 0; i < STEPS; i++) {
    double middle = (possible + end) / 2;
    if (room(lines, middle, 0) >= 0)
      possible = middle;
    else
      end = middle;
  }
  return possible;
}

static void find_uncertainty(struct clock_span *span, const struct lines *lines) {
  double slow = last_possible(lines, span->rate, -RATE_MOST);
  double fast = last_possible(lines, span->rate, RATE_MOST);
  span->rate_uncertainty = fmax(span->rate - slow, fast - span->rate);
  for (int i = 0; i <= PARTS; i++) {
    double at = (span->to - span->from) * i / PARTS, ahead = span->ahead + span->rate * at;
    double most = most_at(lines, greatest(lines, slow, fast, at, most_at), at);
    double least = -least_at(lines, greatest(lines, slow, fast, at, least_at), at);
    span->uncertainty[i] = fmax(fmax(most - ahead, ahead - least), 0);
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
  struct lines lines = {shifted(hull_of(most.list, most.count, 1), from),
                        shifted(hull_of(least.list, least.count, -1), from)};
  span.rate = greatest(&lines, -RATE_MOST, RATE_MOST, 0, room);
  span.known = room(&lines, span.rate, 0) >= 0;
  if (span.known) {
    span.ahead = (highest(&lines, span.rate) + lowest(&lines, span.rate)) / 2;
    find_uncertainty(&span, &lines);
  }
  free(lines.most.list);
  free(lines.least.list);
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
  free(relation->most);
  free(relation->least);
  free(relation->spans);
  *relation = (struct clock_relation){0};
}
