/* The example of docs/GPROF.md: which function makes the output of calc2? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OWN __attribute__((noinline)) /* stays a function of its own */

static char page[1 << 16];
static size_t used;

OWN void write_text(const char *text) {
  size_t length = strlen(text);
  if (used + length > sizeof page) used = 0;
  memcpy(page + used, text, length);
  used += length;
}

OWN void format1(double value) {
  char text[64];
  snprintf(text, sizeof text, "%.3f\n", value);
  write_text(text);
}

/* Long numbers take as long as they are. */
OWN void format2(unsigned long value, int digits) {
  char text[512];
  int at = sizeof text - 1;
  text[at] = '\0';
  while (digits-- > 0) {
    text[--at] = (char)('0' + value % 10);
    value = value * 6364136223846793005ul + 1442695040888963407ul;
  }
  write_text(text + at);
}

OWN void calc1(int i) {
  format1(i / 7.0);
}

OWN void calc2(int i) {
  format2((unsigned long)i, 3);
}

OWN void calc3(int i) {
  format2((unsigned long)i, 400);
}

OWN void calc4(int i) {
  format1(i);
}

int main(int count, char **words) {
  (void)words;
  for (int i = 0; i < 400000; i++) {
    calc1(i);
    calc2(i);
    calc3(i);
    if (count > 1) calc4(i);
  }
  return 0;
}
