/* A line on the terminal while symbols are read, if that takes longer than a second. */
#ifndef ASCRIBE_CLI_PROGRESS_H
#define ASCRIBE_CLI_PROGRESS_H

/* Begin to watch; nothing happens where standard error is no terminal. */
void progress_begin(void);

/* Take the line away, if it was drawn. */
void progress_end(void);

#endif
