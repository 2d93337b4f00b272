/* Pages of rows: tables of a profile, sorted, filtered, and compared with another profile. */
#ifndef ASCRIBE_VIEW_TABLE_ANSWER_H
#define ASCRIBE_VIEW_TABLE_ANSWER_H

#include "view/view.h"

/* Parameters:
 *   kind           functions, arcs, sites, lines, source_lines, expressions (counted ranges),
 *                  copies (of these), places (instructions with ticks, by line and column), files,
 *                  objects, compared, cycles, cycle_functions (members of the cycles, with the arc
 *                  from each to the next), or possible (calls of the equations, by site; `fixed` is
 *                  the chosen value)
 *   of             for `compared`: functions, arcs, sites or lines; the rows of both profiles
 *   sort, up       a column, and 1 for the smallest first; default: the kind's own order
 *   filter         a text that the row's names or files must contain, in any case
 *   is.COLUMN      ids of the column, separated by commas, or one text; not for `compared`
 *   limit, offset  of the rows (at most 20000)
 *   profile        the profile (default 1)
 *   other, by      also compare each row with that of the profile `other`, by an expression; adds
 *                  the columns value, low, high, stands_out
 *   growth         1: add the columns of the entry's growth (growing.h); of the first profile
 * Where calls were chosen, arcs, sites and possible have `chosen` (the figures depend on it) and
 * free_least, free_most (the range without the choice).
 * The answer has columns, rows, and count: the number of rows that pass the filter. */
int tables_answer(struct view *view, const struct parameters *parameters, FILE *out,
                  struct error *error);

/* The same for the rows of one file (is.file), at most MOST_OF_A_FILE. */
enum { MOST_OF_A_FILE = 100000 };
int tables_answer_of_file(struct view *view, const struct parameters *parameters, FILE *out,
                          struct error *error);

#endif
