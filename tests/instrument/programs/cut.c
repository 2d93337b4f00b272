/* GCC inlines the head of `cut` and moves the rest to `cut.part.0`. */
static unsigned table[64];

static unsigned cut(unsigned n) {
  if (n == 0) return 0;
  for (unsigned i = 0; i < n % 5; i++) {
    table[i * n & 63] ^= table[i] + n;
    table[i] = table[i] % 7 ? table[n & 63] * 31 : table[n & 31] / 3;
    if (table[i] % 11 == 3) table[63 - i] += n;
  }
  return n + table[n & 15];
}

unsigned once(unsigned n) {
  return cut(n | 1);
}

unsigned twice(unsigned n) {
  return cut(n) + cut(n + 1);
}
