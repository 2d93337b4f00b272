/* The wire format of protocol buffers, read: the fields of a message, one after the other.
 * Source: the published encoding, https://protobuf.dev/programming-guides/encoding/. */
#ifndef ASCRIBE_EXCHANGE_PROTOBUF_READER_H
#define ASCRIBE_EXCHANGE_PROTOBUF_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What of a message has not been read yet. */
struct protobuf_input {
  const unsigned char *at, *end;
};

struct protobuf_field {
  unsigned number;
  bool is_number;              /* else bytes */
  uint64_t value;              /* of a number; of 32 or 64 fixed bits too */
  struct protobuf_input bytes; /* a text, a message or packed numbers */
};

/* The next field: 1; 0 at the end of the message; -1 where the bytes are no message: then
 * input->at is where that shows. */
int protobuf_read(struct protobuf_input *input, struct protobuf_field *field);

/* The next number of a repeated field, packed or not, of which `field` was read: true, or false
 * after the last. A packed one that is damaged ends early, with bytes left over. */
bool protobuf_read_number(struct protobuf_field *field, uint64_t *value);

#endif
