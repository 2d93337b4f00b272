/* How alike two words are. */
#ifndef ASCRIBE_BASE_EDIT_DISTANCE_H
#define ASCRIBE_BASE_EDIT_DISTANCE_H

#include <stddef.h>
#include <stdint.h>

/* Letters to insert, delete or replace, without regard to case; UINT32_MAX for words of more than
 * 64 letters.  Source: Levenshtein's distance, by rows (Wagner, Fischer, "The string-to-string
 * correction problem", 1974). */
uint32_t edit_distance(const char *a, const char *b);

/* The word at the least distance, or null: none is nearer than `below`. What follows '=' does not
 * count. */
const char *nearest_word(const char *wrong, const char *const *words, size_t count, uint32_t below);

#endif
