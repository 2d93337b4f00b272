/* Who is entered after a call is not always who was called: code without hooks jumps on to what it
 * was given, or a function jumps to code without hooks and its caller calls again; and one address
 * leads to another function later, where trampolines of nested functions lie.
 * EXPECT levels -O0 -O2
 * EXPECT compile -w
 * EXPECT plain plain_callers.c
 * EXPECT output 1085
 * EXPECT calls goes_on 10
 * EXPECT arc from_plain goes_on 10
 * EXPECT arc goes_on target 10
 * EXPECT calls goes_out 10
 * EXPECT arc from_plain goes_out 10
 * EXPECT arc goes_out goes_out 0
 * EXPECT calls one 40
 * EXPECT calls two 40
 * EXPECT arc by_name one 10
 * EXPECT arc by_name two 10
 * EXPECT arc by_pointer one 10
 * EXPECT arc by_pointer two 10
 * EXPECT arc after_others one 10
 * EXPECT arc after_others two 10
 * EXPECT arc after_pointers one 10
 * EXPECT arc after_pointers two 10
 * EXPECT never one two
 * EXPECT calls-like nested_first% 10
 * EXPECT calls-like nested_second% 10
 * EXPECT arc nested_first nested_second 0
 * EXPECT calls calls_nested 20
 * EXPECT never nested_first nested_second
 * EXPECT counted arc goes_on target 10
 */
#include "program.h"

#include "parts/plain_callers.h"

static volatile int sink;

/* Code without hooks calls back, and the callback jumps on: to a function with hooks, to one
 * without. */
KEEP int target(int n) {
  return n + 1;
}
KEEP int goes_on(int n) {
  return target(n);
}
KEEP int goes_out(int n) {
  return plain_leaf(n);
}
KEEP void from_plain(void) {
  sink += plain_each(goes_on, 10);
  sink += plain_each(goes_out, 10);
}

/* Code without hooks jumps to what it was given. */
KEEP int one(int n) {
  return n + 1;
}
KEEP int two(int n) {
  return n + 2;
}
KEEP void by_name(function *called, int n) {
  sink += plain_jump(called, n);
}
KEEP void by_pointer(int (*caller)(function *, int), function *called, int n) {
  sink += caller(called, n);
}
KEEP __attribute__((no_instrument_function)) int unhooked_jump(function *called, int n) {
  return called(n);
}
/* The first call met nobody. */
KEEP void after_others(function *called, int n) {
  sink += plain_leaf(n);
  sink += unhooked_jump(called, n);
}
KEEP void after_pointers(function *leaf, function *called, int n) {
  sink += leaf(n);
  sink += unhooked_jump(called, n);
}

/* Both trampolines lie at one address. */
KEEP void calls_nested(function *called, int n) {
  sink += called(n);
}
KEEP void calls_first(int k) {
  KEEP int nested_first(int n) {
    return n + k;
  }
  calls_nested(nested_first, 1);
}
KEEP void calls_second(int k) {
  KEEP int nested_second(int n) {
    return n * k;
  }
  calls_nested(nested_second, 1);
}

int main(void) {
  from_plain();
  for (int i = 0; i < 10; i++) {
    by_name(one, i), by_name(two, i);
    by_pointer(plain_jump, one, i), by_pointer(plain_jump, two, i);
    after_others(one, i), after_others(two, i);
    after_pointers(plain_leaf, one, i), after_pointers(plain_leaf, two, i);
    calls_first(i), calls_second(i);
  }
  printf("%d\n", sink);
  return 0;
}
