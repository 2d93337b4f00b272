/* Whole files of text: read, and handed on to a program that is started. */
#ifndef ASCRIBE_INSTRUMENT_TEXT_FILE_H
#define ASCRIBE_INSTRUMENT_TEXT_FILE_H

/* What the file at `path` holds, up to its first zero byte; allocated. NULL if it cannot be read.
 */
char *text_file_read(const char *path);

/* An open file without a name that holds `text` and survives exec: the program and its children
 * read it as /proc/self/fd/N, and nothing has to be removed. Returns the descriptor, or -1. */
int text_file_hand_on(const char *text);

#endif
