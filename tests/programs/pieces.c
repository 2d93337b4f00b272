/* A function whose larger part the compiler moves out of line: going on there is no call, and the
 * call of that part by who inlined the rest is one. Where both come from one call through a
 * pointer, both jump. Then the same with a signal after each instruction, whose handler calls it
 * too.
 * EXPECT levels -O0 -O1 -O2 -O3
 * EXPECT compile -D_GNU_SOURCE
 * EXPECT record --rate 0
 * EXPECT output 1
 * EXPECT arc main relay 700
 * EXPECT unsampled it has no time to speak of
 */
#include "program.h"

#include <signal.h>
#include <string.h>

enum { ROUNDS = 2100, STEPPED = 30 };

typedef unsigned function(unsigned n);
static unsigned table[64], calls, steps;
static volatile int stepping;

static __attribute__((noipa)) unsigned note(unsigned n) {
  table[n & 63] += n;
  return n;
}

/* Cut: its head is small, and so inlined everywhere. */
static unsigned split(unsigned n) {
  __asm__ volatile("incl %0" : "+m"(calls)); /* one instruction: a handler may come */
  if (n == 0) return 0;
  for (unsigned i = 0; i < n % 5; i++) {
    table[(i * n) & 63] ^= table[i] + n;
    table[i] = note(table[i] + i) % 7 ? table[n & 63] * 31 : table[n & 31] / 3;
    if (table[i] % 11 == 3) table[63 - i] += note(i);
  }
  return note(n + table[n & 15]);
}

/* Jumps to the part. */
static __attribute__((noinline, noclone)) unsigned relay(unsigned n) {
  table[1] += n;
  return split(n | 1);
}

static __attribute__((noinline, noclone)) unsigned twice(unsigned n) {
  unsigned first = split(n | 1);
  return first + split(n | 2);
}

static function *volatile callees[] = {split, relay, twice};

static __attribute__((noinline)) void handler(int number) {
  (void)number;
  if (!stepping) return;
  steps++;
  relay(steps);
  callees[steps % 3](steps | 1);
  NOT_A_TAIL();
}

static __attribute__((noinline)) void walk(unsigned rounds) {
  for (unsigned i = 1; i <= rounds; i++)
    callees[i % 3](i);
}

/* A trap after each instruction (the flag TF), below the red zone. */
static void set_trap_flag(void) {
  __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\t"
                   "lea 128(%%rsp), %%rsp" ::
                       : "cc", "memory");
}

static void clear_trap_flag(void) {
  __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq\n\t"
                   "lea 128(%%rsp), %%rsp" ::
                       : "cc", "memory");
}

int main(void) {
  for (unsigned i = 1; i <= ROUNDS; i++)
    callees[i % 3](i);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  sigaction(SIGTRAP, &action, NULL);
  stepping = 1;
  set_trap_flag();
  walk(STEPPED);
  clear_trap_flag();
  stepping = 0;
  expect("calls split %u", calls);
  expect("calls handler %u", steps);
  printf("%u\n", steps > 1000);
  return 0;
}
