/* The token of `ascribe view --port`: the same each time, so that addresses can be kept. */
#ifndef ASCRIBE_CLI_LASTING_TOKEN_H
#define ASCRIBE_CLI_LASTING_TOKEN_H

#include <stdbool.h>

enum { LASTING_TOKEN_BYTES = 16, LASTING_TOKEN_TEXT = 2 * LASTING_TOKEN_BYTES };

/* Read it from ascribe/view-token in XDG_STATE_HOME or ~/.local/state. Where that is not there, is
 * damaged or may be read by others, a new one is made, mode 0600. False: it cannot be written. */
bool lasting_token(char token[LASTING_TOKEN_TEXT + 1]);

#endif
