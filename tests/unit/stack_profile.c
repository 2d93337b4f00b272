/* Stacks become contexts by the rules of histories; nothing is counted twice. */
#include "exchange/stack_profile.h"

#include <stdlib.h>

#include "attribution/costs.h"
#include "check.h"
#include "recording/history.h"

static struct stack_profile stacks;

static uint32_t function(const char *name) {
  struct profile_function wanted = {.name = name, .object = NOTHING};
  return stack_profile_function(&stacks, &wanted, BODY_OWN);
}

/* Each letter is a function, outermost first; a digit behind it is the line. */
static void stack(const char *letters, uint64_t ticks) {
  uint32_t process = stack_profile_process(&stacks, 1, "prog");
  stack_profile_begin(&stacks, stack_profile_thread(&stacks, process, 1, "prog"));
  for (; *letters; letters++) {
    uint32_t id = function((char[]){*letters, '\0'});
    uint32_t line = letters[1] >= '0' && letters[1] <= '9' ? *++letters - '0' : 0;
    stack_profile_frame(&stacks, id, stack_profile_line(&stacks, id, line ? "f.c" : NULL, line));
  }
  CHECK_EQUAL(stack_profile_charge(&stacks, 0, (struct amount){ticks, 10 * ticks}), 0);
}

static void begin(void) {
  stack_profile_open(&stacks, "test", "cpu");
}

static struct profile *charged(void) {
  metrics_charge(stacks.profile);
  return stacks.profile;
}

static void check_total(const struct costs *costs, const char *name, uint64_t self,
                        uint64_t total) {
  CHECK_EQUAL(costs->functions[function(name)].self.ticks, self);
  CHECK_EQUAL(costs->functions[function(name)].total.ticks, total);
}

static void test_recursion_counts_once(void) {
  begin();
  stack("mabab", 3);
  stack("maab", 2);
  stack("m", 1);
  struct costs *costs = costs_compute(charged(), NULL);
  CHECK_EQUAL(costs->self.ticks, 6);
  check_total(costs, "m", 1, 6);
  check_total(costs, "a", 0, 5);
  check_total(costs, "b", 5, 5);
  CHECK(costs_total_known(stacks.profile, costs, function("a")));
  costs_free(costs);
  stack_profile_discard(&stacks);
}

/* The same rules, step by step and all at once. */
static void test_histories(void) {
  begin();
  srandom(1);
  for (int round = 0; round < 2000; round++) {
    char letters[14] = "";
    size_t length = 1 + random() % 12;
    for (size_t i = 0; i < length; i++)
      letters[i] = "abcd"[random() % 4];
    stack(letters, 1);
    uint32_t stepped = stacks.context;
    CHECK(stepped != NOTHING);
    uint64_t entries = stacks.entries;
    stacks.entries = UINT64_MAX / 2; /* no more contexts on the way */
    map_free(&stacks.steps);
    stack(letters, 1);
    stacks.entries = entries;
    CHECK_EQUAL(stacks.context, NOTHING);
    CHECK_EQUAL(context_self(charged(), stepped).ticks % 2, 0);
  }
  stack_profile_discard(&stacks);
}

/* A line counts once for a stack, where it ran as well as where it called. */
static void test_lines(void) {
  begin();
  stack("m1a2b3a2b3", 4);
  stack("m1a5", 1);
  struct costs *costs = costs_compute(charged(), NULL);
  uint64_t totals = 0, selves = 0;
  for (size_t i = 0; i < stacks.profile->line_count; i++) {
    CHECK(costs->line_total[i].ticks <= 5);
    totals += costs->line_total[i].ticks;
    selves += costs->line_self[i].ticks;
  }
  CHECK_EQUAL(selves, 5);
  CHECK_EQUAL(totals, 5 + 4 + 4 + 1);
  costs_free(costs);
  stack_profile_discard(&stacks);
}

/* Calls of "mabab" are those of its last function in the context of the rest; recursion folds. */
static void test_calls_of_contexts(void) {
  for (int at_once = 0; at_once < 2; at_once++) {
    begin();
    if (at_once) stacks.entries = UINT64_MAX / 2; /* no contexts on the way */
    stack("m", 1);
    CHECK_EQUAL(stack_profile_calls(&stacks, 0), 0);
    stack("mab", 1);
    CHECK_EQUAL(stack_profile_calls(&stacks, 3), 0);
    stack("mabb", 1);
    CHECK_EQUAL(stack_profile_calls(&stacks, 5), 0);
    stack("maba", 1);
    CHECK_EQUAL(stack_profile_calls(&stacks, 7), 0);
    struct costs *costs = costs_compute(charged(), NULL);
    CHECK_EQUAL(costs->functions[function("m")].calls, 0);
    CHECK_EQUAL(costs->functions[function("a")].calls, 7);
    CHECK_EQUAL(costs->functions[function("b")].calls, 3);
    CHECK_EQUAL(costs->functions[function("b")].recursive, 5);
    CHECK_EQUAL(stacks.profile->functions[function("b")].kind, FUNCTION_COUNTED);
    CHECK_EQUAL(stacks.profile->transition_count, 3);
    stack("ma", 1);
    CHECK_EQUAL(stack_profile_calls(&stacks, UINT64_MAX - 1), -1);
    costs_free(costs);
    stack_profile_discard(&stacks);
  }
}

static void test_a_stack_without_frames_is_charged(void) {
  begin();
  stack("", 3);
  CHECK_EQUAL(stacks.profile->function_count, 1);
  CHECK_TEXT(stacks.profile->functions[0].name, "(no stack)");
  stack_profile_discard(&stacks);
}

static void test_deep_stacks_stay_small(void) {
  enum { DEPTH = 200000 };
  begin();
  char *letters = memory_zeroed(DEPTH + 1, 1);
  for (int i = 0; i < DEPTH; i++)
    letters[i] = i % 2 ? 'a' : 'b';
  stack(letters, 1);
  CHECK(stacks.profile->context_count < 10);
  CHECK(stacks.profile->stack_count < 10);
  free(letters);
  stack_profile_discard(&stacks);
}

/* A chain of n functions would have n * n / 2 entries on its way. */
static void test_long_chains_stay_small(void) {
  enum { DEPTH = 20000 };
  begin();
  uint32_t process = stack_profile_process(&stacks, 1, "prog");
  stack_profile_begin(&stacks, stack_profile_thread(&stacks, process, 1, "prog"));
  for (int i = 0; i < DEPTH; i++) {
    char name[20];
    snprintf(name, sizeof name, "f%d", i);
    uint32_t id = function(name);
    stack_profile_frame(&stacks, id, stack_profile_line(&stacks, id, NULL, 0));
  }
  CHECK_EQUAL(stack_profile_charge(&stacks, 0, (struct amount){1, 1}), 0);
  uint64_t entries = 0;
  for (size_t i = 0; i < stacks.profile->context_count; i++)
    entries += stacks.profile->contexts[i].length;
  CHECK(entries < (1 << 24) + 2 * DEPTH);
  CHECK_EQUAL(stacks.profile->contexts[stacks.profile->context_count - 1].length, DEPTH);
  stack_profile_discard(&stacks);
}

static void test_sums_do_not_overflow(void) {
  begin();
  stack("m", 1);
  uint32_t process = stack_profile_process(&stacks, 1, "prog");
  stack_profile_begin(&stacks, stack_profile_thread(&stacks, process, 1, "prog"));
  CHECK_EQUAL(stack_profile_charge(&stacks, 0, (struct amount){1, UINT64_MAX - 1}), -1);
  stack_profile_discard(&stacks);
}

int main(void) {
  test_recursion_counts_once();
  test_histories();
  test_lines();
  test_calls_of_contexts();
  test_a_stack_without_frames_is_charged();
  test_deep_stacks_stay_small();
  test_long_chains_stay_small();
  test_sums_do_not_overflow();
  return check_result();
}
