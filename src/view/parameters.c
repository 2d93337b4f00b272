#include "view/parameters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int parameters_add(struct parameters *parameters, const char *name, const char *value) {
  if (parameters->count == MOST_PARAMETERS) return -1;
  parameters->items[parameters->count++] = (struct parameter){name, value ? value : ""};
  return 0;
}

const char *parameters_text(const struct parameters *parameters, const char *name) {
  for (size_t i = 0; i < parameters->count; i++)
    if (strcmp(parameters->items[i].name, name) == 0) return parameters->items[i].value;
  return NULL;
}

int64_t parameters_number(const struct parameters *parameters, const char *name, int64_t most,
                          int64_t otherwise) {
  const char *text = parameters_text(parameters, name);
  if (!text) return otherwise;
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  return end == text || *end || errno || value < 0 || value > most ? otherwise : value;
}
