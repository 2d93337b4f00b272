#include "attribution/dropped_frames.h"

#include <stdlib.h>

#include "base/memory.h"
#include "profile/context_table.h"
#include "recording/history.h"

struct finding {
  const struct folded_context *contexts;
  const struct profile_transition *steps;
  size_t count, step_count;
  bool *dropped, *stepped; /* by context; a step leads there */
};

/* What no step leads to was made for a tick, below another context. */
static void begin(struct finding *finding) {
  for (size_t i = 0; i < finding->step_count; i++)
    if (finding->steps[i].from != finding->steps[i].to)
      finding->stepped[finding->steps[i].to] = true;
  for (size_t i = 0; i < finding->count; i++) {
    const struct folded_context *context = &finding->contexts[i];
    finding->dropped[i] = context->folds && !finding->stepped[i] && context->prefix == NOTHING;
  }
}

static bool step_drops(const struct finding *finding, const struct profile_transition *step) {
  const struct folded_context *from = &finding->contexts[step->from],
                              *to = &finding->contexts[step->to];
  if (step->from == step->to || !to->folds) return false;
  return finding->dropped[step->from] || to->length != from->length + 1;
}

/* A context and its prefix have all entries that are not marked in common. */
static bool prefix_shares(const struct finding *finding, size_t id) {
  const struct folded_context *context = &finding->contexts[id];
  if (!context->folds || context->prefix == NOTHING) return false;
  bool *own = &finding->dropped[id], *prefix = &finding->dropped[context->prefix];
  if (*own == *prefix) return false;
  *own = *prefix = true;
  return true;
}

/* True: there may be more to find. */
static bool pass(struct finding *finding) {
  bool changed = false;
  for (size_t i = 0; i < finding->step_count; i++) {
    bool *dropped = &finding->dropped[finding->steps[i].to];
    if (*dropped || !step_drops(finding, &finding->steps[i])) continue;
    *dropped = changed = true;
  }
  for (size_t i = 0; i < finding->count; i++)
    changed |= prefix_shares(finding, i);
  return changed;
}

bool *dropped_frames_find(const struct folded_context *contexts, size_t count,
                          const struct profile_transition *steps, size_t step_count) {
  struct finding finding = {contexts, steps, count, step_count};
  finding.dropped = memory_zeroed(count, sizeof *finding.dropped);
  finding.stepped = memory_zeroed(count, sizeof *finding.stepped);
  begin(&finding);
  while (pass(&finding)) {
  }
  free(finding.stepped);
  return finding.dropped;
}

bool *dropped_frames_of(const struct profile *profile) {
  struct context_table table;
  struct folded_context *contexts = memory_zeroed(profile->context_count, sizeof *contexts);
  context_table_open(&table, (struct profile *)profile);
  for (size_t i = 0; i < profile->context_count; i++) {
    const struct profile_context *context = &profile->contexts[i];
    uint32_t prefix = NOTHING;
    if (context->length)
      prefix = context_find(&table, context->thread, context->history, context->length - 1);
    contexts[i] = (struct folded_context){context->length, prefix < i ? prefix : NOTHING,
                                          !stack_is_whole(context->history, context->length)};
  }
  bool *dropped = dropped_frames_find(contexts, profile->context_count, profile->transitions,
                                      profile->transition_count);
  context_table_close(&table);
  free(contexts);
  return dropped;
}
