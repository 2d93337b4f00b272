#include "unwind/trail.h"

#define NOWHERE UINT32_MAX
#define RETURN_ADDRESS (-8) /* from the caller's stack pointer */
#define CHECKS_MOST 3       /* of a frame */

static uint32_t checks_of(const struct unwind_trail *trail, uint32_t count) {
  return count ? trail->kept[count - 1].checks : 0;
}

uint64_t unwind_trail_bytes(uint32_t room) {
  return room *
         (2 * sizeof(struct unwind_trail_frame) + CHECKS_MOST * sizeof(struct unwind_trail_check));
}

void unwind_trail_enlarge(struct unwind_trail *trail, void *memory, uint32_t room) {
  struct unwind_trail_frame *frames = memory;
  struct unwind_trail_check *checks = (void *)(frames + 2 * (uint64_t)room);
  for (uint32_t i = 0; i < trail->room; i++) {
    frames[i] = trail->kept[i];
    frames[room + i] = trail->fresh[i];
  }
  for (uint32_t i = 0; i < checks_of(trail, trail->count); i++)
    checks[i] = trail->checks[i];
  trail->kept = frames;
  trail->fresh = frames + room;
  trail->checks = checks;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  trail->room = room;
}

void unwind_trail_begin(struct unwind_trail *trail, uint64_t generation, uint64_t high) {
  if (trail->generation != generation || trail->high != high) trail->count = 0;
  trail->generation = generation;
  trail->high = high;
  trail->candidate = trail->count;
}

/* ---- what a step rests on ---- */

static bool is_inside(const struct unwind_memory *memory, uint64_t sp) {
  return sp - memory->low < memory->high - memory->low;
}

static bool is_plain(struct unwind_rule rule, const struct unwind_frame *frame) {
  return (rule.kind == UNWIND_RULE_REGISTER || rule.kind == UNWIND_RULE_LOAD ||
          rule.kind == UNWIND_RULE_PLT) &&
         (rule.base == UNWIND_RSP || rule.base == UNWIND_RBP) && frame->known >> rule.base & 1;
}

/* From the frame's stack pointer; NOWHERE: not in its part of the stack. */
static uint32_t place(const struct unwind_frame *frame, uint64_t address, uint64_t high) {
  uint64_t at = address - frame->registers[UNWIND_RSP];
  return address <= high - 8 && at < NOWHERE ? (uint32_t)at : NOWHERE;
}

static void note_load(struct unwind_trail_frame *noted, struct unwind_rule rule,
                      const struct unwind_frame *frame, uint64_t high, uint64_t cfa) {
  if (rule.kind != UNWIND_RULE_LOAD) return;
  noted->load_at = place(frame, frame->registers[rule.base] + (uint64_t)(int64_t)rule.offset, high);
  noted->loaded = cfa - (uint64_t)(int64_t)rule.addend;
  noted->tellable &= noted->load_at != NOWHERE;
}

static void note_rbp(struct unwind_trail_frame *noted, struct unwind_rule rule,
                     const struct unwind_frame *frame, uint64_t high, uint64_t cfa) {
  bool at_rbp = rule.frame_pointer == UNWIND_RBP_AT_RBP;
  uint64_t at =
      at_rbp ? frame->registers[UNWIND_RBP] : cfa + 8 * (uint64_t)(int64_t)rule.frame_pointer;
  noted->uses_rbp = rule.base == UNWIND_RBP || at_rbp;
  noted->passes_rbp =
      rule.frame_pointer == UNWIND_RBP_UNCHANGED || (at_rbp && unwind_rbp_is_callers(frame, cfa));
  if (noted->passes_rbp || rule.frame_pointer == UNWIND_RBP_UNKNOWN) return;
  noted->rbp_at = place(frame, at, high);
  noted->tellable &= noted->rbp_at != NOWHERE;
}

/* The rule has led from the frame to a caller whose stack pointer is `cfa`. */
static void note_step(struct unwind_trail_frame *noted, struct unwind_rule rule,
                      const struct unwind_frame *frame, const struct unwind_memory *memory,
                      uint64_t cfa) {
  noted->tellable = !frame->exact && is_plain(rule, frame) && cfa <= memory->high &&
                    is_inside(memory, frame->registers[UNWIND_RSP]);
  if (!noted->tellable) return;
  note_load(noted, rule, frame, memory->high, cfa);
  note_rbp(noted, rule, frame, memory->high, cfa);
}

/* ---- what is remembered ---- */

static uint64_t word(uint64_t address) {
  return *(const unwind_stack_word *)address;
}

static bool is_same(const struct unwind_trail_frame *kept, const struct unwind_frame *frame) {
  return kept->rsp == frame->registers[UNWIND_RSP] && kept->rip == frame->registers[UNWIND_RIP] &&
         (!kept->rests_on_rbp ||
          (frame->known >> UNWIND_RBP & 1 && kept->rbp == frame->registers[UNWIND_RBP]));
}

/* Whether no word has changed that the frames from kept[count - 1] on outwards rest on. */
static bool leads_out(const struct unwind_trail *trail, uint32_t count) {
  const struct unwind_trail_check *first = trail->checks, *check = first + checks_of(trail, count);
  while (check > first) {
    check--;
    if (word(check->address) != check->word) return false;
  }
  return true;
}

/* Whether the frame is kept[candidate - 1], and that still leads to the outermost. */
static bool is_known(struct unwind_trail *trail, const struct unwind_frame *frame,
                     const struct unwind_memory *memory) {
  uint64_t sp = frame->registers[UNWIND_RSP];
  while (trail->candidate && trail->kept[trail->candidate - 1].rsp < sp)
    trail->candidate--;
  if (!trail->candidate || frame->exact || !is_inside(memory, sp) ||
      !is_same(&trail->kept[trail->candidate - 1], frame))
    return false;
  if (!leads_out(trail, trail->candidate)) trail->candidate = 0;
  return trail->candidate;
}

enum unwind_end unwind_trail_walk(struct unwind_trail *trail, struct unwind_walk *walk,
                                  const struct unwind_space *space,
                                  const struct unwind_memory *memory, uint64_t *addresses,
                                  uint32_t most, uint32_t *depth) {
  struct unwind_trail_frame unnoted;
  trail->closed = false;
  while (*depth < most) {
    if (is_known(trail, &walk->frame, memory)) {
      trail->count = trail->candidate;
      return UNWIND_STEPPED;
    }
    const struct unwind_frame frame = walk->frame;
    struct unwind_trail_frame *noted = *depth < trail->room ? &trail->fresh[*depth] : &unnoted;
    *noted = (struct unwind_trail_frame){.rsp = frame.registers[UNWIND_RSP],
                                         .rip = frame.registers[UNWIND_RIP],
                                         .rbp = frame.registers[UNWIND_RBP],
                                         .load_at = NOWHERE,
                                         .rbp_at = NOWHERE};
    addresses[(*depth)++] = unwind_walk_address(walk);
    struct unwind_rule rule;
    enum unwind_end end = unwind_walk_step(walk, space, memory, &rule);
    if (end == UNWIND_STEPPED) {
      note_step(noted, rule, &frame, memory, walk->frame.registers[UNWIND_RSP]);
    } else {
      noted->tellable = rule.kind == UNWIND_RULE_OUTERMOST && !frame.exact;
      trail->count = 0;
      return end;
    }
  }
  trail->closed = true; /* unless the walk goes on */
  return UNWIND_MORE;
}

static void add_check(const struct unwind_trail *trail, struct unwind_trail_frame *of,
                      uint64_t address, uint64_t value) {
  trail->checks[of->checks++] = (struct unwind_trail_check){address, value};
}

/* The words that lead from the frame to its caller, which is kept. */
static void add_checks(const struct unwind_trail *trail, struct unwind_trail_frame *of,
                       const struct unwind_trail_frame *caller) {
  add_check(trail, of, caller->rsp + (uint64_t)RETURN_ADDRESS, caller->rip);
  if (of->load_at != NOWHERE) add_check(trail, of, of->rsp + of->load_at, of->loaded);
  if (caller->rests_on_rbp && of->rbp_at != NOWHERE)
    add_check(trail, of, of->rsp + of->rbp_at, caller->rbp);
}

void unwind_trail_keep(struct unwind_trail *trail, uint32_t told, uint32_t value) {
  trail->closed |=
      told >= trail->room || trail->count == trail->room || !trail->fresh[told].tellable;
  if (trail->closed) return;
  struct unwind_trail_frame *kept = &trail->kept[trail->count];
  *kept = trail->fresh[told];
  kept->value = value;
  kept->rests_on_rbp =
      kept->uses_rbp || (kept->passes_rbp && trail->count && kept[-1].rests_on_rbp);
  kept->checks = checks_of(trail, trail->count);
  if (trail->count) add_checks(trail, kept, kept - 1);
  trail->count++;
}
