#include "exchange/perf_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char not_named[] = "samples";

struct perf_event *perf_events_find(struct perf_events *events, const char *name, bool weighed) {
  if (!name) name = not_named;
  for (size_t i = 0; i < events->count; i++)
    if (strcmp(events->list[i].name, name) == 0) return &events->list[i];
  if (events->count == MOST_EVENTS) return NULL;
  struct perf_event *event = &events->list[events->count++];
  *event = (struct perf_event){.weighed = weighed};
  stack_profile_open(&event->stacks, "perf script", name);
  event->name = event->stacks.profile->metrics[0].name;
  return event;
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
static int likeness(const struct perf_event *event) {
  static const char *const best[] = {"task-clock",       "cpu-clock",  "cycles",      "cpu-cycles",
                                     "cpu_core/cycles/", "ref-cycles", "instructions"};
  int count = sizeof best / sizeof *best;
  for (int i = 0; i < count; i++)
    if (is_event(event->name, best[i])) return count - i;
  return 0;
}

static size_t best_event(const struct perf_events *events) {
  size_t best = 0;
  for (size_t i = 1; i < events->count; i++) {
    const struct perf_event *a = &events->list[best], *b = &events->list[i];
    int order = likeness(b) - likeness(a);
    if (order > 0 || (order == 0 && b->stacks.all.ticks > a->stacks.all.ticks)) best = i;
  }
  return best;
}

/* "page-faults:u (123 samples), ..." of all events but one. */
static const char *note(const struct perf_events *events, size_t chosen, struct pool *pool) {
  char text[500] = "";
  for (size_t i = 0; i < events->count; i++) {
    size_t length = strlen(text);
    if (i != chosen)
      snprintf(text + length, sizeof text - length, "%s%s (%llu samples)",
               length ? ", " : "other events: ", events->list[i].name,
               (unsigned long long)events->list[i].stacks.all.ticks);
  }
  return text[0] ? pool_string(pool, text) : NULL;
}

static struct profile *finish(struct perf_event *event) {
  struct profile *profile = stack_profile_finish(&event->stacks);
  map_free(&event->functions);
  profile->metrics[0].unit =
      event->weighed ? perf_event_unit(profile->pool, event->name) : not_named;
  return profile;
}

static int find_wanted(const struct perf_events *events, const char *wanted, size_t *chosen,
                       struct error *error) {
  char names[300] = "";
  for (size_t i = 0; i < events->count; i++) {
    const char *name = events->list[i].name;
    if (strcmp(name, wanted) == 0 || is_event(name, wanted)) {
      *chosen = i;
      return 0;
    }
    size_t length = strlen(names);
    snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "", name);
  }
  return error_set(error, "--event %s: no such event; the file has %s", wanted, names);
}

int perf_events_choose(struct perf_events *events, const char *wanted, struct profile **profile,
                       struct error *error) {
  size_t chosen = best_event(events);
  int result = 0;
  if (!events->count)
    result = error_set(error, "no samples in it");
  else if (wanted)
    result = find_wanted(events, wanted, &chosen, error);
  if (result == 0) {
    struct pool *pool = events->list[chosen].stacks.profile->pool;
    const char *left_out = note(events, chosen, pool);
    *profile = finish(&events->list[chosen]);
    (*profile)->origin.note = left_out;
  }
  for (size_t i = 0; i < events->count; i++)
    if (result != 0 || i != chosen) profile_free(finish(&events->list[i]));
  events->count = 0;
  return result;
}
