/* ifunc resolvers run before thread-local storage exists; so does what they call. */
#include "fixture.h"

#define APART __attribute__((noipa))

APART static int plain(int n) {
  return n + 1;
}
APART static int select_helper(int n) {
  return n * 2;
}
APART static int helper_too(int n) {
  return n == 6 ? 1 : select_helper(n);
}

typedef int (*function)(int);
static function resolve(void) {
  return helper_too(3) == 6 ? plain : 0;
}
int dispatched(int n) __attribute__((ifunc("resolve")));

__attribute__((target_clones("avx2", "default"))) int cloned(int n) {
  return n + 2;
}

int main(void) {
  FIXTURE_NAME(main);
  int sum = 0;
  for (int i = 0; i < 10; i++)
    sum += dispatched(i) + cloned(i);
  fixture_expect("main");
  fixture_expect_calls("plain", plain, 10);
  fixture_expect_calls("select_helper", select_helper, 0);
  return sum == 120 ? fixture_faults() : 1;
}
