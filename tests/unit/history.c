/* Rules A1 to A5 on the paper's own figures, and against the definition of a context. */
#include "recording/history.h"

#include <stdlib.h>

#include "check.h"

enum { MAIN = 1, P, Q, R, S, A, B, C, D, MOST = 256 };

#define M(function) ((uint32_t)(function) << 1 | 1)
#define U(function) ((uint32_t)(function) << 1)

struct history {
  uint32_t entries[MOST];
  uint32_t length;
};

static void call(struct history *history, uint32_t function) {
  struct history next;
  if (history_is_running(history->entries, history->length, function)) return;
  next.length = history_step(history->entries, history->length, function, next.entries);
  *history = next;
}

static void check_history(int line, const struct history *history, const uint32_t *expected,
                          uint32_t length) {
  check_equal(__FILE__, line, "length", history->length, length);
  for (uint32_t i = 0; i < length && i < history->length; i++)
    check_equal(__FILE__, line, "entry", history->entries[i], expected[i]);
}
#define CHECK_HISTORY(history, ...)                                                                \
  check_history(__LINE__, &(history), (const uint32_t[]){__VA_ARGS__},                             \
                sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* Figure 2: Main -> (P -> Q -> R)^n -> P -> S. */
static void contexts_of_figure_2(void) {
  struct history history = {0};
  call(&history, MAIN);
  call(&history, P);
  CHECK_HISTORY(history, M(MAIN), M(P)); /* C1 */
  call(&history, Q);
  CHECK_HISTORY(history, M(MAIN), M(P), M(Q)); /* C2 */
  call(&history, R);
  CHECK_HISTORY(history, M(MAIN), M(P), M(Q), M(R)); /* C3 */
  call(&history, P);
  CHECK_HISTORY(history, M(MAIN), U(P), M(Q), M(R), M(P)); /* C4 */
  struct history c4 = history;
  call(&history, Q);
  CHECK_HISTORY(history, M(MAIN), U(P), U(Q), M(R), M(P), M(Q)); /* C5 */
  call(&history, R);
  CHECK_HISTORY(history, M(MAIN), U(P), U(R), M(P), M(Q), M(R)); /* C6 */
  call(&history, P);
  CHECK_HISTORY(history, M(MAIN), U(P), M(Q), M(R), M(P)); /* C4 again: contexts are finite */
  call(&history, S);
  call(&c4, S);
  CHECK_HISTORY(history, M(MAIN), U(P), M(Q), M(R), M(P), M(S));
  CHECK_EQUAL(history.length, c4.length);
}

static void direct_recursion_stays(void) {
  struct history history = {0};
  call(&history, MAIN);
  call(&history, P);
  call(&history, P);
  CHECK_HISTORY(history, M(MAIN), M(P));
}

/* A4: an unmarked entry between unmarked ones is neither caller nor callee of a marked one. */
static void middle_of_unmarked_goes(void) {
  struct history history = {.entries = {M(MAIN), U(A), U(B), M(C), M(D)}, .length = 5};
  call(&history, C);
  CHECK_HISTORY(history, M(MAIN), U(A), U(C), M(D), M(C));
}

/* A5: of two equal unmarked neighbours one is enough. */
static void twin_of_unmarked_goes(void) {
  struct history history = {.entries = {M(MAIN), U(A), M(B), U(A), M(C)}, .length = 5};
  call(&history, B);
  CHECK_HISTORY(history, M(MAIN), U(A), M(C), M(B));
}

/* main -> a -> f -> b -> a -> b: the call of f closes a cycle through an older f. */
static void cycle_through_older_activation(void) {
  struct history history = {0};
  const uint32_t path[] = {MAIN, A, P, B, A, B};
  for (size_t i = 0; i < sizeof path / sizeof *path; i++)
    call(&history, path[i]);
  CHECK_HISTORY(history, M(MAIN), U(A), M(P), U(B), M(A), M(B));
}

/* ---- the definition, computed from the stack ---- */

struct item {
  uint32_t caller, function, callee; /* 0: none */
};

/* For each function on the stack: the callers and callees of its most recent activation, direct
 * recursion taken as one activation.  The result is sorted by function. */
static uint32_t items_of_stack(const uint32_t *stack, uint32_t depth, struct item *items) {
  uint32_t folded[MOST], length = 0, count = 0;
  for (uint32_t i = 0; i < depth; i++)
    if (!length || folded[length - 1] != stack[i]) folded[length++] = stack[i];
  for (uint32_t function = 0; function < 32; function++)
    for (uint32_t i = length; i-- > 0;)
      if (folded[i] == function) {
        items[count++] =
            (struct item){i ? folded[i - 1] : 0, function, i + 1 < length ? folded[i + 1] : 0};
        break;
      }
  return count;
}

static uint32_t items_of_history(const struct history *history, struct item *items) {
  uint32_t count = 0;
  for (uint32_t function = 0; function < 32; function++)
    for (uint32_t i = 0; i < history->length; i++) {
      if (history->entries[i] != M(function)) continue;
      items[count++] =
          (struct item){i ? history_function(history->entries[i - 1]) : 0, function,
                        i + 1 < history->length ? history_function(history->entries[i + 1]) : 0};
    }
  return count;
}

static int is_squeezed(const struct history *history) {
  for (uint32_t i = 0; i + 1 < history->length; i++) {
    const uint32_t *entry = &history->entries[i];
    if (history_marked(entry[0]) || history_marked(entry[1])) continue;
    if (entry[0] == entry[1]) return 0;
    if (i + 2 < history->length && !history_marked(entry[2])) return 0;
  }
  return 1;
}

static void random_stacks(void) {
  srand(1);
  for (int round = 0; round < 20000; round++) {
    uint32_t stack[64], functions = 1 + rand() % 8, depth = 1 + rand() % 60;
    struct history history = {0};
    struct item expected[32], got[32];
    for (uint32_t i = 0; i < depth; i++) {
      stack[i] = 1 + rand() % functions;
      call(&history, stack[i]);
    }
    uint32_t count = items_of_stack(stack, depth, expected);
    CHECK_EQUAL(items_of_history(&history, got), count);
    CHECK(memcmp(got, expected, count * sizeof *got) == 0);
    CHECK(is_squeezed(&history));
    if (checks_failed) return;
  }
}

/* ---- sampled stacks ---- */

static void take_call(struct history *stack, uint32_t call, bool whole) {
  struct history next;
  next.length = stack_step(stack->entries, stack->length, call, whole, next.entries);
  *stack = next;
}

static struct history stack_of(const uint32_t *calls, uint32_t count) {
  struct history stack = {0};
  for (uint32_t i = 0; i < count; i++)
    take_call(&stack, calls[i], true);
  return stack;
}
#define CHECK_STACK(calls, ...)                                                                    \
  do {                                                                                             \
    struct history made = stack_of(calls, sizeof(calls) / sizeof(uint32_t));                       \
    CHECK_HISTORY(made, __VA_ARGS__);                                                              \
  } while (0)

static void stacks_are_whole(void) {
  static const uint32_t recurring[] = {MAIN, A, B, A, C, B}, direct[] = {MAIN, A, A};
  CHECK_STACK(recurring, M(MAIN), M(A), M(B), M(A), M(C), M(B));
  CHECK_STACK(direct, M(MAIN), M(A), M(A));
}

static void cycles_stand_twice(void) {
  static const uint32_t direct[] = {MAIN, A, A, A, A, B}, two[] = {MAIN, A, B, A, B, A, B, A, C},
                        inner[] = {A, B, C, A, B, C, B, C, B, C};
  CHECK_STACK(direct, M(MAIN), M(A), M(A), M(B));
  CHECK_STACK(two, M(MAIN), M(A), M(B), M(A), M(B), M(A), M(C));
  CHECK_STACK(inner, M(A), M(B), M(C), M(A), M(B), M(C), M(B), M(C));
}

static void holes_are_between_unmarked(void) {
  static const uint32_t calls[] = {MAIN, A, B, C, A, B, D, C};
  struct history stack = stack_of(calls, sizeof calls / sizeof *calls);
  CHECK(stack_is_whole(stack.entries, stack.length));
  take_call(&stack, A, false);
  CHECK_HISTORY(stack, M(MAIN), U(A), M(B), M(D), M(C), M(A));
  CHECK(!stack_is_whole(stack.entries, stack.length));
  for (uint32_t i = 0; i < stack.length; i++)
    CHECK_EQUAL(history_has_hole(stack.entries, i), i == 2);
}

/* What the rules give for a call at a time, they give for all calls at once, and for the stack of
 * which cycles were left out. */
static void stacks_settle(void) {
  srand(4);
  for (int round = 0; round < 20000 && !checks_failed; round++) {
    struct history stepped = {0}, whole = {0}, all = {0};
    uint32_t depth = 1 + rand() % 60, calls = 1 + rand() % 5;
    for (uint32_t i = 0; i < depth; i++) {
      uint32_t call = MAIN + rand() % calls;
      struct history next;
      next.length = history_step(stepped.entries, stepped.length, call, next.entries);
      stepped = next;
      take_call(&whole, call, true);
      all.entries[all.length++] = M(call);
    }
    all.length = history_settle(all.entries, all.length);
    whole.length = history_settle(whole.entries, whole.length);
    check_history(__LINE__, &all, stepped.entries, stepped.length);
    check_history(__LINE__, &whole, stepped.entries, stepped.length);
  }
}

int main(void) {
  contexts_of_figure_2();
  direct_recursion_stays();
  middle_of_unmarked_goes();
  twin_of_unmarked_goes();
  cycle_through_older_activation();
  random_stacks();
  stacks_are_whole();
  cycles_stand_twice();
  holes_are_between_unmarked();
  stacks_settle();
  return check_result();
}
