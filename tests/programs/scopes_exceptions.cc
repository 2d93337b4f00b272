/* Scopes that exceptions leave; in inline functions, templates, constructors and lambdas. One label
 * in one module is one centre, whatever it was instantiated for.
 * EXPECT levels -O0 -O2
 * EXPECT compile -std=c++11
 * EXPECT output 5 30
 * EXPECT entries thrown 5
 * EXPECT entries caught 5
 * EXPECT entries template 30
 * EXPECT entries constructor 4
 * EXPECT entries lambda 6
 * EXPECT entries unwinding 5
 * EXPECT inside - thrown 5
 * EXPECT inside thrown unwinding 5
 * EXPECT inside - caught 5
 * EXPECT inside - template 30
 */
#include "program.h"

#include <ascribe/ascribe.h>

struct guard {
  ~guard() { ASCRIBE_SCOPE("unwinding"); }
};

KEEP static void throws(int n) {
  ASCRIBE_SCOPE("thrown");
  guard unwound;
  if (n >= 0) throw n;
}

template <class T> T templated(T value) {
  ASCRIBE_SCOPE("template");
  return value + 1;
}

struct object {
  int value;
  explicit object(int n) : value(n) {
    ASCRIBE_SCOPE("constructor");
    value++;
  }
};

static volatile int sink;

int main() {
  int caught = 0, made = 0;
  for (int i = 0; i < 5; i++) {
    try {
      throws(i);
    } catch (int) {
      ASCRIBE_SCOPE("caught");
      caught++;
    }
  }
  for (int i = 0; i < 10; i++)
    made +=
        templated(i) > 0 && templated(1.0 * i) > 0 && templated(static_cast<long>(i)) > 0 ? 3 : 0;
  for (int i = 0; i < 4; i++)
    sink = object(i).value;
  auto lambda = [](int n) {
    ASCRIBE_SCOPE("lambda");
    return n;
  };
  for (int i = 0; i < 6; i++)
    sink = lambda(i);
  printf("%d %d\n", caught, made);
}
