/* When calls of MPI are recorded. */
#ifndef ASCRIBE_RUNTIME_MESSAGE_ENTRY_H
#define ASCRIBE_RUNTIME_MESSAGE_ENTRY_H

#include <stdbool.h>

/* From now on: the process records. `with_stacks`: stacks_start has succeeded. */
void message_calls_begin(bool with_stacks);

#endif
