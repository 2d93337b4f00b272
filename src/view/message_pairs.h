/* Who sends to whom in a parallel job, as a matrix that fits a screen. */
#ifndef ASCRIBE_VIEW_MESSAGE_PAIRS_H
#define ASCRIBE_VIEW_MESSAGE_PAIRS_H

#include "view/view.h"

/* Parameters:
 *   job            its id, where the profile has several; default: the first
 *   by             nodes   rows and columns are nodes, in the order of their first rank
 *                  else they are ranks
 *   cells          at most this many rows and columns (default MATRIX_CELLS): neighbours are
 *                  summed, `step` of them to a cell
 *   from, to       only these rows: ranks or nodes, from 0; `to` is included
 *   partner_from, partner_to   only these columns
 * The answer: jobs (ids; null: not known), job, size (how many rows and columns all of it has),
 * step, first, partner_first (of the first row and column), rows_shown, columns_shown, nodes (by
 * nodes: their names), and rows with columns place, partner_place (cells, from 0), pairs (of ranks,
 * that the cell sums), sent, sent_bytes, received, received_bytes and elapsed_ns: sums of
 * message_matrix. Cells without messages have no row; without any, size is 0. */
enum { MATRIX_CELLS = 128 };

int message_pairs_answer(struct view *view, const struct parameters *parameters, FILE *out,
                         struct error *error);

#endif
