#include "exchange/protobuf_reader.h"

#include <string.h>

enum wire_type { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

/* Seven bits a byte, lowest first. */
static bool read_varint(struct protobuf_input *input, uint64_t *value) {
  uint64_t result = 0;
  const unsigned char *at = input->at;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (at == input->end) return false;
    result |= (uint64_t)(*at & 0x7f) << shift;
    if (!(*at++ & 0x80)) {
      input->at = at;
      *value = result;
      return true;
    }
  }
  return false;
}

static bool read_fixed(struct protobuf_input *input, size_t bytes, uint64_t *value) {
  *value = 0;
  if ((size_t)(input->end - input->at) < bytes) return false;
  for (size_t i = 0; i < bytes; i++)
    *value |= (uint64_t)input->at[i] << 8 * i;
  input->at += bytes;
  return true;
}

static bool read_bytes(struct protobuf_input *input, struct protobuf_input *bytes) {
  struct protobuf_input start = *input;
  uint64_t length;
  if (!read_varint(input, &length) || length > (uint64_t)(input->end - input->at)) {
    *input = start;
    return false;
  }
  *bytes = (struct protobuf_input){input->at, input->at + length};
  input->at += length;
  return true;
}

int protobuf_read(struct protobuf_input *input, struct protobuf_field *field) {
  uint64_t key;
  if (input->at == input->end) return 0;
  if (!read_varint(input, &key) || !(key >> 3) || key >> 3 > UINT32_MAX) return -1;
  *field = (struct protobuf_field){.number = key >> 3, .is_number = true};
  switch (key & 7) {
  case WIRE_VARINT:
    return read_varint(input, &field->value) ? 1 : -1;
  case WIRE_64:
    return read_fixed(input, 8, &field->value) ? 1 : -1;
  case WIRE_32:
    return read_fixed(input, 4, &field->value) ? 1 : -1;
  case WIRE_BYTES:
    field->is_number = false;
    return read_bytes(input, &field->bytes) ? 1 : -1;
  default:
    return -1;
  }
}

bool protobuf_read_number(struct protobuf_field *field, uint64_t *value) {
  if (!field->is_number)
    return field->bytes.at != field->bytes.end && read_varint(&field->bytes, value);
  *value = field->value;
  field->is_number = false; /* the only one */
  field->bytes = (struct protobuf_input){0};
  return true;
}
