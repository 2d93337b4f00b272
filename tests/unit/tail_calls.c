/* Which functions that left by tail calls are put back, and where the profile stays as it was. */
#include "attribution/tail_calls/tail_calls.h"

#include <stdlib.h>

#include "attribution/costs.h"
#include "check.h"
#include "profile_fixture.h"

static struct program program;

/* ---- the program's code ---- */

enum { MOST_JUMPS = 16, UNKNOWN_FUNCTION = 1000, OUTSIDE = 1001 };

struct fake_code {
  struct {
    uint64_t place;
    uint32_t callee;
  } calls[MOST_JUMPS];
  size_t call_count;
  struct {
    uint32_t from;
    struct tail_jump jump;
  } jumps[MOST_JUMPS];
  size_t jump_count;
  struct tail_jump answer[MOST_JUMPS][MOST_JUMPS];
  size_t answers;
};
static struct fake_code code;

static uint32_t fake_target(void *data, const struct profile_site *site) {
  const struct fake_code *fake = data;
  for (size_t i = 0; i < fake->call_count; i++)
    if (fake->calls[i].place == site->offset) return fake->calls[i].callee;
  return NOTHING;
}

static bool fake_jumps(void *data, uint32_t id, const struct tail_jump **jumps, size_t *count) {
  struct fake_code *fake = data;
  struct tail_jump *answer = fake->answer[fake->answers++ % MOST_JUMPS];
  *jumps = answer;
  *count = 0;
  for (size_t i = 0; i < fake->jump_count; i++) {
    if (fake->jumps[i].from != id) continue;
    if (fake->jumps[i].jump.to == UNKNOWN_FUNCTION) return false;
    answer[(*count)++] = fake->jumps[i].jump;
  }
  return true;
}

static uint32_t id_of(const char *name) {
  return program_function(&program, name);
}

/* The instruction before `place` calls `callee`. */
static void code_call(uint64_t place, const char *callee) {
  code.calls[code.call_count].place = place;
  code.calls[code.call_count++].callee = id_of(callee);
}

static void code_jump_id(uint32_t from, uint32_t to) {
  code.jumps[code.jump_count].from = from;
  code.jumps[code.jump_count].jump = (struct tail_jump){
      .to = to, .object = 0, .offset = 0x9000 + code.jump_count, .file = "fixture.c", .line = 77};
  code.jump_count++;
}

static void code_jump(const char *from, const char *to) {
  code_jump_id(id_of(from), id_of(to));
}

/* ---- its run ---- */

static void start(void) {
  program_start(&program);
  code = (struct fake_code){0};
  program_calls(&program, "main");
}

static void call_at(uint64_t place, const char *name) {
  program.place = place;
  program_call(&program, id_of(name));
  program.place = 0;
}

static void jump_at(uint64_t place, const char *name) {
  program.place = place;
  program_jump(&program, id_of(name));
  program.place = 0;
}

static void leave(uint64_t ticks) {
  program_tick(&program, ticks);
  program_return(&program);
}

/* ---- what came out ---- */

/* Each function's calls are those of the arcs into it; self times are the whole; no total exceeds
 * it; histories have each function marked once. */
static void check_balance(const struct profile *profile, const struct costs *costs) {
  uint64_t self = 0, context_ticks = 0;
  for (size_t i = 0; i < profile->function_count; i++) {
    uint64_t into = 0;
    for (size_t arc = 0; arc < costs->arc_count; arc++)
      if (costs->arcs[arc].callee == i) into += costs->arcs[arc].calls;
    CHECK_EQUAL(into, costs->functions[i].calls);
    CHECK(costs->functions[i].total.ticks <= costs->self.ticks);
    self += costs->functions[i].self.ticks;
  }
  for (size_t i = 0; i < profile->context_count; i++) {
    const struct profile_context *context = &profile->contexts[i];
    context_ticks += context_self(profile, i).ticks;
    for (uint32_t a = 0; a < context->length; a++)
      for (uint32_t b = 0; b < a; b++)
        CHECK(!(context->history[a] & 1) || context->history[a] != context->history[b]);
  }
  CHECK_EQUAL(self, costs->self.ticks);
  CHECK_EQUAL(context_ticks, costs->self.ticks);
  for (size_t i = 0; i < profile->site_count; i++)
    CHECK(costs->site_calls[i] > 0);
}

struct outcome {
  struct profile *profile;
  struct costs *before, *costs;
};

/* Calls and self times of functions stay what they were. */
static struct outcome put_back(void) {
  struct tail_code source = {&code, fake_target, fake_jumps};
  struct outcome outcome = {.profile = program_end(&program)};
  outcome.before = costs_compute(outcome.profile, NULL);
  tail_calls_put_back(outcome.profile, &source);
  metrics_charge(outcome.profile);
  outcome.costs = costs_compute(outcome.profile, NULL);
  check_balance(outcome.profile, outcome.costs);
  for (size_t i = 0; i < outcome.profile->function_count; i++) {
    const struct function_cost *was = &outcome.before->functions[i];
    const struct function_cost *is = &outcome.costs->functions[i];
    CHECK_EQUAL(is->calls + is->recursive, was->calls + was->recursive);
    CHECK_EQUAL(is->self.ticks, was->self.ticks);
  }
  CHECK_EQUAL(outcome.costs->calls, outcome.before->calls);
  return outcome;
}

static void finish(struct outcome *outcome) {
  costs_free(outcome->before);
  costs_free(outcome->costs);
  profile_free(outcome->profile);
}

static const struct arc_cost *arc_of(const struct costs *costs, const char *caller,
                                     const char *callee) {
  static const struct arc_cost none;
  for (size_t i = 0; i < costs->arc_count; i++)
    if (costs->arcs[i].caller == id_of(caller) && costs->arcs[i].callee == id_of(callee))
      return &costs->arcs[i];
  return &none;
}

/* calls, tail calls, ticks */
static void check_arc(int line, const struct costs *costs, const char *caller, const char *callee,
                      uint64_t calls, uint64_t tail_calls, uint64_t ticks) {
  const struct arc_cost *arc = arc_of(costs, caller, callee);
  check_equal(__FILE__, line, "calls", arc->calls, calls);
  check_equal(__FILE__, line, "tail calls", arc->tail_calls, tail_calls);
  check_equal(__FILE__, line, "ticks", arc->in_self.ticks + arc->in_child.ticks, ticks);
}
#define CHECK_ARC(...) check_arc(__LINE__, outcome.costs, __VA_ARGS__)
#define CHECK_TOTAL(name, expected)                                                                \
  CHECK_EQUAL(outcome.costs->functions[id_of(name)].total.ticks, expected)

static uint64_t doubtful_calls(const struct costs *costs, const char *caller, const char *callee) {
  for (size_t i = 0; i < costs->arc_count; i++)
    if (costs->arcs[i].caller == id_of(caller) && costs->arcs[i].callee == id_of(callee))
      return costs->arcs[i].doubtful_calls;
  return 0;
}
#define CHECK_DOUBT(caller, callee, calls)                                                         \
  CHECK_EQUAL(doubtful_calls(outcome.costs, caller, callee), calls)

static uint64_t tail_calls_in(const struct costs *costs) {
  uint64_t sum = 0;
  for (size_t i = 0; i < costs->arc_count; i++)
    sum += costs->arcs[i].tail_calls;
  return sum;
}

/* easy jumps to work, which calls copy; hard calls work. */
static void only_chain(void) {
  start();
  code_call(0x10, "easy");
  code_call(0x20, "hard");
  code_jump("easy", "work");
  call_at(0x10, "easy");
  program_tick(&program, 1);
  jump_at(0x10, "work");
  program_calls(&program, "copy");
  leave(4);
  leave(10);
  call_at(0x20, "hard");
  program_calls(&program, "work");
  leave(100);
  leave(2);
  struct outcome outcome = put_back();
  CHECK_ARC("main", "easy", 1, 0, 15);
  CHECK_ARC("easy", "work", 1, 1, 14);
  CHECK_ARC("work", "copy", 1, 0, 4);
  CHECK_ARC("hard", "work", 1, 0, 100);
  CHECK_ARC("main", "work", 0, 0, 0);
  CHECK_DOUBT("main", "easy", 0);
  CHECK_DOUBT("easy", "work", 0);
  CHECK_DOUBT("hard", "work", 0);
  CHECK_TOTAL("easy", 15);
  CHECK_TOTAL("hard", 102);
  CHECK_TOTAL("work", 114);
  for (size_t i = 0; i < outcome.profile->site_count; i++)
    if (outcome.profile->sites[i].tail) {
      CHECK_EQUAL(outcome.profile->sites[i].caller, id_of("easy"));
      CHECK_EQUAL(outcome.profile->sites[i].offset, 0x9000);
      CHECK_EQUAL(outcome.profile->sites[i].line, 77);
    }
  finish(&outcome);
}

/* The functions on the way are put back as well, and the contexts stay a tree of calls. */
static void chain_of_two(void) {
  start();
  code_call(0x10, "first");
  code_jump("first", "second");
  code_jump("second", "work");
  for (int i = 0; i < 3; i++) {
    call_at(0x10, "first");
    jump_at(0x10, "second");
    program_tick(&program, 2);
    jump_at(0x10, "work");
    leave(5);
  }
  struct outcome outcome = put_back();
  CHECK_ARC("main", "first", 3, 0, 21);
  CHECK_ARC("first", "second", 3, 3, 21);
  CHECK_ARC("second", "work", 3, 3, 15);
  CHECK_ARC("main", "second", 0, 0, 0);
  CHECK_EQUAL(outcome.profile->context_count, 5); /* root, main, and one for each below */
  finish(&outcome);
}

/* choose jumps to left or right, and both to work. */
static void run_choice(bool right_too) {
  start();
  code_call(0x10, "choose");
  code_jump("choose", "left");
  code_jump("choose", "right");
  code_jump("left", "work");
  code_jump("right", "work");
  for (int side = 0; side <= right_too; side++) {
    call_at(0x10, "choose");
    jump_at(0x10, side ? "right" : "left");
    jump_at(0x10, "work");
    leave(7);
  }
}

static void several_chains(void) {
  run_choice(true);
  struct outcome outcome = put_back();
  CHECK_ARC("choose", "left", 1, 1, 0);
  CHECK_ARC("choose", "right", 1, 1, 0);
  CHECK_ARC("main", "work", 2, 0, 14);
  CHECK_DOUBT("main", "work", 2);
  CHECK_DOUBT("main", "choose", 0);
  CHECK_TOTAL("choose", 0);
  finish(&outcome);
}

/* right was never entered: its hook would have counted it. */
static void several_chains_but_one_was_gone(void) {
  run_choice(false);
  id_of("right");
  struct outcome outcome = put_back();
  CHECK_ARC("choose", "left", 1, 1, 7);
  CHECK_ARC("left", "work", 1, 1, 7);
  CHECK_TOTAL("choose", 7);
  finish(&outcome);
}

/* Code without hooks may have been on the way unseen, and leads to work too. */
static void chain_through_code_without_hooks(void) {
  run_choice(false);
  code_jump_id(id_of("choose"), OUTSIDE);
  code_jump_id(OUTSIDE, id_of("work"));
  struct outcome outcome = put_back();
  CHECK_ARC("choose", "left", 1, 1, 0);
  CHECK_ARC("main", "work", 1, 0, 7);
  finish(&outcome);
}

/* A jump through a pointer: the chain cannot be known. */
static void unknown_jump(void) {
  run_choice(false);
  code_jump_id(id_of("choose"), UNKNOWN_FUNCTION);
  struct outcome outcome = put_back();
  CHECK_EQUAL(tail_calls_in(outcome.costs), 0);
  CHECK_ARC("main", "work", 1, 0, 7);
  finish(&outcome);
}

/* A call through a pointer reaches what it likes. */
static void pointer_call(void) {
  start();
  code_jump("easy", "work");
  call_at(0x10, "easy");
  leave(1);
  call_at(0x10, "work");
  leave(2);
  struct outcome outcome = put_back();
  CHECK_EQUAL(tail_calls_in(outcome.costs), 0);
  finish(&outcome);
}

/* main calls work itself as well; both calls lead into one context. */
static void sites_disagree(void) {
  start();
  code_call(0x10, "easy");
  code_call(0x20, "work");
  code_jump("easy", "work");
  call_at(0x10, "easy");
  jump_at(0x10, "work");
  leave(5);
  call_at(0x20, "work");
  leave(6);
  struct outcome outcome = put_back();
  CHECK_ARC("main", "work", 2, 0, 11);
  CHECK_TOTAL("easy", 0);
  finish(&outcome);
}

/* The first of a chain's contexts stays, so what is behind it does. */
static void step_of_chain_disagrees(void) {
  start();
  code_call(0x10, "first");
  code_call(0x20, "second");
  code_jump("first", "second");
  code_jump("second", "work");
  call_at(0x10, "first");
  jump_at(0x10, "second");
  jump_at(0x10, "work");
  leave(5);
  call_at(0x20, "second");
  leave(6);
  struct outcome outcome = put_back();
  CHECK_EQUAL(tail_calls_in(outcome.costs), 0);
  CHECK_ARC("main", "work", 1, 0, 5);
  finish(&outcome);
}

/* ping and pong jump to each other: who called ping, main or pong, the stack does not tell. */
static void mutual_tail_recursion(void) {
  start();
  code_call(0x10, "ping");
  code_jump("ping", "pong");
  code_jump("pong", "ping");
  call_at(0x10, "ping");
  for (int i = 0; i < 10; i++) {
    jump_at(0x10, "pong");
    program_tick(&program, 2);
    jump_at(0x10, "ping");
    program_tick(&program, 1);
  }
  struct outcome outcome = put_back();
  CHECK_ARC("main", "ping", 11, 0, 30);
  CHECK_DOUBT("main", "ping", 11); /* pong jumped to it ten times */
  CHECK_DOUBT("ping", "pong", 0);
  CHECK_ARC("ping", "pong", 10, 10, 20);
  CHECK_TOTAL("ping", 30);
  CHECK_TOTAL("pong", 20);
  finish(&outcome);
}

/* Calls through a cycle below the chain lead into one context on several ways, all with it. */
static void recursion_below(void) {
  start();
  code_call(0x10, "easy");
  code_jump("easy", "eval");
  call_at(0x10, "easy");
  jump_at(0x10, "eval");
  program_tick(&program, 1);
  for (int depth = 0; depth < 4; depth++) {
    program_calls(&program, "apply eval");
    program_tick(&program, 1);
  }
  struct outcome outcome = put_back();
  CHECK_TOTAL("easy", 5);
  CHECK_TOTAL("eval", 5);
  CHECK_ARC("easy", "eval", 1, 1, 1);
  CHECK_ARC("apply", "eval", 4, 0, 4);
  finish(&outcome);
}

/* In main>eval, apply is called with and without glue between; deeper only with it. A cycle leads
 * from there back, so the deeper context would have to be in two places. */
static void contradiction(void) {
  start();
  code_call(0x10, "glue");
  code_call(0x20, "apply");
  code_jump("glue", "apply");
  program_calls(&program, "eval");
  call_at(0x20, "apply");
  leave(1);
  for (int depth = 0; depth < 3; depth++) {
    call_at(0x10, "glue");
    jump_at(0x10, "apply");
    program_calls(&program, "eval");
    program_tick(&program, 1);
  }
  struct outcome outcome = put_back();
  CHECK_EQUAL(tail_calls_in(outcome.costs), 0);
  CHECK_ARC("eval", "apply", 4, 0, 4);
  finish(&outcome);
}

/* A call that had no room may have been one of the chain's. */
static void dropped_calls(void) {
  run_choice(false);
  program.profile->processes[0].drops[DROP_TRANSITIONS] = 1;
  struct outcome outcome = put_back();
  CHECK_EQUAL(tail_calls_in(outcome.costs), 0);
  finish(&outcome);
}

/* A thread that was started below the chain knows where. */
static void spawner_moves(void) {
  start();
  code_call(0x10, "easy");
  code_jump("easy", "work");
  call_at(0x10, "easy");
  jump_at(0x10, "work");
  program_tick(&program, 1);
  uint32_t spawner = program.stack[program.depth - 1];
  program_thread(&program, "second");
  program.profile->threads[1].spawned_in = spawner;
  program_calls(&program, "run");
  program_tick(&program, 1);
  struct outcome outcome = put_back();
  const struct profile_context *context =
      &outcome.profile->contexts[outcome.profile->threads[1].spawned_in];
  CHECK_EQUAL(context->length, 3);
  CHECK_EQUAL(context->history[1] >> 1, id_of("easy"));
  finish(&outcome);
}

/* The context below the running one that code without hooks made, as ticks find it. */
static uint32_t below(const uint32_t *functions, uint32_t count) {
  const struct profile_context *running =
      &program.profile->contexts[program.stack[program.depth - 1]];
  uint32_t history[8];
  memcpy(history, running->history, running->length * sizeof *history);
  for (uint32_t i = 0; i < count; i++)
    history[running->length + i] = functions[i] << 1 | 1;
  return context_intern(&program.contexts, running->thread, history, running->length + count);
}

/* A tick met code without hooks two levels below work before one met the level between. */
static void leaves_below_leaves(void) {
  start();
  code_call(0x10, "easy");
  code_jump("easy", "work");
  uint32_t libraries[] = {program_library(&program, "outer"), program_library(&program, "inner")};
  call_at(0x10, "easy");
  program_tick(&program, 1);
  jump_at(0x10, "work");
  uint32_t deeper = below(libraries, 2), between = below(libraries, 1);
  CHECK(deeper < between);
  program.stack[program.depth++] = deeper;
  program_tick(&program, 5);
  program.stack[program.depth - 1] = between;
  program_tick(&program, 3);
  program.depth--;
  leave(2);
  struct outcome outcome = put_back();
  CHECK_ARC("easy", "work", 1, 1, 10);
  CHECK_ARC("work", "outer", 0, 0, 8);
  CHECK_ARC("outer", "inner", 0, 0, 5);
  CHECK_TOTAL("easy", 11);
  finish(&outcome);
}

int main(void) {
  leaves_below_leaves();
  only_chain();
  chain_of_two();
  several_chains();
  several_chains_but_one_was_gone();
  chain_through_code_without_hooks();
  unknown_jump();
  pointer_call();
  sites_disagree();
  step_of_chain_disagrees();
  mutual_tail_recursion();
  recursion_below();
  contradiction();
  dropped_calls();
  spawner_moves();
  return check_result();
}
