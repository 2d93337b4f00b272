#include "exchange/perf_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char not_named[] = "samples";

static const char *event_name(const struct perf_events *events, uint32_t i) {
  return events->stacks.profile->metrics[i].name;
}

uint32_t perf_events_find(struct perf_events *events, const char *name, bool weighed) {
  if (!name) name = not_named;
  for (uint32_t i = 0; i < events->count; i++)
    if (strcmp(event_name(events, i), name) == 0) return i;
  if (events->count == METRICS_MOST) return NOTHING;
  if (!events->count) stack_profile_open(&events->stacks, "perf script", name);
  struct profile *profile = events->stacks.profile;
  if (events->count) metrics_add(profile, METRIC_GIVEN, pool_string(profile->pool, name), NULL);
  struct profile_metric *metric = &profile->metrics[events->count];
  metric->unit = weighed ? perf_event_unit(profile->pool, name) : not_named;
  events->weighed[events->count] = weighed;
  return events->count++;
}

/* Length of the name without modifiers (perf-list(1)): "cycles:upp" is cycles; but the colon of
 * "sched:sched_switch" is a tracepoint's. */
static size_t base_length(const char *event) {
  const char *colon = strrchr(event, ':');
  if (!colon || colon == event) return strlen(event);
  return colon[1 + strspn(colon + 1, "ukhGHIpPSDWeb")] ? strlen(event) : (size_t)(colon - event);
}

static bool is_event(const char *event, const char *name) {
  return base_length(event) == strlen(name) && strncmp(event, name, strlen(name)) == 0;
}

const char *perf_event_unit(struct pool *pool, const char *event) {
  enum { MOST_UNIT = 30 };
  char unit[MOST_UNIT + 1];
  if (is_event(event, "cpu-clock") || is_event(event, "task-clock")) return NULL;
  snprintf(unit, sizeof unit, "%.*s", (int)base_length(event), event);
  return pool_string(pool, unit);
}

/* How much an event is like CPU time. */
static int likeness(const char *event) {
  static const char *const best[] = {"task-clock",       "cpu-clock",  "cycles",      "cpu-cycles",
                                     "cpu_core/cycles/", "ref-cycles", "instructions"};
  int count = sizeof best / sizeof *best;
  for (int i = 0; i < count; i++)
    if (is_event(event, best[i])) return count - i;
  return 0;
}

static uint32_t best_event(const struct perf_events *events) {
  const struct amount *all = events->stacks.all;
  uint32_t best = 0;
  for (uint32_t i = 1; i < events->count; i++) {
    int order = likeness(event_name(events, i)) - likeness(event_name(events, best));
    if (order > 0 || (order == 0 && all[i].ticks > all[best].ticks)) best = i;
  }
  return best;
}

static int find_wanted(const struct perf_events *events, const char *wanted, uint32_t *chosen,
                       struct error *error) {
  char names[300] = "";
  for (uint32_t i = 0; i < events->count; i++) {
    const char *name = event_name(events, i);
    if (strcmp(name, wanted) == 0 || is_event(name, wanted)) {
      *chosen = i;
      return 0;
    }
    size_t length = strlen(names);
    snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "", name);
  }
  return error_set(error, "--event %s: no such event; the file has %s", wanted, names);
}

int perf_events_finish(struct perf_events *events, const char *wanted, struct profile **profile,
                       struct error *error) {
  if (!events->count) return error_set(error, "no samples in it");
  uint32_t first = best_event(events);
  int result = wanted ? find_wanted(events, wanted, &first, error) : 0;
  metrics_put_first(events->stacks.profile, first);
  struct profile *made = stack_profile_finish(&events->stacks);
  if (result == 0)
    *profile = made;
  else
    profile_free(made);
  return result;
}
