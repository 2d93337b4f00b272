/* Mutual recursion; beneath it both share a routine. */
#include <stdio.h>

static volatile unsigned long sink;

__attribute__((noipa)) static void shared(unsigned long rounds) {
  for (unsigned long i = 0; i < rounds; i++)
    sink += i;
}

static void odd(unsigned n);

__attribute__((noipa)) static void even(unsigned n) {
  shared(200);
  if (n) odd(n - 1);
  __asm__ volatile("");
}

__attribute__((noipa)) static void odd(unsigned n) {
  shared(600);
  if (n) even(n - 1);
  __asm__ volatile("");
}

int main(void) {
  for (int i = 0; i < 8000; i++)
    even(40);
  printf("%d\n", sink != 0);
  return 0;
}
