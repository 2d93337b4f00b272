/* Response files: gcc's @FILE arguments. */
#ifndef ASCRIBE_INSTRUMENT_RESPONSE_FILE_H
#define ASCRIBE_INSTRUMENT_RESPONSE_FILE_H

#include "instrument/wrapper/words.h"

/* Append `argument` to `words`; if it is @FILE and the file can be read, append what it holds
 * instead, by gcc's rules: blanks separate, quotes and backslashes protect, @FILE nests (at most
 * 16 deep).  A file that cannot be read stays an argument, as for gcc. */
void response_file_expand(struct words *words, const char *argument);

/* A response file that holds `words`, for a program that is started: see text_file_hand_on.
 * Returns the descriptor, or -1. */
int response_file_hand_on(const struct words *words);

#endif
