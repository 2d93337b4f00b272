#include "runtime/guise/call_filter.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>

struct run {
  const struct sock_filter *filter;
  uint32_t count;
  struct call_filter_state *states;
  uint32_t number; /* of the call */
};

/* Two ways meet: what differs is not known any more. */
static void reach(const struct run *run, uint64_t at, const struct call_filter_state *from) {
  if (at >= run->count) return;
  struct call_filter_state *to = &run->states[at];
  if (!to->reached) {
    *to = *from;
    return;
  }
  to->knows_a &= from->knows_a && to->a == from->a;
  to->knows_x &= from->knows_x && to->x == from->x;
}

static void load(const struct run *run, const struct sock_filter *step,
                 struct call_filter_state *state) {
  state->knows_a = false;
  if (BPF_MODE(step->code) == BPF_IMM) {
    state->a = step->k;
    state->knows_a = true;
  } else if (BPF_MODE(step->code) == BPF_LEN) {
    state->a = sizeof(struct seccomp_data);
    state->knows_a = true;
  } else if (BPF_MODE(step->code) == BPF_ABS && step->k == offsetof(struct seccomp_data, nr)) {
    state->a = run->number;
    state->knows_a = true;
  } else if (BPF_MODE(step->code) == BPF_ABS && step->k == offsetof(struct seccomp_data, arch)) {
    state->a = CALLS_OF;
    state->knows_a = true;
  }
}

static void load_x(const struct sock_filter *step, struct call_filter_state *state) {
  state->knows_x = BPF_MODE(step->code) != BPF_MEM;
  state->x = BPF_MODE(step->code) == BPF_LEN ? sizeof(struct seccomp_data) : step->k;
}

static void compute(const struct sock_filter *step, struct call_filter_state *state) {
  bool uses_x = BPF_SRC(step->code) == BPF_X && BPF_OP(step->code) != BPF_NEG;
  uint32_t by = uses_x ? state->x : step->k;
  state->knows_a &= !uses_x || state->knows_x;
  switch (BPF_OP(step->code)) {
  case BPF_ADD:
    state->a += by;
    return;
  case BPF_SUB:
    state->a -= by;
    return;
  case BPF_AND:
    state->a &= by;
    return;
  case BPF_OR:
    state->a |= by;
    return;
  case BPF_XOR:
    state->a ^= by;
    return;
  case BPF_LSH:
    state->a = by < 32 ? state->a << by : 0;
    return;
  case BPF_RSH:
    state->a = by < 32 ? state->a >> by : 0;
    return;
  case BPF_NEG:
    state->a = 0 - state->a;
    return;
  default:
    state->knows_a = false;
  }
}

static bool holds(const struct sock_filter *step, uint32_t a, uint32_t with) {
  switch (BPF_OP(step->code)) {
  case BPF_JEQ:
    return a == with;
  case BPF_JGT:
    return a > with;
  case BPF_JGE:
    return a >= with;
  default:
    return a & with;
  }
}

static void jump(const struct run *run, uint32_t at, const struct call_filter_state *state) {
  const struct sock_filter *step = &run->filter[at];
  uint64_t next = at + 1ull;
  bool uses_x = BPF_SRC(step->code) == BPF_X;
  if (BPF_OP(step->code) == BPF_JA) {
    reach(run, next + step->k, state);
    return;
  }
  bool known = state->knows_a && (!uses_x || state->knows_x);
  bool taken = known && holds(step, state->a, uses_x ? state->x : step->k);
  if (!known || taken) reach(run, next + step->jt, state);
  if (!known || !taken) reach(run, next + step->jf, state);
}

static bool is_harmless(const struct sock_filter *step, const struct call_filter_state *state) {
  if (BPF_RVAL(step->code) == BPF_A && !state->knows_a) return false;
  uint32_t action = (BPF_RVAL(step->code) == BPF_A ? state->a : step->k) & SECCOMP_RET_ACTION_FULL;
  return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG || action == SECCOMP_RET_ERRNO;
}

/* Jumps lead forward only, so one pass sees all ways to an instruction before it. */
static bool forbids(const struct run *run) {
  for (uint32_t i = 0; i < run->count; i++)
    run->states[i].reached = false;
  const struct call_filter_state first = {.reached = true, .knows_a = true, .knows_x = true};
  reach(run, 0, &first);
  for (uint32_t i = 0; i < run->count; i++) {
    struct call_filter_state state = run->states[i];
    const struct sock_filter *step = &run->filter[i];
    if (!state.reached) continue;
    switch (BPF_CLASS(step->code)) {
    case BPF_RET:
      if (!is_harmless(step, &state)) return true;
      continue;
    case BPF_JMP:
      jump(run, i, &state);
      continue;
    case BPF_LD:
      load(run, step, &state);
      break;
    case BPF_LDX:
      load_x(step, &state);
      break;
    case BPF_ALU:
      compute(step, &state);
      break;
    case BPF_MISC:
      if (BPF_MISCOP(step->code) == BPF_TAX) {
        state.x = state.a;
        state.knows_x = state.knows_a;
      } else {
        state.a = state.x;
        state.knows_a = state.knows_x;
      }
      break;
    default: /* stores: what is loaded again is not known */
      break;
    }
    reach(run, i + 1ull, &state);
  }
  return false;
}

void call_filter_forbid(const struct sock_filter *filter, uint32_t count,
                        struct call_filter_state *states, uint64_t forbidden[SYSTEM_CALLS / 64]) {
  struct run run = {filter, count, states, 0};
  for (; run.number < SYSTEM_CALLS; run.number++)
    if (forbids(&run)) forbidden[run.number / 64] |= 1ull << run.number % 64;
}
