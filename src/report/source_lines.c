#include "report/source_lines.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_TAIL = 200 }; /* lines of a function behind the last that has code */

static void split(struct source_lines *lines) {
  char *at = lines->copy.text, *end = at + lines->copy.bytes;
  while (at < end) {
    char *newline = memchr(at, '\n', end - at);
    ARRAY_GROW(lines->lines, lines->count);
    lines->lines[lines->count++] = at;
    if (!newline) break;
    *newline = '\0';
    if (newline > at && newline[-1] == '\r') newline[-1] = '\0';
    at = newline + 1;
  }
}

int source_lines_open(const struct profile *profile, const char *profile_path, const char *path,
                      struct source_lines *lines, struct error *error) {
  struct source_copy copy = {0};
  if (!profile_path)
    store_source_on_disk(profile, path, &copy);
  else if (store_source(profile_path, path, &copy, error) != 0)
    return -1;
  /* Profiles keep no copies of what an imported file names: it may name any file. */
  bool missing = profile_path && !copy.text && profile->origin.format;
  if (missing) store_source_on_disk(profile, path, &copy);
  *lines = (struct source_lines){.copy = copy, .from_disk = !profile_path || missing};
  if (copy.text) split(lines);
  return 0;
}

void source_lines_close(struct source_lines *lines) {
  free(lines->lines);
  free(lines->copy.text);
  *lines = (struct source_lines){0};
}

const char *source_line(const struct source_lines *lines, uint32_t number) {
  return number && number <= lines->count ? lines->lines[number - 1] : NULL;
}

/* "static int f(void) { return 1; }" */
static bool is_whole_function(const char *line) {
  size_t length = strlen(line);
  while (length && strchr(" \t", line[length - 1]))
    length--;
  return length && line[length - 1] == '}' && memchr(line, '{', length);
}

uint32_t source_function_end(const struct source_lines *lines, uint32_t start, uint32_t last) {
  const char *first = source_line(lines, start);
  if (!first) return last;
  if (last <= start && is_whole_function(first)) return start;
  size_t indentation = strspn(first, " \t");
  for (uint32_t number = last; number < last + LONGEST_TAIL; number++) {
    const char *line = source_line(lines, number);
    if (!line) break;
    size_t blanks = strspn(line, " \t");
    if (line[blanks] == '}' && blanks <= indentation) return blanks == indentation ? number : last;
  }
  return last;
}
