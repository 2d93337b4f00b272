#include "exchange/callgrind_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_blanks(const char *text) {
  return text + strspn(text, " \t\r");
}

const char *callgrind_name(struct callgrind_names *names, struct pool *pool, const char *text) {
  text = skip_blanks(text);
  char *end;
  /* "(below main)" is a name. */
  if (text[0] != '(' || !isdigit((unsigned char)text[1])) return pool_string(pool, text);
  errno = 0;
  uint64_t number = strtoull(text + 1, &end, 10);
  if (*end != ')' || errno) return pool_string(pool, text);
  const char *name = skip_blanks(end + 1);
  uint32_t index = map_find(&names->ids, number, 0);
  if (!*name) return index == UINT32_MAX ? NULL : names->texts[index];
  if (index == UINT32_MAX) {
    index = map_find_or_add(&names->ids, number, 0, names->count);
    ARRAY_GROW(names->texts, names->count);
    names->count++;
  }
  return names->texts[index] = pool_string(pool, name);
}

void callgrind_names_free(struct callgrind_names *names) {
  map_free(&names->ids);
  free(names->texts);
}

bool callgrind_positions_named(struct callgrind_positions *positions, const char *names) {
  *positions = (struct callgrind_positions){.line = MOST_POSITIONS};
  for (names = skip_blanks(names); *names; names = skip_blanks(names)) {
    size_t length = strcspn(names, " \t\r");
    if (positions->count == MOST_POSITIONS) return false;
    if (length == 4 && memcmp(names, "line", 4) == 0) positions->line = positions->count;
    positions->count++;
    names += length;
  }
  return positions->count > 0;
}

bool callgrind_number(const char **text, uint64_t *number) {
  const char *start = skip_blanks(*text);
  char *end;
  if (!isdigit((unsigned char)*start)) return false;
  bool hexadecimal = start[0] == '0' && start[1] == 'x';
  errno = 0;
  *number = strtoull(start, &end, hexadecimal ? 16 : 10);
  if (errno || (*end && *end != ' ' && *end != '\t' && *end != '\r')) return false;
  *text = skip_blanks(end);
  return true;
}

static bool read_part(const char **text, uint64_t *value) {
  const char *start = skip_blanks(*text);
  uint64_t number;
  char sign = *start;
  if (sign == '*') {
    *text = skip_blanks(start + 1);
    return true;
  }
  if (sign == '+' || sign == '-') start++;
  if (!callgrind_number(&start, &number)) return false;
  *value = sign == '+' ? *value + number : sign == '-' ? *value - number : number;
  *text = start;
  return true;
}

bool callgrind_position(struct callgrind_positions *positions, const char **text) {
  for (size_t i = 0; i < positions->count; i++)
    if (!read_part(text, &positions->values[i])) return false;
  return true;
}

uint32_t callgrind_line(const struct callgrind_positions *positions) {
  if (positions->line >= positions->count) return 0;
  uint64_t line = positions->values[positions->line];
  return line < UINT32_MAX ? line : 0;
}
