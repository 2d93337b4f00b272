/* Standard error for messages: names and paths in them are those of programs and files that nobody
 * vouches for, and a terminal obeys what they contain. */
#ifndef ASCRIBE_CLI_MESSAGE_STREAM_H
#define ASCRIBE_CLI_MESSAGE_STREAM_H

#include <stdio.h>

/* From now on whatever is printed to stderr, getopt's messages too, has '?' in place of control
 * characters, bidirectional ones, and bytes that are not UTF-8. Newlines stay. */
void message_stream_open(void);

/* For what is to be obeyed: what redraws a line of the terminal. */
FILE *message_stream_raw(void);

#endif
