/* Two profiles compared by any expression over the entries of both.
 * Source: "Visualizing profile information", section 2.2 of the paper on the visualizer of a
 * Scheme compiler's profiles: an arbitrary function is applied to corresponding entries. */
#ifndef ASCRIBE_COMPARE_COMPARISON_H
#define ASCRIBE_COMPARE_COMPARISON_H

#include "compare/compared.h"

/* Expressions see the columns of both entries, as a.NAME and b.NAME:
 *   calls, recursive_calls   all calls, and direct recursion; an entry that is not in one profile
 *                            has 0 there, if that counts them; of expressions and lines: how often
 *                            they were executed
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

/* Compare all pairs of entries.  If `compared` has the pairs of the same entries, they stay.
 * The neutral value, where it is not given: if doubling all amounts of both leaves every value as
 * it is, the expression is a kind of ratio, whose neutral value is 1; else it is 0. Low and high
 * are found by moving each sampled figure by its uncertainty, one at a time, and adding the changes
 * as independent errors add; they hold what differs from run to run, too (spread.h).  Which values
 * stand out, and for which the condition holds, is judged of all together (judgement.h). A bad
 * expression fails with one line that names it. */
int comparison_run(struct workspace *workspace, const struct comparison *comparison,
                   struct compared *compared, struct error *error);

#endif
