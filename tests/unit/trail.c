/* What is remembered of a stack, on made-up stacks: whatever of them has changed, the walk is the
 * one that remembers nothing. */
#include "unwind/trail.h"

#include <string.h>

#include "check.h"

#define WORDS 64
#define FRAMES_MOST 16

/* Return addresses, each with a rule of its own. */
enum {
  LEAF = 0x1000,
  ON_RSP = 0x2000,
  ON_RBP = 0x3000,
  REALIGNED = 0x4000,
  OTHER = 0x5000,
  PASSES = 0x7000,
  FIRST = 0x6000
};

static uint64_t stack[WORDS];
static struct unwind_cache_slot slots[1024];
static struct unwind_cache cache = {.slots = slots, .mask = 1023};

static uint64_t at(uint32_t word) {
  return (uint64_t)&stack[word];
}

static const struct unwind_object *no_object(const void *objects, uint64_t address) {
  return NULL;
}

static const struct unwind_space space = {.find_object = no_object, .cache = &cache};

static void rule(uint64_t place, struct unwind_rule rule) {
  unwind_cache_keep(&cache, unwind_cache_key(place, 0), rule);
}

static void make_rules(void) {
  const struct unwind_rule leaf = {.kind = UNWIND_RULE_REGISTER, .base = UNWIND_RSP, .offset = 8};
  struct unwind_rule on_rsp = leaf, on_rbp = leaf, realigned = leaf;
  on_rsp.offset = 32;
  on_rsp.frame_pointer = -2;
  on_rbp.base = UNWIND_RBP;
  on_rbp.offset = 16;
  on_rbp.frame_pointer = -2;
  realigned.kind = UNWIND_RULE_LOAD;
  realigned.offset = 8;
  realigned.frame_pointer = UNWIND_RBP_UNKNOWN;
  rule(LEAF, leaf);
  rule(ON_RSP - 1, on_rsp);
  rule(OTHER - 1, on_rsp);
  rule(ON_RBP - 1, on_rbp);
  rule(REALIGNED - 1, realigned);
  rule(PASSES - 1, leaf);
  rule(FIRST - 1, (struct unwind_rule){.kind = UNWIND_RULE_OUTERMOST});
}

/* leaf < ON_RSP < ON_RBP < REALIGNED < ON_RSP < FIRST, and a second way out for each. */
static void make_stack(void) {
  memset(stack, 0, sizeof stack);
  stack[0] = ON_RSP; /* its frame: words 1 to 4 */
  stack[3] = at(7);  /* the rbp of the next */
  stack[4] = ON_RBP; /* words 5 to 8 */
  stack[7] = 0x777;
  stack[8] = REALIGNED; /* words 9 to 19 */
  stack[10] = at(20);   /* where its caller's frame begins */
  stack[19] = ON_RSP;   /* words 20 to 23 */
  stack[23] = FIRST;
  stack[29] = OTHER; /* the other ways */
  stack[33] = FIRST;
  stack[13] = REALIGNED;
}

struct found {
  uint64_t addresses[FRAMES_MOST];
  uint32_t count, told;
  enum unwind_end end;
};

static struct unwind_memory memory = {.bytes = stack};

static uint64_t innermost_rbp = 0x999;

/* With all rules in the cache: made-up return addresses take their places there. */
static struct unwind_frame innermost(void) {
  make_rules();
  struct unwind_frame frame = {.exact = true, .known = UNWIND_ALL_KNOWN};
  frame.registers[UNWIND_RIP] = LEAF;
  frame.registers[UNWIND_RSP] = at(0);
  frame.registers[UNWIND_RBP] = innermost_rbp;
  return frame;
}

static void walk_anew(struct found *found) {
  struct unwind_frame frame = innermost();
  struct unwind_walk walk;
  unwind_walk_begin(&walk, &frame);
  found->end = unwind_walk(&walk, &space, &memory, found->addresses, FRAMES_MOST, &found->count);
}

static void walk_by_trail(struct unwind_trail *trail, struct found *found) {
  struct unwind_frame frame = innermost();
  struct unwind_walk walk;
  unwind_walk_begin(&walk, &frame);
  unwind_trail_begin(trail, 0, memory.high);
  found->count = 0;
  found->end = unwind_trail_walk(trail, &walk, &space, &memory, found->addresses, FRAMES_MOST,
                                 &found->count);
  found->told = found->count;
  uint32_t known = found->end == UNWIND_STEPPED ? trail->count : 0;
  for (uint32_t i = known; i > 0; i--)
    found->addresses[found->count++] = trail->kept[i - 1].rip;
  if (known) found->end = UNWIND_OUTERMOST;
  for (uint32_t i = found->told; i > 1; i--)
    unwind_trail_keep(trail, i - 1, i);
}

static void check_same(struct unwind_trail *trail, struct found *by_trail) {
  struct found anew;
  walk_anew(&anew);
  walk_by_trail(trail, by_trail);
  CHECK_EQUAL(by_trail->end, anew.end);
  CHECK_EQUAL(by_trail->count, anew.count);
  CHECK(memcmp(by_trail->addresses, anew.addresses, anew.count * sizeof *anew.addresses) == 0);
}

static struct unwind_trail trail;
enum { WORDS_OF_FRAME = 20 };
static uint64_t few[3 * WORDS_OF_FRAME], frames[FRAMES_MOST * WORDS_OF_FRAME];

/* A stack that has no room is walked anew each time, until it has. */
static void room_for_some(void) {
  struct unwind_trail small = {0};
  CHECK_EQUAL(unwind_trail_bytes(3), sizeof few);
  const uint32_t told[] = {6, 6, 6, 6, 6, 1};
  struct found found;
  make_stack();
  for (int i = 0; i < 6; i++) {
    if (i == 2) unwind_trail_enlarge(&small, few, 3);
    if (i == 4) unwind_trail_enlarge(&small, frames, FRAMES_MOST);
    check_same(&small, &found);
    CHECK_EQUAL(found.told, told[i]);
  }
  memset(frames, 0, sizeof frames);
}

static void remember(void) {
  struct found found;
  make_stack();
  trail.count = 0;
  check_same(&trail, &found);
  CHECK_EQUAL(found.end, UNWIND_OUTERMOST);
  CHECK_EQUAL(found.count, 6);
  check_same(&trail, &found);
  CHECK_EQUAL(found.told, 1); /* all but the innermost is known */
}

/* Each word in turn becomes each of these: what rests on it is found out, whatever it is. */
static void changed_words(void) {
  const uint64_t values[] = {0,     0x777, ON_RSP, OTHER,  REALIGNED,
                             FIRST, at(7), at(12), at(20), at(30)};
  for (uint32_t word = 0; word < WORDS; word++)
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
      struct found found;
      remember();
      stack[word] = values[i];
      check_same(&trail, &found);
      check_same(&trail, &found);
      make_stack();
      check_same(&trail, &found);
    }
}

/* What is further out than the changed word is known still. */
static void outside_of_a_change(void) {
  struct found found;
  remember();
  stack[19] = OTHER;
  check_same(&trail, &found);
  CHECK_EQUAL(found.told, 5);
}

static void calls(void) {
  remember();
  unwind_trail_begin(&trail, 0, memory.high);
  CHECK(!unwind_trail_knows_call(&trail, OTHER, at(1), 0x999));
  CHECK(unwind_trail_knows_call(&trail, ON_RSP, at(1), 0x999));
  CHECK_EQUAL(trail.count, 5);
  stack[19] = OTHER;
  unwind_trail_begin(&trail, 0, memory.high);
  CHECK(!unwind_trail_knows_call(&trail, ON_RSP, at(1), 0x999));
  CHECK_EQUAL(trail.count, 2);
}

/* A frame in another one's place, whose rbp is another: known, unless its callers' rules use it. */
static void rbp_that_no_rule_uses(void) {
  struct found found;
  remember();
  stack[7] = 0x888;
  check_same(&trail, &found);
  CHECK_EQUAL(found.told, 1);
  remember();
  trail.generation = 1;
  check_same(&trail, &found);
  CHECK_EQUAL(found.told, 6);
}

/* The leaf has not touched it: it is in the register still. */
static void rbp_that_a_rule_uses(void) {
  for (uint32_t passing = 0; passing < 2; passing++) {
    struct found found;
    make_stack();
    trail.count = 0;
    innermost_rbp = at(7);
    stack[0] = passing ? PASSES : ON_RBP;
    stack[1] = ON_RBP;
    check_same(&trail, &found);
    CHECK_EQUAL(found.end, UNWIND_OUTERMOST);
    check_same(&trail, &found);
    CHECK_EQUAL(found.told, 1);
    innermost_rbp = at(12);
    check_same(&trail, &found);
  }
}

int main(void) {
  memory.low = at(0);
  memory.high = at(WORDS);
  room_for_some();
  unwind_trail_enlarge(&trail, frames, FRAMES_MOST);
  changed_words();
  outside_of_a_change();
  calls();
  rbp_that_no_rule_uses();
  rbp_that_a_rule_uses();
  return check_result();
}
