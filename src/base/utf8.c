#include "base/utf8.h"

#include <string.h>

#include "base/memory.h"

#define REPLACEMENT "\xef\xbf\xbd"

static bool is_continuation(const char *text, size_t bytes) {
  for (size_t i = 1; i < bytes; i++)
    if (((unsigned char)text[i] & 0xc0) != 0x80) return false;
  return true;
}

size_t utf8_bytes(const char *text) {
  const unsigned char *at = (const unsigned char *)text;
  if (at[0] < 0x80) return 1;
  if (at[0] >= 0xc2 && at[0] <= 0xdf && is_continuation(text, 2)) return 2;
  if (at[0] >= 0xe0 && at[0] <= 0xef && is_continuation(text, 3)) {
    bool overlong = at[0] == 0xe0 && at[1] < 0xa0, surrogate = at[0] == 0xed && at[1] >= 0xa0;
    return overlong || surrogate ? 0 : 3;
  }
  if (at[0] >= 0xf0 && at[0] <= 0xf4 && is_continuation(text, 4)) {
    bool overlong = at[0] == 0xf0 && at[1] < 0x90, beyond = at[0] == 0xf4 && at[1] >= 0x90;
    return overlong || beyond ? 0 : 4;
  }
  return 0;
}

static size_t count_invalid(const char *text) {
  size_t count = 0;
  while (*text) {
    size_t bytes = utf8_bytes(text);
    count += !bytes;
    text += bytes ? bytes : 1;
  }
  return count;
}

char *utf8_repaired(const char *text) {
  size_t invalid = count_invalid(text);
  if (!invalid) return NULL;
  char *repaired = memory_zeroed(strlen(text) + invalid * (sizeof REPLACEMENT - 2) + 1, 1);
  for (char *at = repaired; *text;) {
    size_t bytes = utf8_bytes(text), put = bytes ? bytes : sizeof REPLACEMENT - 1;
    memcpy(at, bytes ? text : REPLACEMENT, put);
    at += put;
    text += bytes ? bytes : 1;
  }
  return repaired;
}

/* U+061C, U+200E and F, U+202A to E, U+2066 to 9. */
static bool is_bidirectional(const unsigned char *at, size_t bytes) {
  if (bytes == 2) return at[0] == 0xd8 && at[1] == 0x9c;
  if (bytes != 3 || at[0] != 0xe2) return false;
  if (at[1] == 0x80) return at[2] == 0x8e || at[2] == 0x8f || (at[2] >= 0xaa && at[2] <= 0xae);
  return at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9;
}

bool utf8_is_control(const char *text, size_t bytes) {
  const unsigned char *at = (const unsigned char *)text;
  return at[0] < 0x20 || at[0] == 0x7f || (bytes == 2 && at[0] == 0xc2 && at[1] < 0xa0) ||
         is_bidirectional(at, bytes);
}

void utf8_blot_controls(char *text) {
  while (*text) {
    size_t bytes = utf8_bytes(text), step = bytes ? bytes : 1;
    if (!bytes || utf8_is_control(text, bytes)) memset(text, '?', step);
    text += step;
  }
}
