/* Expressions that users type, to be run by SQLite with nothing but reading allowed. */
#ifndef ASCRIBE_COMPARE_EXPRESSION_H
#define ASCRIBE_COMPARE_EXPRESSION_H

#include <stdbool.h>

#include "compare/workspace.h"

/* Whether `text` can stand between parentheses in a statement without reaching beyond them: its
 * parentheses and quotes are closed, and it has no comment, no ';' and no parameter.  0, or -1 with
 * the reason. */
int expression_check(const char *text, struct error *error);

/* SQLite's reason why an expression cannot be prepared, in the words of who wrote it: `reason` is
 * what it says, and becomes what is to be done. */
void expression_explain(struct error *reason);

/* Whether its value is an amount of what self and total are of: these are added, subtracted, and
 * taken so many times. False where that is not seen at once. */
bool expression_is_amount(const char *text);

/* Until expression_end, statements that are prepared may only select from the workspace's own
 * tables and call functions of numbers and texts. */
void expression_begin(struct workspace *workspace);
void expression_end(struct workspace *workspace);

#endif
