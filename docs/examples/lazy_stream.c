/* Lazy streams: a thunk carries the cost centre in which it was made, and is evaluated there when
 * it is first demanded; then it is updated with its value. The program is that of section 3 of
 * Sansom and Peyton Jones, "Profiling lazy functional languages"; lazy_stream.hs is the same in
 * Haskell. The example of docs/COST_CENTRES.md. gcc -O2 -g lazy_stream.c */
#include <ascribe/ascribe.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef long function(long value);

/* A number or a stream, once it is demanded. */
struct thunk {
  struct ascribe_captured maker;
  void (*evaluate)(struct thunk *);
  function *function;
  struct thunk *argument;
  long value, last;
  struct thunk *head, *tail; /* of a stream; null: it is empty */
  bool updated;
};

static struct thunk *delay(void (*evaluate)(struct thunk *), function *function,
                           struct thunk *argument) {
  struct thunk *thunk = calloc(1, sizeof *thunk);
  thunk->maker = ascribe_capture();
  thunk->evaluate = evaluate;
  thunk->function = function;
  thunk->argument = argument;
  return thunk;
}

static struct thunk *force(struct thunk *thunk) {
  if (thunk->updated) return thunk;
  ASCRIBE_RESUME(thunk->maker);
  thunk->evaluate(thunk);
  thunk->updated = true;
  return thunk;
}

/* ---- streams ---- */

static void apply(struct thunk *own) {
  own->value = own->function(force(own->argument)->value);
}

static void map(struct thunk *own) {
  const struct thunk *stream = force(own->argument);
  if (!stream->head) return;
  own->head = delay(apply, own->function, stream->head);
  own->tail = delay(map, own->function, stream->tail);
}

static void count_up(struct thunk *own) { /* from value to last */
  if (own->value > own->last) return;
  own->head = delay(NULL, NULL, NULL);
  own->head->value = own->value;
  own->head->updated = true;
  own->tail = delay(count_up, NULL, NULL);
  own->tail->value = own->value + 1;
  own->tail->last = own->last;
}

static struct thunk *range(long first, long last) {
  struct thunk *stream = delay(count_up, NULL, NULL);
  stream->value = first;
  stream->last = last;
  return stream;
}

static long sum(struct thunk *stream) {
  long total = 0;
  for (; force(stream)->head; stream = stream->tail)
    total += force(stream->head)->value;
  return total;
}

static long length(struct thunk *stream) {
  long count = 0;
  for (; force(stream)->head; stream = stream->tail)
    count++;
  return count;
}

/* ---- the program ---- */

/* Costs as many units of time. */
static long work(long units, long value) {
  for (long i = units * 20000; i > 0; i--)
    value = (value * 1103515245 + 12345) % 2147483648;
  return value;
}

static long four(long x) {
  return work(4, x);
}
static long one(long x) {
  return work(1, x);
}
static long f(long x) {
  ASCRIBE_SCOPE("f");
  return work(2, x);
}
static long element(long x) {
  ASCRIBE_SCOPE("element");
  return f(work(3, x));
}
static long unread(long x) {
  ASCRIBE_SCOPE("unread");
  return f(x);
}

static void build(struct thunk *own) { /* scc "builder" (map four [1 .. 1000]) */
  ASCRIBE_SCOPE("builder");
  own->function = four;
  own->argument = range(1, 1000);
  map(own);
}
static void bar(struct thunk *own) { /* scc "bar" (map one argument) */
  ASCRIBE_SCOPE("bar");
  own->function = one;
  map(own);
}
static void foo(struct thunk *own) { /* scc "foo" (map f (scc "bar" (map one argument))) */
  ASCRIBE_SCOPE("foo");
  own->function = f;
  own->argument = delay(bar, NULL, own->argument);
  map(own);
}
static void spine(struct thunk *own) { /* scc "spine" (map function argument) */
  ASCRIBE_SCOPE("spine");
  map(own);
}

int main(void) {
  struct thunk *stream = delay(build, NULL, NULL);
  long all = 0;
  printf("%ld ", sum(delay(foo, NULL, stream)));
  printf("%ld ", length(delay(spine, unread, stream)));
  printf("%ld ", sum(delay(spine, element, stream)));
  for (int i = 0; i < 100; i++)
    all += sum(delay(foo, NULL, range(i, i + 9)));
  printf("%ld\n", all);
  return 0;
}
