/* Counts the words of a text in a hash table that forgets to free its words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 4096 };
struct word {
  struct word *next;
  int count;
  char *text;
};
static struct word *table[SLOTS];

static void *checked_malloc(size_t bytes) {
  void *block = malloc(bytes);
  if (!block) abort();
  return block;
}

static void count_word(const char *text) {
  unsigned hash = 5381;
  for (const char *at = text; *at; at++)
    hash = hash * 33 + (unsigned char)*at;
  struct word **place = &table[hash % SLOTS];
  for (; *place; place = &(*place)->next)
    if (strcmp((*place)->text, text) == 0) {
      (*place)->count++;
      return;
    }
  *place = checked_malloc(sizeof **place);
  **place = (struct word){.count = 1, .text = strdup(text)};
}

static void read_text(int lines) {
  for (int i = 0; i < lines; i++) {
    char *line = checked_malloc(80);
    snprintf(line, 80, "line %d has the number %d", i % 1000, i);
    char *rest = line, *word;
    while ((word = strsep(&rest, " ")))
      count_word(word);
    free(line);
  }
}

static void clear(void) {
  for (int i = 0; i < SLOTS; i++)
    while (table[i]) {
      struct word *gone = table[i];
      table[i] = gone->next;
      free(gone); /* and gone->text? */
    }
}

int main(void) {
  read_text(20000);
  clear();
  puts("counted");
}
