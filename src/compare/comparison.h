/* Two profiles compared by any expression over the entries of both.
 * Source: "Visualizing profile information", section 2.2 of the paper on the visualizer of a
 * Scheme compiler's profiles: an arbitrary function is applied to corresponding entries. */
#ifndef ASCRIBE_COMPARE_COMPARISON_H
#define ASCRIBE_COMPARE_COMPARISON_H

#include <stdbool.h>

#include "compare/match.h"

/* Expressions see the columns of both entries, as a.NAME and b.NAME:
 *   calls, recursive_calls   an entry that is not in one profile has 0 there, if that counts them;
 *                            of expressions and lines: how often they were executed
 *   self, total, child       seconds, or what the profiles count; with self_uncertainty and
 *                            total_uncertainty (95 %)
 *   ticks, total_ticks       the samples behind them
 *   share, total_share       of the whole, which is what the report's are of
 *   name, caller_name, object, file, line, source_column, way (entries.h)
 *   present                  1 if the profile has the entry
 * Numbers are floating point, so quotients are not cut. */
struct comparison {
  enum compared_kind kind;
  size_t first, second;   /* profiles of the workspace: a and b */
  const char *expression; /* null: b.self - a.self */
  const char *fail_if;    /* a condition, or null */
  double neutral;         /* the value of equal entries; NaN: found out (see below) */
};

extern const char comparison_columns[]; /* the names above, for messages */

enum truth { TRUTH_UNKNOWN = -1, TRUTH_NO, TRUTH_YES };

/* In memory, as there are a million arcs.  Zeros at first; to be freed with compared_free. */
struct compared {
  enum compared_kind kind;
  size_t first, second; /* whose entries the pairs are */
  struct entry_pairs pairs;
  struct compared_value { /* of each pair */
    double value;         /* NaN: not known, or no number */
    float below, above; /* to the ends of its 95 % interval; 0 for what is exact; NaN: not known */
    signed char stands_out, failed; /* enum truth; failed: the condition holds */
  } * values;                       /* null: nothing was compared yet */
  double neutral;
};

/* Compare all pairs of entries.  If `compared` has the pairs of the same entries, they stay.
 * The neutral value, where it is not given: if doubling all amounts of both leaves every value as
 * it is, the expression is a kind of ratio, whose neutral value is 1; else it is 0. Low and high
 * are found by moving each sampled figure by its uncertainty, one at a time, and adding the changes
 * as independent errors add.  The condition must hold wherever in their intervals the figures of
 * both lie.  A value stands out if its interval does not hold the neutral one. A bad expression
 * fails with one line that names it. */
int comparison_run(struct workspace *workspace, const struct comparison *comparison,
                   struct compared *compared, struct error *error);
void compared_free(struct compared *compared);

/* The place of the pair of a's entry `id`, or the number of pairs. */
size_t compared_find(const struct compared *compared, int64_t id);

/* Put the pairs at the places `which`, `count` of them (null: all), in this order into the table
 * `compared`, which had others before: a, b, value, low, high, stands_out (NULL: not known),
 * failed; and the neutral value into the table `comparing`. */
int compared_table(struct workspace *workspace, const struct compared *compared,
                   const uint32_t *which, size_t count, struct error *error);

#endif
