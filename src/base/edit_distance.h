/* How alike two words are. */
#ifndef ASCRIBE_BASE_EDIT_DISTANCE_H
#define ASCRIBE_BASE_EDIT_DISTANCE_H

#include <stdint.h>

/* Letters to insert, delete or replace, without regard to case; UINT32_MAX for words of more than
 * 64 letters.  Source: Levenshtein's distance, by rows (Wagner, Fischer, "The string-to-string
 * correction problem", 1974). */
uint32_t edit_distance(const char *a, const char *b);

/* The search for the word that is most like `wrong`. */
struct nearest_word {
  const char *wrong; /* up to '=' */
  uint32_t below;    /* only words at a smaller distance */
  const char *word;  /* found up to now, or null */
};
void nearest_word_try(struct nearest_word *search, const char *word);

#endif
