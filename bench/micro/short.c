/* A process that does next to nothing: a few functions called once. */
#include <stdio.h>

__attribute__((noinline)) static int third(int x) {
  __asm__ volatile("" : "+r"(x));
  return x - 3;
}

__attribute__((noinline)) static int second(int x) {
  return third(x + 1) + 1;
}

__attribute__((noinline)) static int first(int x) {
  return second(x + 1) + 1;
}

int main(void) {
  return first(-1);
}
