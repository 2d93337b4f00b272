#include "exchange/xml_text.h"

#include <string.h>

#include "report/text.h"

static const char *escape(char character) {
  switch (character) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '"':
    return "&quot;";
  case '\'':
    return "&#39;";
  default:
    return NULL;
  }
}

/* U+FFFE and U+FFFF. */
static int is_no_character(const char *text) {
  return memcmp(text, "\xef\xbf\xbe", 3) == 0 || memcmp(text, "\xef\xbf\xbf", 3) == 0;
}

/* Write one character and return its bytes. */
static size_t write_character(FILE *out, const char *text) {
  size_t bytes = utf8_bytes(text);
  const char *escaped = escape(*text);
  if (escaped || !bytes || (bytes == 3 && is_no_character(text)))
    fputs(escaped ? escaped : "?", out);
  else
    fwrite(text, 1, bytes, out);
  return bytes ? bytes : 1;
}

static size_t characters(const char *text) {
  size_t count = 0;
  for (; *text; text++)
    count += ((unsigned char)*text & 0xc0) != 0x80;
  return count;
}

void xml_text(FILE *out, const char *text) {
  while (*text)
    text += write_character(out, text);
}

void xml_text_cut(FILE *out, const char *text, size_t columns) {
  if (characters(text) <= columns) {
    xml_text(out, text);
    return;
  }
  for (size_t i = 0; i < columns - 2; i++)
    text += write_character(out, text);
  fputs("..", out);
}
