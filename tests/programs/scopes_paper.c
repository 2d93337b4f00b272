/* Section 3 of Sansom and Peyton Jones, "Profiling lazy functional languages", in C: delayed
 * computations carry the cost centre in which they were made, and are entered where that says, not
 * where they are demanded.  Elements that nobody demands cost their centre nothing.
 * EXPECT output 507000 1000 504000 407250
 * EXPECT entries builder 1
 * EXPECT entries foo 101
 * EXPECT entries bar 101
 * EXPECT entries spine 2
 * EXPECT entries element 1000
 * EXPECT entries f 3000
 * EXPECT inside foo bar 101
 * EXPECT inside foo f 2000
 * EXPECT inside spine element 1000
 * EXPECT inside spine element f 1000
 * EXPECT centres builder foo bar spine element f
 */
#include "program.h"

#include <ascribe/ascribe.h>
#include <stdbool.h>

/* A number or a list, once it is demanded. */
struct lazy {
  struct ascribe_captured maker;
  void (*evaluate)(struct lazy *);
  long (*function)(long x, long y);
  struct lazy *argument;
  long x, value;
  struct lazy *head, *tail; /* of a list; null: it is empty */
  bool done;
};

static struct lazy *delay(void (*evaluate)(struct lazy *), long (*function)(long, long), long x,
                          struct lazy *argument) {
  struct lazy *lazy = calloc(1, sizeof *lazy);
  *lazy = (struct lazy){.maker = ascribe_capture(),
                        .evaluate = evaluate,
                        .function = function,
                        .argument = argument,
                        .x = x};
  return lazy;
}

KEEP struct lazy *force(struct lazy *lazy) {
  if (lazy->done) return lazy;
  ASCRIBE_RESUME(lazy->maker);
  lazy->evaluate(lazy);
  lazy->done = true;
  return lazy;
}

static void apply(struct lazy *own) {
  own->value = own->function(own->x, own->argument ? force(own->argument)->value : 0);
}

static void map(struct lazy *own) {
  const struct lazy *list = force(own->argument);
  if (!list->head) return;
  own->head = delay(apply, own->function, own->x, list->head);
  own->tail = delay(map, own->function, own->x, list->tail);
}

static long number(long x, long y) {
  return x;
}

static void count_up(struct lazy *own) { /* from x to value */
  if (own->x > own->value) return;
  own->head = delay(apply, number, own->x, NULL);
  own->tail = delay(count_up, NULL, own->x + 1, NULL);
  own->tail->value = own->value;
}

static struct lazy *range(long from, long to) {
  struct lazy *list = delay(count_up, NULL, from, NULL);
  list->value = to;
  return list;
}

static long twice(long x, long y) {
  return 2 * y;
}
static long successor(long x, long y) {
  return y + 1;
}
static long f(long x, long y) {
  ASCRIBE_SCOPE("f");
  long sum = 0;
  for (long i = x; i <= x + y % 50; i++)
    sum += i;
  return sum;
}
static long element(long x, long y) {
  ASCRIBE_SCOPE("element");
  return f(x, y);
}

static void build(struct lazy *own) {
  ASCRIBE_SCOPE("builder");
  own->function = twice;
  own->argument = range(1, own->x);
  map(own);
}
static void bar(struct lazy *own) {
  ASCRIBE_SCOPE("bar");
  own->function = successor;
  map(own);
}
static void foo(struct lazy *own) {
  ASCRIBE_SCOPE("foo");
  own->function = f;
  own->argument = delay(bar, NULL, 0, own->argument);
  map(own);
}
static void spine(struct lazy *own) {
  ASCRIBE_SCOPE("spine");
  own->function = element;
  map(own);
}

static long sum(struct lazy *list) {
  long total = 0;
  for (; force(list)->head; list = list->tail)
    total += force(list->head)->value;
  return total;
}
static long length(struct lazy *list) {
  long count = 0;
  for (; force(list)->head; list = list->tail)
    count++;
  return count;
}

int main(void) {
  struct lazy *list = delay(build, NULL, 1000, NULL);
  long all = 0;
  printf("%ld ", sum(delay(foo, NULL, 3, list)));
  printf("%ld ", length(delay(spine, NULL, 3, list)));
  printf("%ld ", sum(delay(spine, NULL, 4, list)));
  for (long i = 1; i <= 100; i++)
    all += sum(delay(foo, NULL, i, range(1, 10)));
  printf("%ld\n", all);
  return 0;
}
