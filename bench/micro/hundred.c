/* A program of a hundred functions, each of which calls two others, that runs for so many seconds
 * of CPU time as its argument says. */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define FUNCTIONS 100
#define TENS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9)
#define OF_TEN(ten, X)                                                                             \
  X(ten##0)                                                                                        \
  X(ten##1) X(ten##2) X(ten##3) X(ten##4) X(ten##5) X(ten##6) X(ten##7) X(ten##8) X(ten##9)

typedef uint64_t function(unsigned number, uint64_t x);
static function *const functions[FUNCTIONS];

static inline __attribute__((always_inline)) uint64_t work(unsigned number, uint64_t x) {
  for (unsigned i = 0; i < 50 + number; i++)
    x = x * 6364136223846793005u + (x >> 7) % (number + 1);
  for (unsigned next = 2 * number + 1; next <= 2 * number + 2; next++)
    if (next < FUNCTIONS) x += functions[next](next, x);
  return x;
}

#define DEFINE(name)                                                                               \
  static __attribute__((noipa)) uint64_t f##name(unsigned number, uint64_t x) {                    \
    return work(number, x) + 1;                                                                    \
  }
#define DEFINE_TEN(ten) OF_TEN(ten, DEFINE)
TENS(DEFINE_TEN)

#define ENTRY(name) f##name,
#define ENTRY_TEN(ten) OF_TEN(ten, ENTRY)
static function *const functions[FUNCTIONS] = {TENS(ENTRY_TEN)};

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

int main(int count, char **arguments) {
  double seconds = count > 1 ? strtod(arguments[1], NULL) : 1;
  volatile uint64_t x = 1;
  while (cpu_seconds() < seconds)
    for (int i = 0; i < 100; i++)
      x += functions[0](0, x);
  return 0;
}
