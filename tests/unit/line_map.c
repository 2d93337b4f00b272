/* Lines of edited texts find their partners. */
#include "compare/line_map.h"

#include <stdlib.h>

#include "check.h"

/* "1 2 - 4": the lines that those of `before` have become. */
static const char *mapped(const char *before, const char *after) {
  static char text[512];
  size_t count;
  uint32_t *lines = line_map_make(before, after, &count);
  text[0] = '\0';
  for (size_t i = 0; i < count; i++)
    if (lines[i])
      snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", i ? " " : "", lines[i]);
    else
      snprintf(text + strlen(text), sizeof text - strlen(text), "%s-", i ? " " : "");
  free(lines);
  return text;
}

int main(void) {
  CHECK_TEXT(mapped("", ""), "");
  CHECK_TEXT(mapped("a", ""), "-");
  CHECK_TEXT(mapped("", "a\nb"), "");
  CHECK_TEXT(mapped("a\nb\nc\n", "a\nb\nc\n"), "1 2 3");
  CHECK_TEXT(mapped("a\nb\nc", "new\na\nb\nnew\nc"), "2 3 5");
  CHECK_TEXT(mapped("a\nb\nc", "a\nc"), "1 - 2");
  CHECK_TEXT(mapped("a\nb\nc", "a\nB\nc"), "1 - 3");
  CHECK_TEXT(mapped("a\n  b\n", "\ta\r\nb"), "1 2"); /* indented anew */
  /* Brackets go with their functions. */
  CHECK_TEXT(mapped("f() {\n1\n}\ng() {\n2\n}\n", "f() {\n1\n}\nh() {\n3\n}\ng() {\n2\n}\n"),
             "1 2 3 7 8 9");
  CHECK_TEXT(mapped("f() {\n1\n}\nh() {\n3\n}\ng() {\n2\n}\n", "f() {\n1\n}\ng() {\n2\n}\n"),
             "1 2 3 - - - 4 5 6");
  /* What was moved has one partner, or none. */
  CHECK_TEXT(mapped("a\nb\nc\nd", "c\nd\na\nb"), "- - 1 2");
  /* Nothing is there once. */
  CHECK_TEXT(mapped("x\nx\nx", "x\nx"), "1 2 -");
  CHECK_TEXT(mapped("x\nx\ny\nx\nx", "x\ny\nx"), "1 - 2 3 -");
  return check_result();
}
