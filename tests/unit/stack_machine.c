/* Contexts of stacks: whole as far as there is room, each once, in memory that grows with what
 * is new in a stack. */
#include "outside/stack_machine.h"

#include "check.h"
#include "recording/history.h"

enum { MAIN, P, Q, R, S, FUNCTIONS };

#define M(function) ((uint32_t)(function) << 1 | 1)

static uint32_t call(struct stack_machine *machine, uint64_t address) {
  struct function_entry entry = {.address = address, .kind = ENTRY_CALL};
  return stack_machine_function(machine, &entry);
}

static void add_functions(struct stack_machine *machine) {
  for (uint32_t i = 0; i < FUNCTIONS; i++)
    CHECK_EQUAL(call(machine, 100 + i), i);
}

static uint32_t stack(struct stack_machine *machine, uint32_t root, const uint32_t *calls,
                      uint32_t count) {
  for (uint32_t i = 0; i < count && root != NOTHING; i++)
    root = stack_machine_step(machine, root, calls[i]);
  return root;
}
#define STACK(machine, root, ...)                                                                  \
  stack(machine, root, (const uint32_t[]){__VA_ARGS__},                                            \
        sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void check_history(int line, const struct stack_machine *machine, uint32_t id,
                          const uint32_t *expected, uint32_t length) {
  const struct context_entry *context = &machine->contexts[id];
  check_equal(__FILE__, line, "length", context->length, length);
  for (uint32_t i = 0; i < length && i < context->length; i++)
    check_equal(__FILE__, line, "entry", context->history[i], expected[i]);
}
#define CHECK_HISTORY(machine, id, ...)                                                            \
  check_history(__LINE__, machine, id, (const uint32_t[]){__VA_ARGS__},                            \
                sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void functions_are_told_apart_by_object(void) {
  struct stack_machine machine = {0};
  struct function_entry here = {.address = 5, .kind = ENTRY_CALL, .object = 1};
  struct function_entry later = here, entered = here, cut = {.kind = ENTRY_CUT};
  later.object = 2;
  entered.kind = ENTRY_FUNCTION;
  CHECK_EQUAL(stack_machine_function(&machine, &here), 0);
  CHECK_EQUAL(stack_machine_function(&machine, &later), 1);
  CHECK_EQUAL(stack_machine_function(&machine, &entered), 2);
  CHECK_EQUAL(stack_machine_function(&machine, &cut), 3);
  CHECK_EQUAL(stack_machine_function(&machine, &here), 0);
  stack_machine_close(&machine);
}

/* Spivey's figure 2, from the outermost frame in: nothing is folded, but of a cycle that stands
 * three times or more two are left. */
static void recursion_stays_whole(void) {
  struct stack_machine machine = {0};
  add_functions(&machine);
  uint32_t root = stack_machine_start(&machine, 0, CONTEXT_ROOT);
  uint32_t once = STACK(&machine, root, MAIN, P, Q, R, P);
  CHECK_HISTORY(&machine, once, M(MAIN), M(P), M(Q), M(R), M(P));
  uint32_t twice = STACK(&machine, once, Q, R, P);
  CHECK_HISTORY(&machine, twice, M(MAIN), M(P), M(Q), M(R), M(P), M(Q), M(R), M(P));
  CHECK_EQUAL(STACK(&machine, twice, Q, R, P, Q, R, P, Q, R, P), twice);
  CHECK_HISTORY(&machine, STACK(&machine, twice, Q, R, S), M(MAIN), M(P), M(Q), M(R), M(P), M(Q),
                M(R), M(S));
  CHECK_EQUAL(machine.contexts[once].flags, CONTEXT_READY | CONTEXT_STACK | CONTEXT_RECURS);
  stack_machine_close(&machine);
}

/* Rule A1 is for functions: a call that stands twice in succession is two. */
static void direct_recursion_is_two_entries(void) {
  struct stack_machine machine = {0};
  add_functions(&machine);
  uint32_t root = stack_machine_start(&machine, 0, CONTEXT_ROOT);
  uint32_t twice = STACK(&machine, root, MAIN, P, P);
  CHECK_HISTORY(&machine, twice, M(MAIN), M(P), M(P));
  CHECK_EQUAL(STACK(&machine, twice, P, P, P), twice);
  stack_machine_close(&machine);
}

/* Any number of stacks: from a length on they fold, and have as few entries as contexts. */
static void long_recursion_folds(void) {
  struct stack_machine machine = {0};
  add_functions(&machine);
  uint32_t context = stack_machine_start(&machine, 0, CONTEXT_ROOT), longest = 0;
  uint64_t random = 1;
  for (int i = 0; i < 40000; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    context = stack_machine_step(&machine, context, (uint32_t)(random >> 60) % FUNCTIONS);
    CHECK(context != NOTHING);
    if (context == NOTHING) return;
    if (machine.contexts[context].length > longest) longest = machine.contexts[context].length;
  }
  CHECK_EQUAL(longest, STACK_ENTRIES_MOST);
  CHECK(machine.contexts[context].length <= 3 * FUNCTIONS);
  CHECK(machine.history_bytes < 4 << 20);
  stack_machine_close(&machine);
}

static void threads_have_contexts_of_their_own(void) {
  struct stack_machine machine = {0};
  add_functions(&machine);
  uint32_t first = stack_machine_start(&machine, 0, CONTEXT_ROOT);
  uint32_t second = stack_machine_start(&machine, 1, CONTEXT_ROOT);
  uint32_t a = STACK(&machine, first, MAIN, P), b = STACK(&machine, second, MAIN, P);
  CHECK(a != b);
  CHECK_EQUAL(machine.contexts[a].thread, 0);
  CHECK_EQUAL(machine.contexts[b].thread, 1);
  stack_machine_close(&machine);
}

/* Contexts that share their memory keep their own histories. */
static void branches_keep_apart(void) {
  struct stack_machine machine = {0};
  add_functions(&machine);
  uint32_t root = stack_machine_start(&machine, 0, CONTEXT_ROOT);
  uint32_t main_p = STACK(&machine, root, MAIN, P), first = STACK(&machine, main_p, Q);
  uint32_t second = STACK(&machine, main_p, R), third = STACK(&machine, first, S);
  CHECK_HISTORY(&machine, main_p, M(MAIN), M(P));
  CHECK_HISTORY(&machine, first, M(MAIN), M(P), M(Q));
  CHECK_HISTORY(&machine, second, M(MAIN), M(P), M(R));
  CHECK_HISTORY(&machine, third, M(MAIN), M(P), M(Q), M(S));
  CHECK_EQUAL(STACK(&machine, root, MAIN, P, Q, S), third);
  stack_machine_close(&machine);
}

/* 5000 different calls: 20 KB, not 50 MB. */
static void deep_stacks_are_small(void) {
  struct stack_machine machine = {0};
  uint32_t context = stack_machine_start(&machine, 0, CONTEXT_ROOT);
  for (uint32_t i = 0; i < 5000; i++)
    context = stack_machine_step(&machine, context, call(&machine, 1000 + i));
  CHECK_EQUAL(machine.contexts[context].length, 5000);
  CHECK_EQUAL(machine.contexts[context].history[4999], M(4999));
  CHECK(machine.history_bytes < 1 << 20);
  stack_machine_close(&machine);
}

static void ticks_are_summed(void) {
  struct stack_machine machine = {0};
  uint32_t root = stack_machine_start(&machine, 0, CONTEXT_ROOT);
  struct tick_entry tick = {.context = root,
                            .stack = root,
                            .centre = NOTHING,
                            .pc = 7,
                            .epoch = 1,
                            .ticks = 1,
                            .weight = 1};
  stack_machine_charge(&machine, &tick);
  stack_machine_charge(&machine, &tick);
  tick.epoch = 2; /* other code, at the same address */
  stack_machine_charge(&machine, &tick);
  CHECK_EQUAL(machine.tick_count, 2);
  CHECK_EQUAL(machine.ticks[0].ticks, 2);
  CHECK_EQUAL(machine.ticks[1].ticks, 1);
  stack_machine_close(&machine);
}

int main(void) {
  functions_are_told_apart_by_object();
  recursion_stays_whole();
  direct_recursion_is_two_entries();
  long_recursion_folds();
  threads_have_contexts_of_their_own();
  branches_keep_apart();
  deep_stacks_are_small();
  ticks_are_summed();
  return check_result();
}
