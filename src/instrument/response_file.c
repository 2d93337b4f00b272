#include "instrument/response_file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { NESTING_LIMIT = 16 };

static char *read_text(const char *path) {
  FILE *file = fopen(path, "re");
  if (!file) return NULL;
  char *text = NULL;
  size_t capacity = 0;
  /* No response file holds a zero byte: this reads all of it. */
  if (getdelim(&text, &capacity, '\0', file) < 0) {
    free(text);
    text = NULL;
  }
  fclose(file);
  return text;
}

/* Cut the next word off `*rest`, unquoted in place. Null at the end. */
static char *next_word(char **rest) {
  char *in = *rest;
  while (isspace((unsigned char)*in))
    in++;
  if (!*in) return NULL;
  char *word = in, *out = in, quote = 0;
  for (; *in && (quote || !isspace((unsigned char)*in)); in++) {
    if (*in == '\\' && in[1])
      *out++ = *++in;
    else if (quote ? *in == quote : *in == '\'' || *in == '"')
      quote = quote ? 0 : *in;
    else
      *out++ = *in;
  }
  *rest = *in ? in + 1 : in;
  *out = '\0';
  return word;
}

static void expand(struct words *words, const char *argument, int depth) {
  char *text = argument[0] == '@' && depth < NESTING_LIMIT ? read_text(argument + 1) : NULL;
  if (!text) {
    words_add(words, argument);
    return;
  }
  char *rest = text, *word;
  while ((word = next_word(&rest)))
    expand(words, word, depth + 1);
  free(text);
}

void response_file_expand(struct words *words, const char *argument) {
  expand(words, argument, 0);
}
