/* Every way to pass and return values survives the hooks, on their slow path too: each call here
 * is a new transition.
 * EXPECT levels -O0 -Og -O1 -O2 -O3 -Os
 * EXPECT output 21 36.5 45 6 7.25 3 4.5 1+2i 10 42 300
 * EXPECT calls many 1
 * EXPECT calls sum_arguments 1
 */
#include "program.h"
#include <complex.h>
#include <errno.h>
#include <immintrin.h>

struct big {
  long values[10];
};
struct pair {
  long first;
  double second;
};

KEEP int integers(int a, int b, int c, int d, int e, int f) {
  return a + b + c + d + e + f;
}

KEEP double doubles(double a, double b, double c, double d, double e, double f, double g,
                    double h) {
  return a + b + c + d + e + f + g + h;
}

KEEP int many(int a, int b, int c, int d, int e, int f, int g, int h, int i) {
  return a + b + c + d + e + f + g + h + i;
}

KEEP struct big big(struct big in, int n) {
  in.values[9] += n;
  return in;
}

KEEP long double extended(long double a, long double b) {
  return a + b;
}

KEEP struct pair pair(long a, double b) {
  return (struct pair){a, b};
}

KEEP double complex imaginary(double complex z) {
  return z;
}

KEEP int sum_arguments(int count, ...) {
  va_list arguments;
  va_start(arguments, count);
  double total = 0;
  for (int i = 0; i < count; i++)
    total += va_arg(arguments, double);
  va_end(arguments);
  return (int)total;
}

__attribute__((target("avx2"))) KEEP __m256i vectors(__m256i a, __m256i b) {
  return _mm256_add_epi64(a, b);
}

__attribute__((target("avx2"))) KEEP int sum_vectors(void) {
  long long out[4];
  _mm256_storeu_si256((__m256i *)out,
                      vectors(_mm256_set_epi64x(1, 2, 3, 4), _mm256_set_epi64x(20, 30, 40, 200)));
  return (int)(out[0] + out[1] + out[2] + out[3]);
}

KEEP void leaves_errno(void) {}

int main(void) {
  printf("%d ", integers(1, 2, 3, 4, 5, 6));
  printf("%g ", doubles(1, 2, 3, 4, 5, 6, 7, 8.5));
  printf("%d ", many(1, 2, 3, 4, 5, 6, 7, 8, 9));
  struct big in = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 0}};
  printf("%ld ", big(in, 6).values[9]);
  printf("%Lg ", extended(3, 4.25L));
  struct pair both = pair(3, 4.5);
  printf("%ld %g ", both.first, both.second);
  double complex z = imaginary(1 + 2 * I);
  printf("%g+%gi ", creal(z), cimag(z));
  printf("%d ", sum_arguments(4, 1.0, 2.0, 3.0, 4.0));
  errno = 42;
  leaves_errno();
  printf("%d ", errno);
  printf("%d\n", __builtin_cpu_supports("avx2") ? sum_vectors() : 300);
  return 0;
}
