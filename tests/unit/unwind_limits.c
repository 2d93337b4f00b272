/* What a walk does where a stack is deep, cut, made at run time, or anything. */
#include "unwind_space.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "check.h"

#define SMALL __attribute__((no_sanitize_thread)) /* its own stack of calls is */
#define DEEP 100000
#define DEEP_BYTES (1ull << 29) /* sanitizers make frames large */
#define WORDS 4096
#define STACKS 20000

extern const char undescribed_restorer[]; /* unwind_forms.S; before it stands no function */

static struct unwind_space space;
static volatile long sink;

/* ---- deep stacks ---- */

static struct {
  uint64_t addresses[DEEP + 100];
  uint32_t count;
  enum unwind_end end;
  uint64_t high; /* of the thread's stack */
} deep;

/* The whole stack, or a copy of its first `bytes` only. */
static struct unwind_memory stack_memory(const ucontext_t *machine, uint64_t bytes) {
  uint64_t sp = (uint64_t)machine->uc_mcontext.gregs[REG_RSP];
  struct unwind_memory memory = {.low = sp, .high = deep.high, .bytes = (const void *)sp};
  if (bytes < memory.high - memory.low) memory.high = memory.low + bytes;
  return memory;
}

static enum unwind_end walk_in_pieces(const ucontext_t *machine, uint64_t bytes, uint32_t piece,
                                      uint64_t *addresses, uint32_t *count) {
  struct unwind_memory memory = stack_memory(machine, bytes);
  struct unwind_frame innermost;
  struct unwind_walk walk;
  enum unwind_end end = UNWIND_MORE;
  unwind_frame_from_context(&innermost, machine->uc_mcontext.gregs);
  unwind_walk_begin(&walk, &innermost);
  for (*count = 0; end == UNWIND_MORE && *count < DEEP + 90;) {
    uint32_t told;
    end = unwind_walk(&walk, &space, &memory, addresses + *count, piece, &told);
    *count += told;
  }
  return end;
}

static void on_deep(int signal, siginfo_t *info, void *machine) {
  static uint64_t pieces[DEEP + 100];
  uint32_t count;
  deep.end = walk_in_pieces(machine, UINT64_MAX, DEEP, deep.addresses, &deep.count);
  CHECK_EQUAL(walk_in_pieces(machine, UINT64_MAX, 7, pieces, &count), deep.end);
  CHECK_EQUAL(count, deep.count);
  CHECK(memcmp(pieces, deep.addresses, count * sizeof *pieces) == 0);
  /* A copy that ends early ends the walk, with what is known up to there. */
  CHECK_EQUAL(walk_in_pieces(machine, 4096, DEEP, pieces, &count), UNWIND_BAD_MEMORY);
  CHECK(count > 5 && count < 300);
  CHECK(memcmp(pieces, deep.addresses, count * sizeof *pieces) == 0);
  CHECK_EQUAL(walk_in_pieces(machine, 0, DEEP, pieces, &count), UNWIND_BAD_MEMORY);
  CHECK_EQUAL(count, 1);
}

KEEP SMALL static long recursive(long n) {
  if (n == 0) raise(SIGUSR1);
  return n ? recursive(n - 1) + sink : sink;
}

static void *deep_thread(void *high) {
  deep.high = (uint64_t)high;
  sink = recursive(DEEP);
  return NULL;
}

static void deep_stack(void) {
  char *stack = aligned_alloc(4096, DEEP_BYTES);
  pthread_attr_t attributes;
  pthread_t thread;
  struct sigaction action = {.sa_sigaction = on_deep, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR1, &action, NULL);
  pthread_attr_init(&attributes);
  CHECK_EQUAL(pthread_attr_setstack(&attributes, stack, DEEP_BYTES), 0);
  CHECK_EQUAL(pthread_create(&thread, &attributes, deep_thread, stack + DEEP_BYTES), 0);
  pthread_join(thread, NULL);
  CHECK_EQUAL(deep.end, UNWIND_OUTERMOST);
  CHECK(deep.count > DEEP);
  uint32_t same = 0;
  for (uint32_t i = 1; i < deep.count; i++)
    same += deep.addresses[i] == deep.addresses[DEEP / 2];
  CHECK_EQUAL(same, DEEP);
  free(stack);
}

/* ---- code that was made at run time: [0x1000, 0x2000) ---- */

static const struct unwind_object made = {0x1000, 0x2000, 0, NULL};
static const struct unwind_objects made_objects = {&made, 1};

/* Its bytes. */
static uint8_t made_code[0x1000];

/* Frame pointers are not followed to other stacks: what is there looks like code. */
static bool load_code(void *context, uint64_t address, uint64_t *value) {
  *value = *(const uint64_t *)context;
  if (address >= made.start && address + 8 <= made.end)
    memcpy(value, made_code + (address - made.start), sizeof *value);
  return true;
}

/* call rel32, or call *%rax if `target` is 0, before `address`. */
static void put_call(uint64_t address, uint64_t target) {
  uint8_t *end = made_code + (address - made.start);
  int32_t distance = (int32_t)(target - address);
  memset(end - 8, 0x90, 8);
  end[-5] = 0xe8;
  memcpy(end - 4, &distance, sizeof distance);
  if (!target) memcpy(end - 5, "\x90\x90\x90\xff\xd0", 5);
}

static enum unwind_end walk_made(const uint64_t *stack, uint64_t words, uint64_t rbp, uint64_t pc,
                                 uint64_t *addresses, uint32_t *count, bool *guessed) {
  static uint64_t code = 0x1300;
  static struct unwind_cache_slot slots[16];
  static struct unwind_cache cache = {.slots = slots, .mask = 15};
  static uint64_t generation;
  struct unwind_space made_space = {unwind_objects_find, &made_objects, &cache, ++generation};
  struct unwind_memory memory = {.low = 0x8000,
                                 .high = 0x8000 + 8 * words,
                                 .bytes = stack,
                                 .load_elsewhere = load_code,
                                 .context = &code};
  struct unwind_frame frame = {.known = UNWIND_ALL_KNOWN, .exact = true};
  struct unwind_walk walk;
  frame.registers[UNWIND_RSP] = 0x8000;
  frame.registers[UNWIND_RBP] = rbp;
  frame.registers[UNWIND_RIP] = pc;
  unwind_walk_begin(&walk, &frame);
  enum unwind_end end = unwind_walk(&walk, &made_space, &memory, addresses, 16, count);
  *guessed = walk.guessed;
  return end;
}

static void frame_pointers(void) {
  uint64_t stack[] = {0, 0, 0x8030, 0x1100, 0, 0, 0x8040, 0x1200, 0x8048, 0x9999};
  uint64_t addresses[16];
  uint32_t count;
  bool guessed;
  CHECK_EQUAL(walk_made(stack, 10, 0x8010, 0x1050, addresses, &count, &guessed), UNWIND_NO_RULE);
  CHECK_EQUAL(count, 3); /* 0x9999 is no code */
  CHECK_EQUAL(addresses[0], 0x1050 | UNWIND_EXACT);
  CHECK_EQUAL(addresses[1], 0x1100);
  CHECK_EQUAL(addresses[2], 0x1200);
  CHECK(guessed);
  /* Outside of the stack, below the frame, at its end; out of all objects itself is fine. */
  uint64_t wrong[] = {0x7ff8, 0x8050, 0x8048, 0, UINT64_MAX};
  for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    CHECK_EQUAL(walk_made(stack, 10, wrong[i], 0x1050, addresses, &count, &guessed),
                UNWIND_NO_RULE);
    CHECK_EQUAL(count, 1);
    CHECK(!guessed);
  }
  CHECK_EQUAL(walk_made(stack, 10, 0x8010, 0x5000, addresses, &count, &guessed), UNWIND_NO_RULE);
  CHECK_EQUAL(count, 3);
  /* Before and after a function has its frame: a return address on top, or below rbp. */
  put_call(0x1180, 0x1040);
  uint64_t none_yet[] = {0x1180, 0, 0x8030, 0x1100, 0, 0, 0x8040, 0x1200};
  CHECK_EQUAL(walk_made(none_yet, 8, 0x8010, 0x1050, addresses, &count, &guessed), UNWIND_NO_RULE);
  CHECK_EQUAL(count, 4);
  CHECK_EQUAL(addresses[1], 0x1180);
  CHECK_EQUAL(addresses[2], 0x1100);
  uint64_t pushed[] = {0x8010, 0x1180, 0x8030, 0x1100, 0, 0, 0x8040, 0x1200};
  CHECK_EQUAL(walk_made(pushed, 8, 0x8010, 0x1050, addresses, &count, &guessed), UNWIND_NO_RULE);
  CHECK_EQUAL(count, 4);
  CHECK_EQUAL(addresses[1], 0x1180);
  CHECK_EQUAL(addresses[3], 0x1200);
  /* A call through a pointer may have led here; one of another function has not, nor what is no
   * call: old return addresses are all over a stack. */
  put_call(0x1180, 0);
  walk_made(none_yet, 8, 0x8010, 0x1050, addresses, &count, &guessed);
  CHECK_EQUAL(addresses[1], 0x1180);
  put_call(0x1180, 0x1060);
  walk_made(none_yet, 8, 0x8010, 0x1050, addresses, &count, &guessed);
  CHECK_EQUAL(addresses[1], 0x1100);
  memset(made_code, 0x90, sizeof made_code);
  walk_made(none_yet, 8, 0x8010, 0x1050, addresses, &count, &guessed);
  CHECK_EQUAL(addresses[1], 0x1100);
  /* Below the innermost frame what lies on top is no matter. */
  uint64_t old[] = {0, 0, 0x8030, 0x1100, 0x1150, 0, 0x8040, 0x1200};
  CHECK_EQUAL(walk_made(old, 8, 0x8010, 0x1050, addresses, &count, &guessed), UNWIND_NO_RULE);
  CHECK_EQUAL(count, 3);
  CHECK_EQUAL(addresses[2], 0x1200);
  /* A frame that is its own caller. */
  uint64_t endless[] = {0x8000, 0x1100};
  CHECK_EQUAL(walk_made(endless, 2, 0x8000, 0x1050, addresses, &count, &guessed), UNWIND_NO_RULE);
  CHECK_EQUAL(count, 2);
}

/* What has tables, but none for this place, may do anything with its frame pointer. */
static void no_guess_where_tables_are(void) {
  uint64_t pc = (uint64_t)undescribed_restorer - 16, addresses[4];
  uint64_t stack[] = {0, 0, 0x8020, (uint64_t)frame_pointers + 1, 0x8030, pc, 0, 0};
  struct unwind_memory memory = {.low = 0x8000, .high = 0x8040, .bytes = stack};
  struct unwind_frame frame = {.known = UNWIND_ALL_KNOWN, .exact = true};
  struct unwind_walk walk;
  uint32_t count;
  frame.registers[UNWIND_RSP] = 0x8000;
  frame.registers[UNWIND_RBP] = 0x8010;
  frame.registers[UNWIND_RIP] = pc;
  unwind_walk_begin(&walk, &frame);
  CHECK_EQUAL(unwind_walk(&walk, &space, &memory, addresses, 4, &count), UNWIND_NO_RULE);
  CHECK_EQUAL(count, 1);
  CHECK(!walk.guessed);
  /* The step alone leaves that to its caller; but the frame must lie in the stack at hand. */
  uint64_t code = (uint64_t)frame_pointers;
  memory.load_elsewhere = load_code;
  memory.context = &code;
  struct unwind_frame below = frame;
  below.registers[UNWIND_RSP] = 0x7000;
  below.registers[UNWIND_RBP] = 0x7800;
  CHECK_EQUAL(unwind_step_by_frame_pointer(&below, &space, &memory), UNWIND_NO_RULE);
  CHECK_EQUAL(unwind_step_by_frame_pointer(&frame, &space, &memory), UNWIND_STEPPED);
  CHECK_EQUAL(frame.registers[UNWIND_RSP], 0x8020);
}

/* ---- stacks that may be anything ---- */

static uint64_t random_state = 88172645463325252u;
static uint64_t random_number(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

static uint64_t random_code(const struct unwind_objects *objects) {
  const struct unwind_object *object = &objects->sorted[random_number() % objects->count];
  return object->start + random_number() % (object->end - object->start);
}

static void hostile_stacks(void) {
  static uint64_t words[WORDS], addresses[300];
  uint32_t ends[UNWIND_NEEDS_ROW + 1] = {0}, deepest = 0;
  struct unwind_memory memory = {.low = 1 << 20, .high = (1 << 20) + sizeof words, .bytes = words};
  for (int round = 0; round < STACKS; round++) {
    if (round % 50 == 0)
      for (int i = 0; i < WORDS; i++)
        words[i] = random_number() % 3 == 0   ? memory.low + random_number() % sizeof words / 8 * 8
                   : random_number() % 8 == 0 ? random_number()
                                              : random_code(space.objects);
    struct unwind_frame frame = {.known = UNWIND_ALL_KNOWN, .exact = random_number() & 1};
    struct unwind_walk walk;
    uint32_t count;
    for (int i = 0; i < UNWIND_REGISTERS; i++)
      frame.registers[i] = memory.low + random_number() % sizeof words;
    frame.registers[UNWIND_RSP] = memory.low;
    frame.registers[UNWIND_RIP] = random_code(space.objects);
    unwind_walk_begin(&walk, &frame);
    enum unwind_end end = unwind_walk(&walk, &space, &memory, addresses, 300, &count);
    ends[end]++;
    if (count > deepest) deepest = count;
  }
  CHECK_EQUAL(ends[UNWIND_STEPPED] + ends[UNWIND_NEEDS_ROW], 0);
  CHECK(ends[UNWIND_NO_RULE] && ends[UNWIND_BAD_MEMORY] && ends[UNWIND_NOT_PROGRESSING]);
  printf("ends:");
  for (int i = 0; i <= UNWIND_NEEDS_ROW; i++)
    printf(" %u", ends[i]);
  printf(", deepest %u\n", deepest);
}

/* What handlers return to: libc has told the kernel. */
static uint64_t restorer(void) {
  struct {
    uint64_t handler, flags, restorer, mask;
  } action = {0};
  syscall(SYS_rt_sigaction, SIGUSR1, NULL, &action, sizeof action.mask);
  return action.restorer;
}

/* A signal frame that has interrupted itself. */
static void endless_signals(void) {
  ucontext_t context = {0};
  struct unwind_memory memory = {
      .low = (uint64_t)&context, .high = (uint64_t)(&context + 1), .bytes = &context};
  struct unwind_frame frame;
  struct unwind_walk walk;
  uint64_t addresses[500];
  uint32_t count;
  context.uc_mcontext.gregs[REG_RIP] = (long long)restorer();
  context.uc_mcontext.gregs[REG_RSP] = (long long)memory.low;
  unwind_frame_from_context(&frame, context.uc_mcontext.gregs);
  unwind_walk_begin(&walk, &frame);
  CHECK_EQUAL(unwind_walk(&walk, &space, &memory, addresses, 500, &count), UNWIND_NOT_PROGRESSING);
  CHECK(count > 50 && count < 100);
}

/* ---- loads ---- */

static bool load_seven(void *context, uint64_t address, uint64_t *value) {
  *value = 7;
  return context == &space && address != 0x1000 + 16;
}

static void loads(void) {
  uint64_t words[2] = {1, 2}, value = 5;
  struct unwind_memory memory = {.low = 0x1000, .high = 0x1010, .bytes = words};
  CHECK(unwind_load(&memory, 0x1000, &value) && value == 1);
  CHECK(unwind_load(&memory, 0x1008, &value) && value == 2);
  CHECK(unwind_load(&memory, 0x1004, &value) && value == 2ull << 32);
  CHECK(!unwind_load(&memory, 0x1009, &value));
  CHECK(!unwind_load(&memory, 0x100f, &value));
  CHECK(!unwind_load(&memory, 0x1010, &value));
  CHECK(!unwind_load(&memory, 0xfff, &value));
  CHECK(!unwind_load(&memory, UINT64_MAX, &value));
  memory.load_elsewhere = load_seven;
  memory.context = &space;
  CHECK(unwind_load(&memory, 0x1009, &value) && value == 7);
  CHECK(unwind_load(&memory, 0x1000, &value) && value == 1);
  CHECK(!unwind_load(&memory, 0x1010, &value));
}

/* ---- the cache ---- */

static struct unwind_rule numbered_rule(uint64_t number) {
  return (struct unwind_rule){
      .kind = UNWIND_RULE_REGISTER, .base = UNWIND_RSP, .offset = (int32_t)number};
}

static uint64_t rules_found(const struct unwind_cache *cache, uint64_t most) {
  uint64_t count = 0;
  for (uint64_t number = 1; number <= most; number++) {
    struct unwind_rule found, rule = numbered_rule(number);
    if (!unwind_cache_find(cache, unwind_cache_key(number, 0), &found)) continue;
    CHECK(memcmp(&found, &rule, sizeof rule) == 0);
    count++;
  }
  return count;
}

/* A rule takes the place of one other at most, whether the table grows or not. */
static void cache_grows(void) {
  static struct unwind_cache_slot slots[64];
  struct unwind_cache cache = {.slots = slots, .mask = 3, .mask_most = 63};
  uint64_t before = 0, found;
  for (uint64_t number = 1; number <= 200; number++, before = found) {
    struct unwind_rule rule;
    unwind_cache_keep(&cache, unwind_cache_key(number, 0), numbered_rule(number));
    CHECK(unwind_cache_find(&cache, unwind_cache_key(number, 0), &rule));
    found = rules_found(&cache, number);
    CHECK(found >= before && found <= cache.mask + 1);
    CHECK(number > 1 || cache.mask == 3);
  }
  CHECK(cache.mask == 63 && before > 32);
}

static void cached_rules(void) {
  struct unwind_cache_slot slots[4] = {0};
  struct unwind_cache cache = {.slots = slots, .mask = 3};
  struct unwind_rule rule = {.kind = UNWIND_RULE_REGISTER, .base = UNWIND_RBP, .offset = 16}, found;
  uint64_t key = unwind_cache_key(0x1234, 1);
  CHECK(!unwind_cache_find(&cache, key, &found));
  unwind_cache_keep(&cache, key, rule);
  CHECK(unwind_cache_find(&cache, key, &found));
  CHECK(memcmp(&found, &rule, sizeof rule) == 0);
  CHECK(!unwind_cache_find(&cache, unwind_cache_key(0x1234, 2), &found));
  CHECK(!unwind_cache_find(&cache, unwind_cache_key(0x1235, 1), &found));
  /* Half of one store and half of another. */
  struct unwind_cache_slot *slot = unwind_cache_slot(&cache, key);
  uint64_t check = slot->check, other = key;
  while (unwind_cache_slot(&cache, ++other) != slot)
    ;
  rule.offset = 24;
  unwind_cache_keep(&cache, other, rule);
  slot->check = check;
  CHECK(!unwind_cache_find(&cache, key, &found));
  CHECK(!unwind_cache_find(&cache, other, &found));
}

int main(void) {
  own_space_read(&space, 4096);
  deep_stack();
  frame_pointers();
  no_guess_where_tables_are();
  hostile_stacks();
  endless_signals();
  loads();
  cached_rules();
  cache_grows();
  return check_result();
}
