/* Characters of texts that nobody vouches for. */
#ifndef ASCRIBE_BASE_UTF8_H
#define ASCRIBE_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the UTF-8 character at `text`, which has a zero somewhere behind; 0 if it is not valid
 * there. */
size_t utf8_bytes(const char *text);

/* The text with U+FFFD for each byte that is not valid, to be freed; null: all of it is valid. */
char *utf8_repaired(const char *text);

/* Whether the character of so many bytes is one that a terminal obeys (C0, DEL, C1), or one that
 * turns the direction of what follows (Unicode's bidirectional controls). */
bool utf8_is_control(const char *text, size_t bytes);

/* Each byte of such a character, and each that is not valid, becomes '?'. */
void utf8_blot_controls(char *text);

#endif
