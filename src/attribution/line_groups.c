#include "attribution/line_groups.h"

#include <stdlib.h>

struct charging {
  const struct profile *profile;
  const uint32_t *group;
  struct amount *totals;
  size_t *charged; /* by group: the last tick that was charged to it, from 1 */
};

static void charge_line(struct charging *charging, uint32_t line, size_t tick) {
  const struct profile_metric *metric = profile_metric(charging->profile);
  if (line == NOTHING) return;
  uint32_t group = charging->group ? charging->group[line] : line;
  if (group == NOTHING || charging->charged[group] == tick + 1) return;
  charging->charged[group] = tick + 1;
  charging->totals[group] = amount_sum(charging->totals[group], metric->ticks[tick].amount);
}

static void charge_tick(struct charging *charging, size_t tick) {
  const struct profile *profile = charging->profile;
  const struct profile_metric *metric = profile_metric(profile);
  charge_line(charging, metric->ticks[tick].line, tick);
  for (uint32_t at = metric->ticks[tick].stack; at != NOTHING; at = profile->stacks[at].parent)
    charge_line(charging, profile_stack_line(profile, at), tick);
}

struct amount *line_group_totals(const struct profile *profile, const bool *selected,
                                 const uint32_t *group, size_t group_count) {
  const struct profile_metric *metric = profile_metric(profile);
  if (!profile_stacks_known(profile)) return NULL;
  struct charging charging = {.profile = profile, .group = group};
  charging.totals = memory_zeroed(group_count, sizeof *charging.totals);
  charging.charged = memory_zeroed(group_count, sizeof *charging.charged);
  for (size_t i = 0; i < metric->tick_count; i++)
    if (selected[metric->ticks[i].context]) charge_tick(&charging, i);
  free(charging.charged);
  return charging.totals;
}
