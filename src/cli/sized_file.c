#include "cli/sized_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *sized_file_parse(const char *text, double *n, const char **file) {
  const char *equals = strchr(text, '=');
  if (!equals) return "the size is missing, as in n=1000:FILE";
  char *end;
  double size = strtod(equals + 1, &end);
  if (end == equals + 1 || *end != ':' || !isfinite(size) || size <= 0)
    return "n=SIZE:FILE wants a SIZE above 0";
  *n = size;
  *file = end + 1;
  return NULL;
}
