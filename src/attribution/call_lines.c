#include "attribution/call_lines.h"

#include <stdlib.h>

#include "base/map.h"

/* ---- the ticks ---- */

struct charging {
  const struct profile *profile;
  struct call_lines *lines;
  struct map known; /* (line, callee) -> where in the list */
  size_t *charged;  /* the last tick that was charged to it, from 1 */
};

static uint32_t find_call(struct charging *charging, uint32_t line, uint32_t callee) {
  struct call_lines *lines = charging->lines;
  uint32_t id = map_find_or_add(&charging->known, line, callee, (uint32_t)lines->count);
  if (id < lines->count) return id;
  ARRAY_GROW(lines->list, lines->count);
  ARRAY_GROW(charging->charged, lines->count);
  charging->charged[id] = 0;
  lines->list[lines->count++] = (struct call_line){.line = line, .callee = callee};
  return id;
}

static void charge_tick(struct charging *charging, size_t number) {
  const struct profile *profile = charging->profile;
  const struct profile_metric *metric = profile_metric(profile);
  const struct profile_tick *tick = &metric->ticks[number];
  uint32_t below = tick->line;
  for (uint32_t at = tick->stack; at != NOTHING; at = profile->stacks[at].parent) {
    uint32_t line = profile_stack_line(profile, at);
    if (line != NOTHING && below != NOTHING) {
      uint32_t call = find_call(charging, line, profile->lines[below].function);
      struct amount *total = &charging->lines->list[call].total;
      if (charging->charged[call] != number + 1) *total = amount_sum(*total, tick->amount);
      charging->charged[call] = number + 1;
    }
    below = line;
  }
}

/* ---- the call sites ---- */

uint32_t call_lines_text(const struct profile *profile, const struct profile_site *site) {
  for (uint32_t at = site->expansion; at != NOTHING; at = profile->expansions[at].parent)
    if (profile->expansions[at].function != NOTHING) return profile->expansions[at].function;
  return site->within;
}

static uint64_t place_in(uint32_t function, uint32_t line) {
  return (uint64_t)function << 32 | line;
}

static void find_sites(struct charging *charging) {
  const struct profile *profile = charging->profile;
  struct map places = {0}; /* (file, function and line) -> line */
  uint32_t *of_site = charging->lines->of_site;
  for (uint32_t i = 0; i < profile->line_count; i++) {
    const struct profile_line *line = &profile->lines[i];
    if (line->file && line->line)
      map_find_or_add(&places, (uintptr_t)line->file, place_in(line->function, line->line), i);
  }
  for (size_t i = 0; i < profile->site_count; i++) {
    const struct profile_site *site = &profile->sites[i];
    uint32_t line = UINT32_MAX;
    if (site->file && site->line)
      line = map_find(&places, (uintptr_t)site->file,
                      place_in(call_lines_text(profile, site), site->line));
    uint32_t call = line == UINT32_MAX ? line : map_find(&charging->known, line, site->callee);
    of_site[i] = call == UINT32_MAX ? NOTHING : call;
  }
  map_free(&places);
}

struct call_lines *call_lines_find(const struct profile *profile, const bool *selected) {
  const struct profile_metric *metric = profile_metric(profile);
  struct call_lines *lines = memory_zeroed(1, sizeof *lines);
  struct charging charging = {.profile = profile, .lines = lines};
  lines->known = profile_stacks_known(profile);
  lines->of_site = memory_zeroed(profile->site_count, sizeof *lines->of_site);
  for (size_t i = 0; lines->known && i < metric->tick_count; i++)
    if (selected[metric->ticks[i].context]) charge_tick(&charging, i);
  find_sites(&charging);
  free(charging.charged);
  map_free(&charging.known);
  return lines;
}

void call_lines_free(struct call_lines *lines) {
  if (!lines) return;
  free(lines->list);
  free(lines->of_site);
  free(lines);
}
