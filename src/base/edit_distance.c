#include "base/edit_distance.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 64, ROOM = 2 * LONGEST };

static uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

uint32_t edit_distance(const char *a, const char *b) {
  uint32_t row[LONGEST + 1];
  size_t width = strlen(b);
  if (width > LONGEST || strlen(a) > LONGEST) return UINT32_MAX;
  for (size_t i = 0; i <= width; i++)
    row[i] = i;
  for (uint32_t i = 1; a[i - 1]; i++) {
    uint32_t diagonal = row[0];
    row[0] = i;
    for (size_t k = 1; k <= width; k++) {
      bool same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[k - 1]);
      uint32_t replaced = diagonal + !same;
      diagonal = row[k];
      row[k] = least(replaced, least(row[k], row[k - 1]) + 1);
    }
  }
  return row[width];
}

void nearest_word_try(struct nearest_word *search, const char *word) {
  char name[ROOM];
  snprintf(name, ROOM, "%.*s", (int)strcspn(search->wrong, "="), search->wrong);
  uint32_t distance = edit_distance(name, word);
  if (distance >= search->below) return;
  search->below = distance;
  search->word = word;
}
