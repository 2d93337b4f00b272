/* Functions whose frames, arguments or registers are unusual. */
#include <alloca.h>
#include <complex.h>
#include <immintrin.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

#define APART __attribute__((noipa))
#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) return __LINE__;                                                             \
  } while (0)

APART static int sum_variable(int count, ...) {
  va_list values;
  double sum = 0;
  va_start(values, count);
  for (int i = 0; i < count; i++)
    sum += i % 2 ? va_arg(values, double) : va_arg(values, int);
  va_end(values);
  return (int)sum;
}

APART static long many(long a, long b, long c, long d, long e, long f, double g, double h, double i,
                       double j, long k, long l) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + (long)(g + h + i + j) + 7 * k + 8 * l;
}

struct big {
  long words[32];
};
APART static struct big make_big(struct big from, long step) {
  for (int i = 0; i < 32; i++)
    from.words[i] += i * step;
  return from;
}

APART static int with_alloca(int size) {
  char *bytes = alloca((size_t)size);
  memset(bytes, 3, (size_t)size);
  int sum = 0;
  for (int i = 0; i < size; i++)
    sum += bytes[i];
  return sum;
}

APART static int with_big_frame(int seed) {
  volatile int numbers[20000];
  for (int i = 0; i < 20000; i++)
    numbers[i] = seed;
  return numbers[19999];
}

/* A leaf that keeps its data in the red zone. */
APART static int red_zone(int seed) {
  volatile int numbers[24];
  for (int i = 0; i < 24; i++)
    numbers[i] = seed + i;
  return numbers[0] + numbers[23];
}

APART static __int128 wide(__int128 value) {
  return value * 3;
}
APART static long double longer(long double value) {
  return value * 2;
}
APART static double _Complex complicated(double _Complex value) {
  return value * value;
}

APART __attribute__((target("avx2"))) static __m256i wide_vector(__m256i left, __m256i right) {
  volatile __m256i copy = _mm256_add_epi32(left, right); /* realigns the stack */
  return copy;
}

APART __attribute__((target("avx2"))) static int use_wide_vector(void) {
  int out[8];
  _mm256_storeu_si256((__m256i *)out, wide_vector(_mm256_set1_epi32(4), _mm256_set1_epi32(5)));
  return out[0] + out[7];
}

APART __attribute__((ms_abi)) static int microsoft(int a, int b, int c, int d, int e) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e;
}

#ifdef ASCRIBE_HOOKS_INLINE_H /* stock gcc would put hooks into it, which have no frame there */
__attribute__((no_instrument_function))
#endif
__attribute__((naked, used)) static int
naked(void) {
  __asm__(".byte 0xb8, 42, 0, 0, 0, 0xc3"); /* mov $42, %eax; ret in either dialect */
}

APART static void *caller(void) {
  return __builtin_return_address(0);
}
APART static void *frame(void) {
  return __builtin_frame_address(0);
}

APART static int with_asm_goto(int n) {
  __asm__ goto("cmp{l}\t{$5, %0|%0, 5}\n\tje %l1" : : "r"(n) : "cc" : five);
  return 0;
five:
  return 5;
}

APART static int with_fixed_register(int n) {
  register int value __asm__("r12") = n;
  __asm__ volatile("inc{l} %0" : "+r"(value));
  return value;
}

/* The static chain is in r10 when the hook runs. */
APART static int with_chain(int n) {
  int APART inner(int k) {
    return n * 10 + k;
  }
  int (*volatile function)(int) = inner;
  return function(1) + inner(2);
}

static int cleaned;
static void clean(int *value) {
  cleaned += *value;
}
APART static int with_cleanup(int n) {
  __attribute__((cleanup(clean))) int local = n;
  return local + 1;
}

static int constructed;
__attribute__((constructor(101))) static void construct(void) {
  constructed = with_cleanup(6);
}

APART __attribute__((optimize("no-omit-frame-pointer"))) static int with_frame_pointer(int n) {
  return n + 1;
}

APART static int noreturn_branch(int n) {
  if (n > 100) abort();
  return n;
}

APART static int use_all(void) {
  CHECK(constructed == 7 && cleaned == 6);
  CHECK(sum_variable(4, 1, 2.5, 3, 4.5) == 11);
  CHECK(many(1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 7, 8) == 91 + 10 + 49 + 64);
  struct big zero = {0};
  CHECK(make_big(zero, 2).words[31] == 62);
  CHECK(with_alloca(1000) == 3000);
  CHECK(with_big_frame(9) == 9);
  CHECK(red_zone(5) == 33);
  CHECK(wide((__int128)1 << 70) == (__int128)3 << 70);
  CHECK(longer(1.5L) == 3.0L);
  CHECK(creal(complicated(1.0 + 2.0 * I)) == -3.0);
  CHECK(!__builtin_cpu_supports("avx2") || use_wide_vector() == 18);
  CHECK(microsoft(1, 2, 3, 4, 5) == 55);
  CHECK(naked() == 42);
  void *here = caller();
  CHECK((char *)here > (char *)use_all && (char *)here < (char *)use_all + 4096);
  CHECK((char *)frame() < (char *)__builtin_frame_address(0));
  CHECK(with_asm_goto(5) == 5 && with_asm_goto(6) == 0);
  CHECK(with_fixed_register(8) == 9);
  CHECK(with_chain(3) == 63);
  CHECK(with_frame_pointer(2) == 3);
  CHECK(noreturn_branch(2) == 2);
  return 0;
}

int main(void) {
  FIXTURE_NAME(main);
  for (int i = 0; i < 3; i++) {
    int line = use_all();
    if (line) return line > 255 ? 255 : line;
    fixture_expect("main");
  }
  fixture_expect_calls("sum_variable", sum_variable, 3);
  fixture_expect_calls("red_zone", red_zone, 3);
  fixture_expect_calls("caller", caller, 3);
  fixture_expect_calls("naked", naked, 0);
  fixture_expect_calls("with_asm_goto", with_asm_goto, 6);
  fixture_expect_calls("construct", construct, 1);
  return fixture_faults();
}
