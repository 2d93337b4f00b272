/* A command as a shell would read it back. */
#ifndef ASCRIBE_CLI_SHOWN_COMMAND_H
#define ASCRIBE_CLI_SHOWN_COMMAND_H

#include "instrument/wrapper/words.h"

/* On one line of standard output. */
void shown_command_print(const struct words *command);

#endif
