/* The program of tail_chain.c and tail_chain_bare.c: with and without debug information. */
#include "program.h"

KEEP long work(long n) {
  for (long i = 0; i < n; i++)
    burn(1000);
  return n;
}

/* By a tail call. */
KEEP long easy(long n) {
  return work(n);
}

/* By two of them. */
KEEP long last(long n) {
  return work(n);
}
KEEP long middle(long n) {
  return last(2 * n);
}
KEEP long deep(long n) {
  long done = middle(n);
  NOT_A_TAIL();
  return done;
}

/* As usual. */
KEEP long hard(long n) {
  long done = work(n);
  NOT_A_TAIL();
  return done + 1;
}

/* either's tail calls lead to shared on two ways. */
KEEP long shared(long n) {
  return n + 1;
}
KEEP long first(long n) {
  return shared(n);
}
KEEP long second(long n) {
  return shared(n + 1);
}
KEEP long either(long n) {
  return n & 1 ? first(n) : second(n);
}

/* main calls split itself, too. */
KEEP long split(long n) {
  return n + 2;
}
KEEP long splitter(long n) {
  return split(n + 1);
}

int main(void) {
  long sum = 0;
  long long easy_ns = 0, deep_ns = 0, hard_ns = 0;
  for (int i = 0; i < 10; i++) {
    MEASURE(easy_ns, sum += easy(10000));
    NOT_A_TAIL();
    MEASURE(deep_ns, sum += deep(10000));
    NOT_A_TAIL();
    MEASURE(hard_ns, sum += hard(60000));
    NOT_A_TAIL();
    sum += either(i);
    NOT_A_TAIL();
    sum += split(i);
    NOT_A_TAIL();
    sum += splitter(i);
  }
  expect_share("hard", hard_ns);
  expect_share("deep", deep_ns);
#ifdef TAILS_ARE_KEPT /* sampled stacks lack them */
  expect_share("easy", easy_ns);
  expect_share("middle", deep_ns);
  expect_share("last", deep_ns);
#endif
  printf("%ld\n", sum);
  return 0;
}
