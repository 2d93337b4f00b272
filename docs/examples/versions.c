/* Loops that become several: for vectors and what is left of them, for each value of a flag. */
#include <stdio.h>

__attribute__((noipa)) static void add(float *to, const float *from, int n) {
  for (int i = 0; i < n; i++)
    to[i] = to[i] * 0.5f + from[i];
}

__attribute__((noipa)) static void either(unsigned *p, unsigned n, int flag) {
  for (unsigned i = 0; i < n; i++) {
    if (flag)
      p[i] = p[i] / (i + 7) + 3000000;
    else
      p[i] = p[i] % (i + 5) + 9;
  }
}

static float a[1003], b[1003];
static unsigned u[1003];

int main(void) {
  for (int k = 0; k < 100000; k++) {
    add(a, b, 1003);
    either(u, 1000, k % 10 < 9);
  }
  printf("%g %u\n", a[5], u[5]);
  return 0;
}
