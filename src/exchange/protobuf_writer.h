/* The wire format of protocol buffers: fields of one message, one after the other.
 * Source: the published encoding, https://protobuf.dev/programming-guides/encoding/. */
#ifndef ASCRIBE_EXCHANGE_PROTOBUF_WRITER_H
#define ASCRIBE_EXCHANGE_PROTOBUF_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A message as it grows.  All zeros: an empty one; `bytes` is freed by the owner. */
struct protobuf {
  unsigned char *bytes;
  size_t count;
};

/* A field of type uint64, int64, bool or enum.  0 is the default of all: nothing is written. */
void protobuf_number(struct protobuf *message, unsigned field, uint64_t value);

void protobuf_text(struct protobuf *message, unsigned field, const char *text);

/* A repeated field of numbers, packed. */
void protobuf_numbers(struct protobuf *message, unsigned field, const uint64_t *values,
                      size_t count);

void protobuf_message(struct protobuf *message, unsigned field, const struct protobuf *inner);

/* Add the fields of another message of the same type. */
void protobuf_append(struct protobuf *message, const struct protobuf *other);

/* Write `inner` as a field of the outermost message, which is a stream, and empty it. */
void protobuf_flush(struct protobuf *inner, unsigned field, FILE *out);

#endif
