/* A file being imported as a whole, decompressed if it is compressed as gzip does. */
#ifndef ASCRIBE_EXCHANGE_WHOLE_INPUT_H
#define ASCRIBE_EXCHANGE_WHOLE_INPUT_H

#include "exchange/input.h"

struct whole_input {
  const char *text; /* no zero behind it */
  size_t bytes;
  unsigned char *inflated; /* or null: it is the input's */
};

/* At most 1 GB. The input stays open. */
int whole_input_read(struct whole_input *whole, struct input *input, struct error *error);
void whole_input_free(struct whole_input *whole);

/* How a file begins whose first bytes are `*start`: where they are compressed, they become what
 * could be decompressed of them, in `room`. False: nothing could. */
bool whole_input_start(const char **start, size_t *count, char *room, size_t bytes);

#endif
