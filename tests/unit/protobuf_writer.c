/* The examples of the published description of the encoding. */
#include "exchange/protobuf_writer.h"

#include <stdlib.h>

#include "check.h"

static void check_bytes(struct protobuf *message, const char *expected, size_t count) {
  CHECK_EQUAL(message->count, count);
  CHECK(message->count == count && memcmp(message->bytes, expected, count) == 0);
  message->count = 0;
}

static void numbers(void) {
  struct protobuf message = {0};
  protobuf_number(&message, 1, 150);
  check_bytes(&message, "\x08\x96\x01", 3);
  protobuf_number(&message, 1, 0);
  CHECK_EQUAL(message.count, 0);
  protobuf_number(&message, 16, UINT64_MAX);
  check_bytes(&message, "\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12);
  free(message.bytes);
}

static void texts_and_messages(void) {
  struct protobuf message = {0}, inner = {0};
  protobuf_text(&message, 2, "testing");
  check_bytes(&message, "\x12\x07testing", 9);
  protobuf_text(&message, 2, "");
  check_bytes(&message, "\x12\x00", 2);
  protobuf_number(&inner, 1, 150);
  protobuf_message(&message, 3, &inner);
  check_bytes(&message, "\x1a\x03\x08\x96\x01", 5);
  protobuf_append(&message, &inner);
  check_bytes(&message, "\x08\x96\x01", 3);
  free(message.bytes);
  free(inner.bytes);
}

static void packed(void) {
  struct protobuf message = {0};
  uint64_t values[] = {3, 270, 86942};
  protobuf_numbers(&message, 6, values, 3);
  check_bytes(&message, "\x32\x06\x03\x8e\x02\x9e\xa7\x05", 8);
  free(message.bytes);
}

static void stream(void) {
  struct protobuf message = {0};
  char *bytes = NULL;
  size_t count = 0;
  FILE *out = open_memstream(&bytes, &count);
  protobuf_number(&message, 1, 150);
  protobuf_flush(&message, 3, out);
  CHECK_EQUAL(message.count, 0);
  protobuf_flush(&message, 4, out);
  fclose(out);
  CHECK(count == 7 && memcmp(bytes, "\x1a\x03\x08\x96\x01\x22\x00", 7) == 0);
  free(bytes);
  free(message.bytes);
}

int main(void) {
  numbers();
  texts_and_messages();
  packed();
  stream();
  return check_result();
}
