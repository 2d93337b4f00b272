/* Without debug information: a function, the piece that was cut out of it, and where its rest was
 * inlined. Of `early` an inlined copy is met first, of `late` the piece.
 * EXPECT levels -O0 -O2 -O3
 * EXPECT compile -g0
 * EXPECT calls-like once_% 20
 * EXPECT calls-like twice_% 20
 * EXPECT unsampled it has no time to speak of
 */
#include "program.h"

static unsigned table[64];

static KEEP unsigned note(unsigned n) {
  return table[n & 63]++;
}

typedef unsigned function(unsigned n);
#define CUT(name)                                                                                  \
  function name;                                                                                   \
  static unsigned calls_##name;                                                                    \
  static KEEP unsigned once_##name(unsigned n) {                                                   \
    return name(n | 1);                                                                            \
  }                                                                                                \
  static KEEP unsigned twice_##name(unsigned n) {                                                  \
    return name(n | 1) + name(n | 2);                                                              \
  }                                                                                                \
  unsigned name(unsigned n) {                                                                      \
    calls_##name++;                                                                                \
    if (n == 0) return 0;                                                                          \
    for (unsigned i = 0; i < n % 5; i++) {                                                         \
      table[(i * n) & 63] ^= table[i] + n;                                                         \
      if (table[i] % 11 == 3) table[63 - i] += note(n);                                            \
    }                                                                                              \
    return n < 2 ? note(n) : name(n - 1) + name(n / 2) + note(n);                                  \
  }

CUT(early)
CUT(late)

static function *volatile callees[] = {early, once_early, twice_early, late, once_late, twice_late};

int main(void) {
  for (unsigned i = 1; i <= 60; i++)
    callees[i % 6](i % 9 | 1);
  for (unsigned i = 0; i < 5; i++)
    early(i | 4);
  expect("calls early %u", calls_early);
  expect("calls late %u", calls_late);
  return 0;
}
