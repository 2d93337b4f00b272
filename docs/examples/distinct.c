/* Counts how many distinct words a text has, by sorting them; its parts are named for Ascribe. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ascribe/ascribe.h>

enum { WORDS = 1000000 };
static char *words[WORDS];

static void read_words(void) {
  ASCRIBE_SCOPE("read"); /* from here to the end of the block */
  for (int i = 0; i < WORDS; i++) {
    char word[20];
    snprintf(word, sizeof word, "%x", (unsigned)i * 2654435761u >> 14);
    words[i] = strdup(word);
  }
}

static int compare(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static int distinct(void) {
  ASCRIBE_SCOPE("count");
  int found = 0;
  {
    ASCRIBE_SCOPE("sort");
    qsort(words, WORDS, sizeof *words, compare);
  }
  for (int i = 0; i < WORDS; i++)
    found += i == 0 || strcmp(words[i - 1], words[i]) != 0;
  return found;
}

int main(void) {
  read_words();
  printf("%d distinct words\n", distinct());
}
