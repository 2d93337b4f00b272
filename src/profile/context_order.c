#include "profile/context_order.h"

#include <stdlib.h>

/* By length, shortest first: where a context goes. */
static uint32_t *new_positions(const struct profile *profile) {
  size_t longest = 0;
  for (size_t i = 0; i < profile->context_count; i++)
    if (profile->contexts[i].length > longest) longest = profile->contexts[i].length;
  uint32_t *next = memory_zeroed(longest + 2, sizeof *next);
  uint32_t *positions = memory_zeroed(profile->context_count, sizeof *positions);
  for (size_t i = 0; i < profile->context_count; i++)
    next[profile->contexts[i].length + 1]++;
  for (size_t length = 0; length < longest; length++)
    next[length + 1] += next[length];
  for (size_t i = 0; i < profile->context_count; i++)
    positions[i] = next[profile->contexts[i].length]++;
  free(next);
  return positions;
}

static void move_metric(struct profile_metric *metric, const uint32_t *ids) {
  for (size_t i = 0; i < metric->tick_count; i++)
    metric->ticks[i].context = ids[metric->ticks[i].context];
  for (size_t i = 0; i < metric->spread_count; i++)
    if (metric->spreads[i].context != NOTHING)
      metric->spreads[i].context = ids[metric->spreads[i].context];
}

void contexts_move_ticks(struct profile *profile, const uint32_t *ids) {
  for (size_t i = 0; i < profile->metric_count; i++)
    move_metric(&profile->metrics[i], ids);
  for (size_t i = 0; i < profile->thread_count; i++)
    if (profile->threads[i].spawned_in != NOTHING)
      profile->threads[i].spawned_in = ids[profile->threads[i].spawned_in];
}

void contexts_renumber(struct profile *profile, const uint32_t *ids) {
  contexts_move_ticks(profile, ids);
  for (size_t i = 0; i < profile->transition_count; i++) {
    profile->transitions[i].from = ids[profile->transitions[i].from];
    profile->transitions[i].to = ids[profile->transitions[i].to];
  }
}

/* Returns where the contexts went. */
static uint32_t *order(struct profile *profile) {
  uint32_t *positions = new_positions(profile);
  struct profile_context *ordered = memory_zeroed(profile->context_count, sizeof *ordered);
  for (size_t i = 0; i < profile->context_count; i++)
    ordered[positions[i]] = profile->contexts[i];
  free(profile->contexts);
  profile->contexts = ordered;
  contexts_renumber(profile, positions);
  return positions;
}

static void move_centres(struct profile_metric *metric, const uint32_t *ids) {
  for (size_t i = 0; i < metric->tick_count; i++)
    if (metric->ticks[i].centre != NOTHING) metric->ticks[i].centre = ids[metric->ticks[i].centre];
}

void contexts_order(struct profile *profile) {
  free(order(profile));
  if (!profile->centres) return;
  uint32_t *ids = order(profile->centres);
  for (size_t i = 0; i < profile->metric_count; i++)
    move_centres(&profile->metrics[i], ids);
  free(ids);
}
