/* An instrumented program that calls a plain object which calls back.
 * EXPECT levels -O2
 * EXPECT plain plain_catch.c
 * EXPECT output 2
 * EXPECT calls one 1
 * EXPECT calls two 1
 * EXPECT arc main one 1
 * EXPECT arc main two 1
 * EXPECT counted arc main one 0
 * EXPECT counted arc main two 0
 */
#include "program.h"

int plain_catch(void (*body)(void), void (*after)(void));

static volatile int called;

KEEP void one(void) {
  called++;
}
KEEP void two(void) {
  called++;
}

int main(void) {
  plain_catch(one, two);
  printf("%d\n", called);
  return 0;
}
