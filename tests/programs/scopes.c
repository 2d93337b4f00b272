/* Cost centres, however their scopes are left; one is open at exit.
 * EXPECT levels -O0 -O2 -O3
 * EXPECT output 12 40 3 7
 * EXPECT entries block 10
 * EXPECT entries goto 5
 * EXPECT entries return 4
 * EXPECT entries break 3
 * EXPECT entries inner 6
 * EXPECT entries value 20
 * EXPECT entries in_value 10
 * EXPECT entries inline 8
 * EXPECT entries recursive 10 9
 * EXPECT entries odd 5
 * EXPECT entries even 5
 * EXPECT entries signal 3
 * EXPECT entries open 1
 * EXPECT entries last 1
 * EXPECT inside - block 10
 * EXPECT inside block inner 6
 * EXPECT inside value in_value 10
 * EXPECT inside - goto 5
 * EXPECT inside - signal 1
 * EXPECT inside block signal 2
 * EXPECT inside open last 1
 * EXPECT centres block goto return break inner value in_value inline recursive odd even signal open last
 */
#include "program.h"

#include <ascribe/ascribe.h>
#include <signal.h>

static volatile int sink;

static void handler(int number) {
  ASCRIBE_SCOPE("signal");
  sink = number;
}

static inline int in_header(int n) {
  ASCRIBE_SCOPE("inline");
  return n * 2;
}

static int returns(int n) {
  ASCRIBE_SCOPE("return");
  if (n == 2) return 7;
  sink = n;
  return n;
}

static int gone_to(int n) {
  int rounds = 0;
again : {
  ASCRIBE_SCOPE("goto");
  rounds++;
  if (rounds < n) goto again;
}
  return rounds;
}

KEEP int recursive(int n) {
  ASCRIBE_SCOPE("recursive");
  return n ? recursive(n - 1) + 1 : 0;
}

KEEP int odd(int n);
KEEP int even(int n) {
  ASCRIBE_SCOPE("even");
  return n ? odd(n - 1) : 1;
}
KEEP int odd(int n) {
  ASCRIBE_SCOPE("odd");
  return n ? even(n - 1) : 0;
}

KEEP int value(int n) {
  return ASCRIBE_SCC("value", n + ASCRIBE_SCC("in_value", n * 2));
}

int main(void) {
  int sum = 0, entered = 0;
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  for (int i = 0; i < 10; i++) {
    ASCRIBE_SCOPE("block");
    if (i < 2) raise(SIGUSR1);
    if (i < 4) continue;
    ASCRIBE_SCOPE("inner");
    sink = i;
  }
  for (int i = 0; i < 10; i++) {
    ASCRIBE_SCOPE("break");
    if (i == 2) break;
    sink = i;
  }
  for (int i = 0; i < 10; i++)
    sum += value(i) > 0;
  for (int i = 0; i < 10; i++)
    sink = ASCRIBE_SCC("value", i);
  for (int i = 0; i < 4; i++) {
    sum += in_header(i) - in_header(i) + (i == 3) * 3;
    entered += returns(i) == 7;
  }
  sink = odd(9);
  printf("%d %d %d ", sum, 4 * recursive(9) + 4, entered * 2 + 1);
  printf("%d\n", gone_to(5) + 2);
  ASCRIBE_SCOPE("open");
  {
    ASCRIBE_SCOPE("last");
    exit(0);
  }
}
