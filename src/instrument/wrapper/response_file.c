#include "instrument/wrapper/response_file.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/wrapper/text_file.h"

enum { NESTING_LIMIT = 16, FILES_LIMIT = 2000 };

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

/* `*files` are still to be read: files that hold themselves twice would be endless. */
static void expand(struct words *words, const char *argument, int depth, int *files) {
  bool readable = argument[0] == '@' && depth<NESTING_LIMIT && * files> 0;
  char *text = readable ? text_file_read(argument + 1) : NULL;
  if (!text) {
    words_add(words, argument);
    return;
  }
  --*files;
  char *rest = text, *word;
  while ((word = next_word(&rest)))
    expand(words, word, depth + 1, files);
  free(text);
}

void response_file_expand(struct words *words, const char *argument) {
  int files = FILES_LIMIT;
  expand(words, argument, 0, &files);
}

static void write_word(FILE *out, const char *word) {
  if (!*word) fputs("\"\"", out);
  for (; *word; word++) {
    if (isspace((unsigned char)*word) || strchr("\\\"'", *word)) putc('\\', out);
    putc(*word, out);
  }
  putc('\n', out);
}

int response_file_hand_on(const struct words *words) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  if (!out) return -1;
  for (size_t i = 0; i < words->count; i++)
    write_word(out, words->items[i]);
  int descriptor = fclose(out) == 0 ? text_file_hand_on(text) : -1;
  free(text);
  return descriptor;
}
