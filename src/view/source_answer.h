/* A page of source: the text of a file, and all that is known of its lines. */
#ifndef ASCRIBE_VIEW_SOURCE_ANSWER_H
#define ASCRIBE_VIEW_SOURCE_ANSWER_H

#include "view/view.h"

/* Parameters:
 *   file       its path
 *   profile    the profile (default 1)
 *   other, by  as tables have them (table_answer.h), and so
 *   growth     1
 *   rows       0: the text alone
 * The answer has file, text (null: the profile keeps none), newer, and rows (as tables, all of the
 * file's):
 *   lines        source_lines: the figures of each line
 *   by_function  with `other` or `growth`: lines, each of one function, so compared
 *   functions, sites, expressions, places
 */
int source_answer(struct view *view, const struct parameters *parameters, FILE *out,
                  struct error *error);

#endif
