#include "attribution/tail_calls/tail_contexts.h"

#include <stdlib.h>
#include <string.h>

#include "recording/history.h"

/* Each round takes out the chains that contradict others. */
enum { MOST_ROUNDS = 16 };

struct mapping {
  struct context_table *table;
  struct profile *profile;
  struct tail_missing *missing;
  size_t count;         /* contexts to be mapped: those that were there before */
  size_t *first;        /* by context: where its transitions begin in by_from; one more at end */
  uint32_t *by_from;    /* transitions, grouped by where they start */
  bool *entered;        /* by context: a transition leads into it from another */
  uint32_t *map;        /* by context: what it becomes; NOTHING: not reached yet */
  uint32_t *reached_by; /* by context: from which one it was reached first, or NOTHING */
  uint32_t *queue;
  size_t queue_head, queue_end;
  uint32_t *visited; /* by context: the last comparison of ways that met it */
  uint32_t comparisons;
  bool contradiction;
};

/* ---- steps ---- */

enum { SHORT_HISTORY = 256 };

/* The history after a call of `function`; `room` is used if it is long enough. */
static uint32_t *stepped(const struct profile_context *context, uint32_t function, uint32_t *room,
                         uint32_t *length) {
  uint32_t *history = room;
  if (context->length >= SHORT_HISTORY)
    history = memory_resized(NULL, context->length + 1, sizeof *history);
  *length = history_step(context->history, context->length, function, history);
  return history;
}

static uint32_t step(struct context_table *table, uint32_t from, uint32_t function) {
  const struct profile_context *context = &table->profile->contexts[from];
  uint32_t room[SHORT_HISTORY], length;
  if (history_is_running(context->history, context->length, function)) return from;
  uint32_t *history = stepped(context, function, room, &length);
  uint32_t to = context_intern(table, context->thread, history, length);
  if (history != room) free(history);
  return to;
}

/* Whether a call of its running function from `from` leads to `to`. */
static bool leads_to(const struct profile *profile, uint32_t from, uint32_t to) {
  const struct profile_context *context = &profile->contexts[from], *after = &profile->contexts[to];
  uint32_t room[SHORT_HISTORY], length, function = context_running(after);
  if (function == NOTHING || context->thread != after->thread) return false;
  if (history_is_running(context->history, context->length, function)) return from == to;
  uint32_t *history = stepped(context, function, room, &length);
  bool same =
      length == after->length && memcmp(history, after->history, length * sizeof *history) == 0;
  if (history != room) free(history);
  return same;
}

uint32_t tail_contexts_after(struct context_table *table, uint32_t from,
                             const struct tail_chain *chain) {
  for (uint32_t i = 0; i < chain->length; i++)
    from = step(table, from, chain->from[i]);
  return from;
}

/* ---- ways ---- */

/* The chain before the calls that lead into a context, or null. */
static const struct tail_chain *chain_into(const struct mapping *mapping, uint32_t context) {
  uint32_t chain = mapping->missing->by_context[context];
  return chain == CHAIN_NONE ? NULL : &mapping->missing->chains[chain];
}

/* Take out the chains that are only on the first of two ways to a context; `mark` stands on all
 * contexts of the other way. Returns whether there was one. */
static bool take_out(struct mapping *mapping, uint32_t way, uint32_t mark) {
  bool any = false;
  for (uint32_t at = way; at != NOTHING; at = mapping->reached_by[at]) {
    if (mapping->visited[at] == mark || !chain_into(mapping, at)) continue;
    mapping->missing->by_context[at] = CHAIN_NONE;
    any = true;
  }
  return any;
}

static uint32_t mark_way(struct mapping *mapping, uint32_t way) {
  uint32_t mark = ++mapping->comparisons;
  for (uint32_t at = way; at != NOTHING; at = mapping->reached_by[at])
    mapping->visited[at] = mark;
  return mark;
}

/* A second way into `to`, from `from`, leads elsewhere than the first. */
static void contradict(struct mapping *mapping, uint32_t from, uint32_t to) {
  mapping->contradiction = true;
  bool any = take_out(mapping, to, mark_way(mapping, from));
  any |= take_out(mapping, from, mark_way(mapping, to));
  if (!any) take_out(mapping, from, ++mapping->comparisons);
}

/* What a call from `from` into `to` leads to now; NOTHING: it did not follow the rules (clones
 * that became one function, calls that had no room), so it cannot be followed in another context.
 */
static uint32_t target(struct mapping *mapping, uint32_t from, uint32_t to, bool recursion) {
  const struct tail_chain *chain = recursion ? NULL : chain_into(mapping, to);
  uint32_t now = mapping->map[from];
  if (now == from && !chain) return to;
  if (!leads_to(mapping->profile, from, to)) return NOTHING;
  uint32_t callee = context_running(&mapping->profile->contexts[to]);
  if (chain) now = tail_contexts_after(mapping->table, now, chain);
  return step(mapping->table, now, callee);
}

static void reach(struct mapping *mapping, uint32_t context, uint32_t from, uint32_t becomes) {
  mapping->map[context] = becomes;
  mapping->reached_by[context] = from;
  mapping->queue[mapping->queue_end++] = context;
}

static void follow(struct mapping *mapping, const struct profile_transition *transition) {
  uint32_t from = transition->from, to = transition->to;
  uint32_t becomes = target(mapping, from, to, from == to);
  if (becomes == NOTHING) {
    mapping->contradiction = true;
    mapping->missing->by_context[to] = CHAIN_NONE;
    take_out(mapping, from, ++mapping->comparisons);
    becomes = to;
  }
  if (mapping->map[to] == NOTHING)
    reach(mapping, to, from, becomes);
  else if (mapping->map[to] != becomes)
    contradict(mapping, from, to);
}

static void follow_all(struct mapping *mapping) {
  while (mapping->queue_head < mapping->queue_end) {
    uint32_t from = mapping->queue[mapping->queue_head++];
    for (size_t i = mapping->first[from]; i < mapping->first[from + 1]; i++)
      follow(mapping, &mapping->profile->transitions[mapping->by_from[i]]);
  }
}

/* ---- contexts that no call led into ---- */

/* The context from which code without hooks, or a function that had not come to its hook yet, was
 * stepped into `context`: its running function was called from there. NOTHING if there is none. */
static uint32_t leaf_parent(const struct mapping *mapping, uint32_t id) {
  const struct profile_context *context = &mapping->profile->contexts[id];
  if (!context->length) return NOTHING;
  uint32_t length = context->length - 1, running = context_running(context);
  uint32_t room[SHORT_HISTORY], *history = room;
  if (length > SHORT_HISTORY) history = memory_resized(NULL, length, sizeof *history);
  memcpy(history, context->history, length * sizeof *history);
  for (uint32_t i = length; i-- > 0;)
    if (history_function(history[i]) == running) {
      history[i] = history_entry(running, true);
      break;
    }
  uint32_t parent = context_find(mapping->table, context->thread, history, length);
  if (history != room) free(history);
  return parent < mapping->count && leads_to(mapping->profile, parent, id) ? parent : NOTHING;
}

/* Leaves follow their parents, which may be leaves themselves: those that no call led into stand
 * in the queue, the one that was asked for first, until a parent is known. */
static void map_leaf(struct mapping *mapping, uint32_t leaf) {
  uint32_t waiting = 0, parent = leaf;
  while (parent != NOTHING && mapping->map[parent] == NOTHING) {
    mapping->queue[waiting++] = parent;
    parent = leaf_parent(mapping, parent);
  }
  while (waiting) {
    uint32_t at = mapping->queue[--waiting];
    uint32_t running = context_running(&mapping->profile->contexts[at]);
    bool moved = parent != NOTHING && mapping->map[parent] != parent;
    mapping->map[at] = moved ? step(mapping->table, mapping->map[parent], running) : at;
    parent = at;
  }
}

static void map_leaves(struct mapping *mapping) {
  for (uint32_t i = 0; i < mapping->count; i++)
    if (mapping->map[i] == NOTHING) map_leaf(mapping, i);
}

/* ---- rounds ---- */

/* Roots, and contexts that a forked child goes on in, are where the ways begin. */
static void begin(struct mapping *mapping) {
  for (uint32_t i = 0; i < mapping->count; i++) {
    bool leaf = mapping->first[i] == mapping->first[i + 1];
    if (!mapping->entered[i] && !leaf) reach(mapping, i, NOTHING, i);
  }
  follow_all(mapping);
  /* A circle of calls into which none led: its first context stays as it is. */
  for (uint32_t i = 0; i < mapping->count; i++)
    if (mapping->entered[i] && mapping->map[i] == NOTHING) {
      reach(mapping, i, NOTHING, i);
      follow_all(mapping);
    }
}

/* A chain of several functions needs the contexts of those on the way. */
static void drop_unmet_needs(struct tail_missing *missing) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < missing->need_count; i++) {
      const struct chain_need *need = &missing->needs[i];
      if (missing->by_context[need->needs] != CHAIN_NONE ||
          missing->by_context[need->context] == CHAIN_NONE)
        continue;
      missing->by_context[need->context] = CHAIN_NONE;
      changed = true;
    }
  }
}

static bool map_round(struct mapping *mapping) {
  mapping->queue_head = mapping->queue_end = 0;
  mapping->contradiction = false;
  memset(mapping->map, 0xff, mapping->count * sizeof *mapping->map);
  memset(mapping->reached_by, 0xff, mapping->count * sizeof *mapping->reached_by);
  drop_unmet_needs(mapping->missing);
  begin(mapping);
  return !mapping->contradiction;
}

static void group_transitions(struct mapping *mapping) {
  const struct profile *profile = mapping->profile;
  mapping->first = memory_zeroed(mapping->count + 2, sizeof *mapping->first);
  mapping->by_from = memory_zeroed(profile->transition_count, sizeof *mapping->by_from);
  mapping->entered = memory_zeroed(mapping->count, sizeof *mapping->entered);
  for (size_t i = 0; i < profile->transition_count; i++) {
    const struct profile_transition *transition = &profile->transitions[i];
    mapping->first[transition->from + 2]++;
    if (transition->from != transition->to) mapping->entered[transition->to] = true;
  }
  for (size_t i = 2; i < mapping->count + 2; i++)
    mapping->first[i] += mapping->first[i - 1];
  for (size_t i = 0; i < profile->transition_count; i++)
    mapping->by_from[mapping->first[profile->transitions[i].from + 1]++] = i;
}

uint32_t *tail_contexts_map(struct context_table *table, struct tail_missing *missing) {
  struct profile *profile = table->profile;
  struct mapping mapping = {
      .table = table, .profile = profile, .missing = missing, .count = profile->context_count};
  group_transitions(&mapping);
  mapping.map = memory_resized(NULL, mapping.count, sizeof *mapping.map);
  mapping.reached_by = memory_zeroed(mapping.count, sizeof *mapping.reached_by);
  mapping.queue = memory_zeroed(mapping.count, sizeof *mapping.queue);
  mapping.visited = memory_zeroed(mapping.count, sizeof *mapping.visited);
  bool done = false;
  for (int round = 0; !done && round < MOST_ROUNDS; round++)
    done = map_round(&mapping);
  if (!done) {
    memset(missing->by_context, 0xff, mapping.count * sizeof *missing->by_context);
    map_round(&mapping);
  }
  map_leaves(&mapping);
  free(mapping.first);
  free(mapping.by_from);
  free(mapping.entered);
  free(mapping.reached_by);
  free(mapping.queue);
  free(mapping.visited);
  return mapping.map;
}
