/* When calls of MPI are recorded. */
#ifndef ASCRIBE_RUNTIME_MESSAGE_ENTRY_H
#define ASCRIBE_RUNTIME_MESSAGE_ENTRY_H

/* From now on: the process records. */
void message_calls_begin(void);

#endif
