#include "unwind/trail.h"

#include <stddef.h>

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

static bool is_unchanged(const struct unwind_trail_check *check) {
  return word(check->address) == check->word;
}

/* From the innermost of `count` words on outwards: how many are left where one has changed, with
 * that one; 0: none has. */
static inline uint32_t changed_check(const struct unwind_trail_check *checks, uint32_t count) {
  const struct unwind_trail_check *check = checks + count;
  for (; check - checks >= 4; check -= 4)
    if (!is_unchanged(check - 1) || !is_unchanged(check - 2) || !is_unchanged(check - 3) ||
        !is_unchanged(check - 4))
      break;
  while (check > checks && is_unchanged(check - 1))
    check--;
  return (uint32_t)(check - checks);
}

/* The frame may be kept[candidate - 1] or one further out, and is that if it still leads to the
 * outermost. Where a word has changed, only frames further out may, whose words are still to be
 * looked at: so each is looked at once in a walk. */
static inline bool is_kept(struct unwind_trail *trail, uint64_t rsp, uint64_t rip,
                           const uint64_t *rbp) {
  uint32_t candidate = trail->candidate;
  const struct unwind_trail_frame *kept = trail->kept;
  while (candidate && kept[candidate - 1].rsp < rsp)
    candidate--;
  trail->candidate = candidate;
  if (!candidate) return false;
  kept += candidate - 1;
  if (kept->rsp != rsp || kept->rip != rip || (kept->rests_on_rbp && (!rbp || kept->rbp != *rbp)))
    return false;
  uint32_t changed = changed_check(trail->checks, kept->checks);
  if (__builtin_expect(!changed, 1)) return true;
  while (checks_of(trail, candidate) >= changed)
    candidate--;
  trail->candidate = candidate;
  return false;
}

static bool is_known(struct unwind_trail *trail, const struct unwind_frame *frame,
                     const struct unwind_memory *memory) {
  uint64_t rsp = frame->registers[UNWIND_RSP];
  return !frame->exact && is_inside(memory, rsp) &&
         is_kept(trail, rsp, frame->registers[UNWIND_RIP],
                 frame->known >> UNWIND_RBP & 1 ? &frame->registers[UNWIND_RBP] : NULL);
}

bool unwind_trail_knows_call(struct unwind_trail *trail, uint64_t address, uint64_t stack,
                             uint64_t rbp) {
  bool kept = is_kept(trail, stack, address, &rbp);
  trail->count = trail->candidate; /* what is further in has returned */
  return kept;
}

/* The step of most frames: from their own stack pointer, by a rule that is at hand. What
 * unwind_walk_step and note_step do then; false: it is theirs to do. */
static inline bool step_plainly(struct unwind_walk *walk, const struct unwind_space *space,
                                const struct unwind_memory *memory,
                                struct unwind_trail_frame *noted) {
  struct unwind_frame *frame = &walk->frame;
  uint64_t rsp = noted->rsp, rbp = noted->rbp;
  struct unwind_rule rule;
  if (frame->exact || !is_inside(memory, rsp) ||
      !unwind_cache_find(space->cache, unwind_cache_key(noted->rip - 1, space->generation),
                         &rule) ||
      rule.kind != UNWIND_RULE_REGISTER || rule.base != UNWIND_RSP || rule.offset < 8 ||
      memory->high - rsp < (uint64_t)rule.offset)
    return false;
  uint64_t cfa = rsp + (uint64_t)rule.offset, pc = word(cfa + (uint64_t)RETURN_ADDRESS);
  int64_t rbp_at = rule.offset + 8 * (int64_t)rule.frame_pointer;
  bool passes_rbp = rule.frame_pointer == UNWIND_RBP_UNCHANGED;
  if (!pc || rule.frame_pointer > 0 || rule.frame_pointer <= UNWIND_RBP_UNKNOWN ||
      (!passes_rbp && rbp_at < 0))
    return false;
  uint32_t known = passes_rbp ? frame->known & 1u << UNWIND_RBP : 1u << UNWIND_RBP;
  if (!passes_rbp) {
    rbp = word(rsp + (uint64_t)rbp_at);
    noted->rbp_at = (uint32_t)rbp_at;
  }
  noted->passes_rbp = passes_rbp;
  noted->tellable = true;
  frame->registers[UNWIND_RIP] = pc;
  frame->registers[UNWIND_RSP] = cfa;
  frame->registers[UNWIND_RBP] = rbp;
  frame->known = 1u << UNWIND_RIP | 1u << UNWIND_RSP | known;
  walk->since_complete++;
  return true;
}

/* What a step from the frame may rest on here. */
static void copy_plain(struct unwind_frame *to, const struct unwind_frame *from) {
  to->registers[UNWIND_RSP] = from->registers[UNWIND_RSP];
  to->registers[UNWIND_RIP] = from->registers[UNWIND_RIP];
  to->registers[UNWIND_RBP] = from->registers[UNWIND_RBP];
  to->known = from->known;
  to->exact = from->exact;
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
    struct unwind_trail_frame *noted = *depth < trail->room ? &trail->fresh[*depth] : &unnoted;
    *noted = (struct unwind_trail_frame){.rsp = walk->frame.registers[UNWIND_RSP],
                                         .rip = walk->frame.registers[UNWIND_RIP],
                                         .rbp = walk->frame.registers[UNWIND_RBP],
                                         .load_at = NOWHERE,
                                         .rbp_at = NOWHERE};
    addresses[(*depth)++] = unwind_walk_address(walk);
    if (step_plainly(walk, space, memory, noted)) continue;
    struct unwind_frame frame;
    copy_plain(&frame, &walk->frame);
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
