#include "exchange/protobuf_writer.h"

#include <string.h>

#include "base/memory.h"

enum wire_type { WIRE_VARINT = 0, WIRE_BYTES = 2 };
enum { VARINT_BYTES = 10 };

static size_t varint(unsigned char bytes[VARINT_BYTES], uint64_t value) {
  size_t count = 0;
  for (; value >= 0x80; value >>= 7)
    bytes[count++] = value | 0x80;
  bytes[count++] = value;
  return count;
}

static void append(struct protobuf *message, const void *bytes, size_t count) {
  ARRAY_ROOM(message->bytes, message->count + count);
  if (count) memcpy(message->bytes + message->count, bytes, count);
  message->count += count;
}

static void append_varint(struct protobuf *message, uint64_t value) {
  unsigned char bytes[VARINT_BYTES];
  append(message, bytes, varint(bytes, value));
}

static void append_key(struct protobuf *message, unsigned field, enum wire_type type) {
  append_varint(message, field << 3 | type);
}

static void append_bytes(struct protobuf *message, unsigned field, const void *bytes,
                         size_t count) {
  append_key(message, field, WIRE_BYTES);
  append_varint(message, count);
  append(message, bytes, count);
}

void protobuf_number(struct protobuf *message, unsigned field, uint64_t value) {
  if (!value) return;
  append_key(message, field, WIRE_VARINT);
  append_varint(message, value);
}

void protobuf_text(struct protobuf *message, unsigned field, const char *text) {
  append_bytes(message, field, text, strlen(text));
}

void protobuf_numbers(struct protobuf *message, unsigned field, const uint64_t *values,
                      size_t count) {
  unsigned char bytes[VARINT_BYTES];
  size_t length = 0;
  for (size_t i = 0; i < count; i++)
    length += varint(bytes, values[i]);
  append_key(message, field, WIRE_BYTES);
  append_varint(message, length);
  for (size_t i = 0; i < count; i++)
    append_varint(message, values[i]);
}

void protobuf_message(struct protobuf *message, unsigned field, const struct protobuf *inner) {
  append_bytes(message, field, inner->bytes, inner->count);
}

void protobuf_append(struct protobuf *message, const struct protobuf *other) {
  append(message, other->bytes, other->count);
}

void protobuf_flush(struct protobuf *inner, unsigned field, FILE *out) {
  unsigned char head[2 * VARINT_BYTES];
  size_t count = varint(head, field << 3 | WIRE_BYTES);
  count += varint(head + count, inner->count);
  fwrite(head, 1, count, out);
  if (inner->count) fwrite(inner->bytes, 1, inner->count, out);
  inner->count = 0;
}
