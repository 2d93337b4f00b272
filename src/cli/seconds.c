#include "cli/seconds.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  double seconds;
} units[] = {{"s", 1}, {"ms", 1e-3}, {"min", 60}, {"", 1}};

const char *seconds_read(const char *text, uint64_t *ns) {
  const double most = 3e9;
  char *end;
  if (!isdigit((unsigned char)*text) && *text != '.') return NULL;
  double seconds = strtod(text, &end);
  size_t letters = 0, digits = strspn(text, "0123456789.");
  if (end != text + digits) return NULL; /* hexadecimal, or an exponent */
  while (isalpha((unsigned char)end[letters]))
    letters++;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (strlen(units[i].name) != letters || strncmp(end, units[i].name, letters) != 0) continue;
    seconds *= units[i].seconds;
    if (end == text || !(seconds >= 0 && seconds <= most)) return NULL;
    *ns = (uint64_t)(seconds * 1e9 + 0.5);
    return end + letters;
  }
  return NULL;
}

int seconds_parse(const char *text, uint64_t *ns) {
  const char *end = seconds_read(text, ns);
  return end && !*end ? 0 : -1;
}
