/* How far one clock is ahead of another, from messages between who has them.
 *
 * A message is received after it was sent, by one clock as by the other: in one direction each says
 * how far the second clock is ahead at most, in the other at least. Over time the two run apart
 * evenly, so that a line lies between these bounds: we take the one that is as far from all of them
 * as it can be, and how far others that are possible lie from it. Where there is none, since clocks
 * do not run evenly over a long time, the time is divided.
 *
 * Source: Duda, Harrus, Haddad, Bernard, "Estimating global time in distributed systems", 7th
 * International Conference on Distributed Computing Systems, 1987: the method of convex hulls. */
#ifndef ASCRIBE_ATTRIBUTION_CLOCK_RELATION_H
#define ASCRIBE_ATTRIBUTION_CLOCK_RELATION_H

#include <stdbool.h>
#include <stddef.h>

/* At `at` by the first clock, the second one is ahead by this, at most or at least. In ns. */
struct clock_bound {
  double at, ahead;
};

/* All zeros: nothing is known. */
struct clock_relation {
  struct clock_bound *most, *least; /* what is given: clock_relation_add */
  size_t most_count, least_count;
  struct clock_span *spans; /* what follows: clock_relation_find */
  size_t span_count;
};

void clock_relation_add(struct clock_relation *relation, struct clock_bound bound, bool is_most);

/* When all have been added. Changes their order. */
void clock_relation_find(struct clock_relation *relation);

/* Frees the bounds. What clock_relation_find has found remains. */
void clock_relation_forget_bounds(struct clock_relation *relation);

/* How far the second clock is ahead at `at` by the first one, in ns, and by how much that may be
 * wrong. False: it is not known. */
bool clock_relation_at(const struct clock_relation *relation, double at, double *ahead,
                       double *uncertainty);

/* The largest uncertainty between the first bound and the last, in ns; INFINITY: it is not known at
 * some time. */
double clock_relation_worst(const struct clock_relation *relation);

void clock_relation_free(struct clock_relation *relation);

#endif
