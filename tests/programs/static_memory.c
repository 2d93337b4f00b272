/* libc's own start calls the program's memcpy and memset before there is thread-local storage.
 * EXPECT levels -O0 -O2
 * EXPECT compile -static -fno-builtin -fno-tree-loop-distribute-patterns
 * EXPECT output hello
 * EXPECT unsampled nothing can be loaded into it
 */
#include "program.h"

KEEP void *memcpy(void *restrict to, const void *restrict from, size_t count) {
  for (size_t i = 0; i < count; i++)
    ((volatile char *)to)[i] = ((const char *)from)[i];
  return to;
}

KEEP void *memset(void *to, int byte, size_t count) {
  for (size_t i = 0; i < count; i++)
    ((volatile char *)to)[i] = (char)byte;
  return to;
}

int main(void) {
  char text[6];
  memcpy(text, "hello", 6);
  puts(text);
  return 0;
}
