/* Pages of rows: tables of a profile, sorted, filtered, and compared with another profile. */
#ifndef ASCRIBE_VIEW_TABLE_ANSWER_H
#define ASCRIBE_VIEW_TABLE_ANSWER_H

#include "view/view.h"

/* Parameters:
 *   kind           functions, arcs, sites, lines, source_lines, expressions (counted ranges),
 * copies (of these), places (of instructions with ticks, by line and column), files, objects,
 *                  compared, cycles,
 *                  cycle_functions (their members, with the arc from each to the next), or possible
 *                  (calls of the equations, by site: with `fixed`, the value that was chosen)
 *   of             of `compared`: functions, arcs, sites or lines; it has the rows of both profiles
 *   sort, up       a column, and 1 for the smallest first; default: the kind's own order
 *   filter         a text that names or files of the row must hold, in any case
 *   is.COLUMN      values of the column, apart by commas (ids) or one text; not of `compared`
 *   limit, offset  of the rows (at most 20000)
 *   profile        the profile (default 1)
 *   other, by      also compare each row with that of the profile `other`, by an expression; adds
 *                  the columns value, low, high, stands_out
 *   growth         1: add the columns of the entry's growth (growing.h); of the first profile
 * Where something was chosen, arcs, sites and possible have `chosen`: the figures depend on it; and
 * free_least, free_most: what was possible without.
 * The answer has columns, rows, and count: of all rows that pass the filter. */
int tables_answer(struct view *view, const struct parameters *parameters, FILE *out,
                  struct error *error);

/* The same of the rows of one file (is.file): up to MOST_OF_A_FILE of them. */
enum { MOST_OF_A_FILE = 100000 };
int tables_answer_of_file(struct view *view, const struct parameters *parameters, FILE *out,
                          struct error *error);

#endif
