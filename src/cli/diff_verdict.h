/* The verdict of `ascribe diff`, as text. */
#ifndef ASCRIBE_CLI_DIFF_VERDICT_H
#define ASCRIBE_CLI_DIFF_VERDICT_H

#include "compare/verdict.h"

/* On standard output: the whole, the entries, and which functions are called more or less often.
 * 0, or -1 with the reason. */
int diff_verdict_print(struct workspace *workspace, const struct verdict *verdict,
                       struct error *error);

#endif
