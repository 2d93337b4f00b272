/* a -> f -> b -> a -> b -> f: the cycle shows only in what rule A3 unmarks.
 * EXPECT calls a 2
 * EXPECT calls b 2
 * EXPECT calls f 2
 * EXPECT arc a f 1
 * EXPECT arc f b 1
 * EXPECT arc b a 1
 * EXPECT arc a b 1
 * EXPECT arc b f 1
 * EXPECT cycle a b
 */
#include "program.h"

static int step;

KEEP void b(void);
KEEP void f(void);

KEEP void a(void) {
  if (step++ == 0)
    f();
  else
    b();
  NOT_A_TAIL();
}

KEEP void b(void) {
  if (step++ == 2)
    a();
  else
    f();
  NOT_A_TAIL();
}

KEEP void f(void) {
  if (step++ == 1) b();
  NOT_A_TAIL();
}

int main(void) {
  a();
  return 0;
}
