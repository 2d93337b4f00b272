/* Memory that grows and shrinks, for heap profilers: by one function, by recursion, in small
 * blocks. */
#include <stdlib.h>
#include <string.h>

static void *keep[2000];

__attribute__((noinline)) static void *make(size_t bytes) {
  void *block = malloc(bytes);
  memset(block, 1, bytes);
  return block;
}

__attribute__((noinline)) static void grow(int count) {
  for (int i = 0; i < count; i++)
    keep[i] = make(1000 + i);
}

__attribute__((noinline)) static void again(int depth) {
  if (!depth) return;
  keep[1000 + depth] = make(5000);
  again(depth - 1);
}

__attribute__((noinline)) static void tiny(void) {
  for (int i = 1500; i < 1600; i++)
    keep[i] = malloc(8);
}

int main(void) {
  tiny();
  grow(800);
  again(40);
  for (int i = 0; i < 700; i++) {
    free(keep[i]);
    keep[i] = NULL;
  }
  keep[0] = make(3333);
  return 0;
}
