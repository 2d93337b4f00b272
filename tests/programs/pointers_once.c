/* Calls through pointers that are rarer than their functions, as the compiler sees it: they are
 * counted out of line, and nothing that the call needs is touched: arguments in registers and on
 * the stack, what lies below the stack pointer, the chain of a nested function. Several callees,
 * and some do not come back; several threads, and a handler that makes the same call at any moment.
 * EXPECT levels -O0 -O1 -O2 -O3 -Os
 * EXPECT compile -pthread -Wno-trampolines
 * EXPECT output 4000000 42
 * EXPECT calls one 1000000
 * EXPECT calls two 1000000
 * EXPECT calls three 1000000
 * EXPECT calls four 1000000
 * EXPECT arc once one 1000000
 * EXPECT arc once two 1000000
 * EXPECT arc many many_integers 3
 * EXPECT arc many more_integers 1
 * EXPECT arc variable sum 2
 * EXPECT calls below 2
 * EXPECT arc large make 1
 * EXPECT arc leave jump 2
 * EXPECT calls after_jump 1
 */
#include "program.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

enum { ROUNDS = 1000000 };

typedef int (*function)(int);

KEEP int one(int n) {
  return n + 1;
}
KEEP int two(int n) {
  return n + 1;
}
KEEP int three(int n) {
  return n + 1;
}
KEEP int four(int n) {
  return n + 1;
}

KEEP int once(function callee, int n) {
  if (callee) n = callee(n);
  NOT_A_TAIL();
  return n;
}

KEEP void *run(void *callee) {
  static const function all[] = {one, two, three, four};
  int n = 0;
  for (int i = 0; i < ROUNDS; i++)
    n = once(all[(i + (long)callee) % 4], n);
  return (void *)(long)n;
}

KEEP int from_handler(int n) {
  return n;
}

static volatile int handled;

KEEP void handle(int signal) {
  handled += once(from_handler, signal) == signal;
}

KEEP long many_integers(long a, long b, long c, long d, long e, long f, long g, double x,
                        double y) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + (long)(8 * x + 9 * y);
}
KEEP long more_integers(long a, long b, long c, long d, long e, long f, long g, double x,
                        double y) {
  long sum = many_integers(a, b, c, d, e, f, g, x, y);
  NOT_A_TAIL();
  return sum;
}

KEEP long many(long (*callee)(long, long, long, long, long, long, long, double, double), long a) {
  if (!callee) return 0;
  long sum = callee(a, a + 1, a + 2, a + 3, a + 4, a + 5, a + 6, (double)a + 7, (double)a + 8);
  NOT_A_TAIL();
  return sum;
}

KEEP double sum(int count, ...) {
  va_list all;
  double total = 0;
  va_start(all, count);
  for (int i = 0; i < count; i++)
    total += va_arg(all, double);
  va_end(all);
  return total;
}

KEEP double variable(double (*callee)(int, ...)) {
  if (!callee) return 0;
  double total = callee(3, 1.0, 2.0, 3.0);
  NOT_A_TAIL();
  return total;
}

KEEP long below(long a, long b, long c) {
  return a + 10 * b + 100 * c;
}

/* A leaf but for its last call, which is a jump: its variables may lie below the stack pointer. */
KEEP long last(long (*callee)(long, long, long), long n) {
  if (!callee) return 0;
  volatile long one = n + 1, two = n + 2, three = n + 3;
  return callee(one, one + two, two + three);
}

struct large {
  long values[9];
};

KEEP struct large make(long n) {
  struct large made;
  for (int i = 0; i < 9; i++)
    made.values[i] = n + i;
  return made;
}

KEEP long large(struct large (*callee)(long)) {
  if (!callee) return 0;
  struct large made = callee(4);
  return made.values[0] + made.values[8];
}

static jmp_buf place;

KEEP void jump(int value) {
  if (value) longjmp(place, value);
}

KEEP void after_jump(void) {
  NOT_A_TAIL();
}

KEEP void leave(void (*callee)(int), int value) {
  if (callee) callee(value);
  after_jump();
}

KEEP long with_chain(long n) {
  long added = n;
  int add(int value) {
    added += value;
    return value;
  }
  once(add, 5);
  return added;
}

static void check(int right, int line) {
  if (right) return;
  printf("wrong in line %d\n", line);
  exit(1);
}
#define CHECK(right) check(right, __LINE__)

int main(void) {
  struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
  pthread_t threads[3];
  sigset_t interrupting;
  sigemptyset(&interrupting);
  sigaddset(&interrupting, SIGPROF);
  pthread_sigmask(SIG_BLOCK, &interrupting, NULL); /* in all threads but this one */
  for (long i = 0; i < 3; i++)
    pthread_create(&threads[i], NULL, run, (void *)i);
  signal(SIGPROF, handle);
  setitimer(ITIMER_PROF, &often, NULL);
  pthread_sigmask(SIG_UNBLOCK, &interrupting, NULL);
  long total = (long)run((void *)3);
  setitimer(ITIMER_PROF, &never, NULL);
  for (int i = 0; i < 3; i++) {
    void *result;
    pthread_join(threads[i], &result);
    total += (long)result;
  }
  expect("calls from_handler %d", handled);
  expect("calls once %d", 4 * ROUNDS + handled + 1);

  CHECK(many(many_integers, 1) == 285);
  CHECK(many(many_integers, 2) == 330 && many(more_integers, 2) == 330);
  CHECK(many(many_integers, 3) == 375);
  CHECK(variable(sum) == 6 && variable(sum) == 6);
  CHECK(last(below, 1) == 752 && last(below, 2) == 973);
  CHECK(large(make) == 16);
  CHECK(with_chain(2) == 7);
  if (setjmp(place) == 0) {
    leave(jump, 0);
    leave(jump, 1);
  }
  printf("%ld %d\n", total, 42);
  return 0;
}
