/* Holds memory in cost centres: some to the end, some for a while, and some in a child that ends
 * before. */
#include <ascribe/ascribe.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PIECES 40

static void *cache[PIECES], *lines[PIECES];

static void burn(int milliseconds) {
  clock_t end = clock() + milliseconds * (CLOCKS_PER_SEC / 1000);
  while (clock() < end) {
  }
}

__attribute__((noinline)) static void *make(size_t bytes) {
  void *block = malloc(bytes);
  __asm__ volatile("" ::: "memory");
  return block;
}

static void fill(void) {
  ASCRIBE_SCOPE("cache");
  for (int i = 0; i < PIECES; i++) {
    cache[i] = make(1000);
    burn(1);
  }
}

static void parse(void) {
  ASCRIBE_SCOPE("parse");
  for (int i = 0; i < PIECES; i++) {
    lines[i] = make(500);
    burn(1);
  }
  burn(50);
  for (int i = 0; i < PIECES; i++)
    free(lines[i]);
}

int main(void) {
  fill();
  if (fork() == 0) {
    ASCRIBE_SCOPE("child");
    cache[0] = make(100000);
    burn(50);
    _exit(0);
  }
  wait(NULL);
  parse();
  cache[1] = make(7);
  burn(30);
  return 0;
}
