#include "attribution/cycles.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "recording/history.h"

struct search {
  struct cycles *cycles;
  struct hash_index index;
  uint32_t *path, *turned;
  uint32_t *seen_in; /* by cycle: the context, + 1, in which ticks found it last */
  size_t seen_count;
};

/* Where `function` is active below the running function, or NOTHING. */
static uint32_t active_position(const struct profile_context *context, uint32_t function) {
  for (uint32_t i = 0; i + 1 < context->length; i++)
    if (context->history[i] == history_entry(function, true)) return i;
  return NOTHING;
}

/* The functions from position `start` on, before `end`.  Two unmarked neighbours did not call one
 * another. */
static uint32_t take_path(struct search *search, const struct profile_context *context,
                          uint32_t start, uint32_t end) {
  size_t needed = 2 * (size_t)context->length;
  ARRAY_ROOM(search->path, needed);
  ARRAY_ROOM(search->turned, needed);
  uint32_t length = 0;
  for (uint32_t i = start; i < end; i++) {
    bool gap = i > start && !history_marked(context->history[i]) &&
               !history_marked(context->history[i - 1]);
    if (gap) search->path[length++] = NOTHING;
    search->path[length++] = history_function(context->history[i]);
  }
  return length;
}

static bool starts_smaller(const uint32_t *path, uint32_t length, uint32_t a, uint32_t b) {
  for (uint32_t i = 0; i < length; i++) {
    uint32_t left = path[(a + i) % length], right = path[(b + i) % length];
    if (left != right) return left < right;
  }
  return false;
}

/* One cycle can be entered at each of its functions: turn it to one form. */
static void turn(struct search *search, uint32_t length) {
  uint32_t best = 0;
  for (uint32_t start = 1; start < length; start++)
    if (starts_smaller(search->path, length, start, best)) best = start;
  for (uint32_t i = 0; i < length; i++)
    search->turned[i] = search->path[(best + i) % length];
}

static int is_cycle(const void *cycles, uint32_t index, const void *key) {
  const struct cycle *known = (const struct cycle *)cycles + index, *wanted = key;
  return known->length == wanted->length &&
         memcmp(known->functions, wanted->functions, known->length * sizeof(uint32_t)) == 0;
}

/* The id of the cycle in `turned`, or NOTHING if there are too many. */
static uint32_t find_cycle(struct search *search, uint32_t length) {
  struct cycles *cycles = search->cycles;
  struct cycle wanted = {search->turned, length, 0, 0};
  uint64_t hash = length;
  for (uint32_t i = 0; i < length; i++)
    hash = hash_mix(hash ^ search->turned[i]);
  uint32_t known = hash_index_find(&search->index, hash, is_cycle, cycles->list, &wanted);
  if (known != HASH_INDEX_NONE) return known;
  if (cycles->count == MOST_CYCLES) return NOTHING;
  uint32_t *copy = pool_allocate(cycles->pool, length * sizeof *copy);
  memcpy(copy, search->turned, length * sizeof *copy);
  wanted.functions = copy;
  hash_index_add(&search->index, hash, cycles->count);
  ARRAY_GROW(cycles->list, cycles->count);
  cycles->list[cycles->count] = wanted;
  return cycles->count++;
}

/* ---- cycles that calls closed ---- */

static void add_calls(struct search *search, const struct profile *profile, const bool *selected) {
  struct cycles *cycles = search->cycles;
  for (size_t i = 0; i < profile->transition_count; i++) {
    const struct profile_transition *transition = &profile->transitions[i];
    const struct profile_context *from = &profile->contexts[transition->from];
    uint32_t callee = context_running(&profile->contexts[transition->to]);
    if (!transition->count || !selected[transition->to] || callee == context_running(from))
      continue;
    uint32_t start = active_position(from, callee);
    if (start == NOTHING) continue;
    uint32_t length = take_path(search, from, start, from->length);
    turn(search, length);
    uint32_t cycle = find_cycle(search, length);
    *(cycle == NOTHING ? &cycles->more_calls : &cycles->list[cycle].calls) += transition->count;
  }
}

/* ---- cycles that ticks found ---- */

static uint32_t next_activation(const struct profile_context *context, uint32_t position) {
  uint32_t function = history_function(context->history[position]);
  for (uint32_t i = position + 1; i < context->length; i++)
    if (history_function(context->history[i]) == function) return i;
  return NOTHING;
}

/* Between functions with hooks every call was counted.  Of a stretch that the history does not
 * tell, which is older than others, another tick may have seen all. */
static bool is_news(const struct search *search, const struct profile *profile, uint32_t length) {
  bool counted = profile->transition_count > 0;
  for (uint32_t i = 0; i < length; i++) {
    if (search->path[i] == NOTHING) return false;
    counted &= profile->functions[search->path[i]].kind == FUNCTION_COUNTED;
  }
  return !counted;
}

/* A context counts once for a cycle. */
static void add_seen(struct search *search, uint32_t length, uint32_t context, uint64_t ticks) {
  struct cycles *cycles = search->cycles;
  turn(search, length);
  uint32_t id = find_cycle(search, length);
  if (id == NOTHING) {
    cycles->more_seen++;
    return;
  }
  ARRAY_GROW(search->seen_in, id);
  while (search->seen_count <= id)
    search->seen_in[search->seen_count++] = 0;
  if (search->seen_in[id] == context + 1) return;
  search->seen_in[id] = context + 1;
  cycles->list[id].ticks += ticks;
}

static void add_ticks(struct search *search, const struct profile *profile, uint32_t id) {
  const struct profile_context *context = &profile->contexts[id];
  for (uint32_t i = 0; i < context->length; i++) {
    if (history_marked(context->history[i])) continue;
    uint32_t next = next_activation(context, i);
    if (next == NOTHING || next == i + 1) continue; /* direct recursion is not a cycle */
    uint32_t length = take_path(search, context, i, next);
    if (is_news(search, profile, length))
      add_seen(search, length, id, context_self(profile, id).ticks);
  }
}

static int more_calls_first(const void *left, const void *right) {
  const struct cycle *a = left, *b = right;
  if (a->calls != b->calls) return a->calls > b->calls ? -1 : 1;
  if (a->ticks != b->ticks) return a->ticks > b->ticks ? -1 : 1;
  uint32_t shorter = a->length < b->length ? a->length : b->length;
  int order = memcmp(a->functions, b->functions, shorter * sizeof(uint32_t));
  return order ? order : (a->length > b->length) - (a->length < b->length);
}

struct cycles *cycles_find(const struct profile *profile, const struct selection *selection) {
  struct cycles *cycles = memory_zeroed(1, sizeof *cycles);
  cycles->pool = pool_create();
  struct search search = {.cycles = cycles};
  bool *selected = costs_select(profile, selection);
  add_calls(&search, profile, selected);
  for (size_t i = 0; i < profile->context_count; i++)
    if (selected[i] && context_self(profile, i).ticks) add_ticks(&search, profile, i);
  free(selected);
  free(search.seen_in);
  free(search.path);
  free(search.turned);
  hash_index_free(&search.index);
  if (cycles->count) qsort(cycles->list, cycles->count, sizeof *cycles->list, more_calls_first);
  return cycles;
}

void cycles_free(struct cycles *cycles) {
  if (!cycles) return;
  pool_free(cycles->pool);
  free(cycles->list);
  free(cycles);
}
