#include "attribution/recorded/recorded_object.h"

#include <stdlib.h>

enum { BUILD_ID_BYTES = 20 };

static size_t parse_build_id(const char *digits, uint8_t bytes[BUILD_ID_BYTES]) {
  size_t count = 0;
  for (; count < BUILD_ID_BYTES && digits[0] && digits[1]; digits += 2) {
    char byte[3] = {digits[0], digits[1], '\0'};
    bytes[count++] = strtoul(byte, NULL, 16);
  }
  return count;
}

int recorded_object_file(struct symbols *symbols, const struct profile_object *object,
                         struct symbol_file **file, struct error *error) {
  uint8_t build_id[BUILD_ID_BYTES];
  if (object->kind == OBJECT_WORLD)
    return error_set(error, "%s was run by a language host: it has no machine code", object->path);
  size_t bytes = parse_build_id(object->build_id, build_id);
  struct symbol_file *found = symbols_file(symbols, object->path, bytes ? build_id : NULL, bytes);
  switch (symbol_file_state(found)) {
  case SYMBOLS_CHANGED:
    return error_set(error, "%s has changed since the recording: its code is not known",
                     object->path);
  case SYMBOLS_MISSING:
    return error_set(error, "%s cannot be read any more: its code is not known", object->path);
  default:
    *file = found;
    return 0;
  }
}
