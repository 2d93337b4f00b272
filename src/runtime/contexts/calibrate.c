#include <stdbool.h>
#include <stddef.h>

#include "runtime/contexts/calibrate.h"

#include "runtime/arch/processor.h"
#include "runtime/contexts/hook_trees.h"
#include "runtime/registry/storage.h"

#define TREES 4 /* in a round */
#define WARM_ROUNDS 2
#define START_ROUNDS 9
#define ROUNDS_KEPT 64
#define FIRST_TICKS 4 /* of so many, one measures, at first */

/* Trees with hooks of a kind, and what part of the cost there hooks have in programs, in
 * hundredths. Between their calls programs do more, which the processor does beside the hooks; and
 * their tables are larger than its nearest cache. Seen in programs: 0.40 to 0.97. Counters may be
 * hidden altogether. Hooks with frames call the runtime, which takes several times as long as the
 * look at one slot that stands for it in their tree. */
struct hook_kind {
  void (*tree)(unsigned depth);
  uint32_t hooks_per_call, least_part, most_part;
};
static const struct hook_kind inline_hooks = {tree_hooked, 1, 36, 140},
                              hooks_with_frames = {tree_framed, 1, 150, 700},
                              counters = {tree_counted, TREE_COUNTERS, 0, 200};

static struct {
  const struct hook_kind *kind; /* that the program has; null: not started */
  uint32_t more;                /* thousandths of a cycle: calibrate_add */
  int busy;                     /* atomic: one thread at a time */
  uint32_t ticks, each;         /* ticks so far (atomic); one of each `each` measures */
  uint32_t count;
  uint32_t rounds[ROUNDS_KEPT]; /* thousandths of a cycle that a hook took, ascending */
} calibration;

static uint64_t cycles_of(void (*tree)(unsigned depth)) {
  uint64_t start = time_stamp_in_order();
  for (int i = 0; i < TREES; i++)
    tree(TREE_DEPTH);
  return time_stamp_in_order() - start;
}

static uint32_t measure(void) {
  uint64_t bare = cycles_of(tree_bare), with = cycles_of(calibration.kind->tree);
  uint64_t hooks = TREES * TREE_CALLS * calibration.kind->hooks_per_call;
  uint64_t millicycles = with > bare ? (with - bare) * 1000 / hooks : 0;
  return millicycles < UINT32_MAX ? (uint32_t)millicycles : UINT32_MAX;
}

/* Every second one, so that what is left is spread as all were. */
static void thin_out(void) {
  for (uint32_t i = 0; i < ROUNDS_KEPT / 2; i++)
    calibration.rounds[i] = calibration.rounds[2 * i + 1];
  calibration.count = ROUNDS_KEPT / 2;
  calibration.each *= 2;
}

static void keep(uint32_t millicycles) {
  if (calibration.count == ROUNDS_KEPT) thin_out();
  uint32_t at = calibration.count++;
  for (; at && calibration.rounds[at - 1] > millicycles; at--)
    calibration.rounds[at] = calibration.rounds[at - 1];
  calibration.rounds[at] = millicycles;
}

static void note(void) {
  struct recording_header *header = storage_header();
  uint64_t median = calibration.count ? calibration.rounds[calibration.count / 2] : 0;
  const struct hook_kind *kind = calibration.kind;
  header->hook_low = (uint32_t)(median * kind->least_part / 100) + calibration.more;
  header->hook_high = (uint32_t)(median * kind->most_part / 100) + 2 * calibration.more;
}

static const struct hook_kind *kind_of(uint32_t hooks) {
  if (hooks == HOOKS_COUNTS) return &counters;
  bool frames = hooks & HOOKS_CONTEXTS_HEADER && !(hooks & HOOKS_CONTEXTS_PLUGIN);
  return frames ? &hooks_with_frames : &inline_hooks;
}

void calibrate_start(uint32_t hooks) {
  hook_trees_prepare();
  calibration.kind = kind_of(hooks);
  calibration.each = FIRST_TICKS;
  for (int round = -WARM_ROUNDS; round < START_ROUNDS; round++) {
    uint32_t millicycles = measure();
    if (round >= 0) keep(millicycles);
  }
  note();
}

void calibrate_add(uint32_t millicycles) {
  calibration.more = millicycles;
  note();
}

void calibrate_in_tick(void) {
  if (!calibration.kind || !storage_header()->hooks || time_stamp_is_forbidden()) return;
  if (__atomic_fetch_add(&calibration.ticks, 1, __ATOMIC_RELAXED) % calibration.each) return;
  if (__atomic_exchange_n(&calibration.busy, 1, __ATOMIC_ACQUIRE)) return;
  measure(); /* what the handler's caches lack */
  keep(measure());
  note();
  __atomic_store_n(&calibration.busy, 0, __ATOMIC_RELEASE);
}
