#include "exchange/whole_input.h"

#include <stdlib.h>

#include "exchange/gzip_bytes.h"

#define MOST_BYTES ((size_t)1 << 30)

int whole_input_read(struct whole_input *whole, struct input *input, struct error *error) {
  const unsigned char *bytes;
  *whole = (struct whole_input){0};
  if (input_rest(input, MOST_BYTES, &bytes, &whole->bytes, error) != 0) return -1;
  whole->text = (const char *)bytes;
  if (!gzip_is_start(whole->text, whole->bytes)) return 0;
  if (gzip_decompress(input->name, bytes, whole->bytes, MOST_BYTES, &whole->inflated, &whole->bytes,
                      error) != 0)
    return -1;
  whole->text = (const char *)whole->inflated;
  return 0;
}

void whole_input_free(struct whole_input *whole) {
  free(whole->inflated);
}

bool whole_input_start(const char **start, size_t *count, char *room, size_t bytes) {
  if (!gzip_is_start(*start, *count)) return *count > 0;
  *count = gzip_start(*start, *count, room, bytes);
  *start = room;
  return *count > 0;
}
