/* `ascribe diff` as text. */
#ifndef ASCRIBE_CLI_DIFF_TEXT_H
#define ASCRIBE_CLI_DIFF_TEXT_H

#include "cli/diff_result.h"
#include "cli/entry_labels.h"

/* On standard output. 0, or -1 with the reason. */
int diff_text(struct entry_labels *labels, const struct diff_request *request,
              const struct diff_result *result, struct error *error);

#endif
