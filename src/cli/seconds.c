#include "cli/seconds.h"

#include <stdlib.h>

int seconds_parse(const char *text, uint64_t *ns) {
  const double most = 3e9;
  char *end;
  double seconds = strtod(text, &end);
  if (end == text || *end || !(seconds >= 0 && seconds <= most)) return -1;
  *ns = (uint64_t)(seconds * 1e9);
  return 0;
}
