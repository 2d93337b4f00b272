#include "attribution/tail_calls/tail_calls.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/tail_calls/tail_contexts.h"
#include "profile/builder.h"
#include "profile/context_order.h"

struct change {
  struct profile *profile;
  const struct tail_code *code;
  struct tail_missing *missing;
  struct profile_builder builder;
  const uint32_t *map; /* by context of before */
};

/* ---- call sites ---- */

/* Where `caller` jumps to `callee`; without a place if it does so at several. */
static struct profile_site tail_site(const struct change *change, uint32_t caller,
                                     uint32_t callee) {
  struct profile_site site = {.caller = caller,
                              .callee = callee,
                              .within = caller,
                              .object = NOTHING,
                              .tail = true,
                              .expansion = NOTHING};
  const struct tail_jump *jumps, *only = NULL;
  size_t count;
  if (!change->code->jumps(change->code->data, caller, &jumps, &count)) return site;
  for (size_t i = 0; i < count; i++) {
    if (jumps[i].to != callee) continue;
    if (only) return site;
    only = &jumps[i];
  }
  if (only) {
    site.object = only->object;
    site.offset = only->offset;
    site.file = only->file;
    site.line = only->line;
  }
  return site;
}

/* ---- contexts ---- */

static void move_transition(struct change *change, struct profile_transition *transition) {
  struct profile *profile = change->profile;
  uint32_t chain_id = change->missing->by_context[transition->to];
  bool recursion = transition->from == transition->to;
  transition->from = change->map[transition->from];
  if (chain_id != CHAIN_NONE && !recursion) {
    const struct tail_chain *chain = &change->missing->chains[chain_id];
    uint32_t callee = context_running(&profile->contexts[transition->to]);
    transition->from = tail_contexts_after(&change->builder.contexts, transition->from, chain);
    transition->site = builder_site(&change->builder,
                                    tail_site(change, chain->from[chain->length - 1], callee), 0);
  } else if (change->missing->in_doubt[transition - profile->transitions]) {
    profile->sites[transition->site].in_doubt = true;
  }
  transition->to = change->map[transition->to];
}

static void move_events(struct change *change) {
  struct profile *profile = change->profile;
  for (size_t i = 0; i < profile->transition_count; i++)
    move_transition(change, &profile->transitions[i]);
  contexts_move_ticks(profile, change->map);
}

/* ---- what is left over ---- */

/* Numbers of what is kept, in its order. `kept` becomes the new ids. Returns how many. */
static size_t renumber(uint32_t *kept, size_t count) {
  size_t next = 0;
  for (size_t i = 0; i < count; i++)
    kept[i] = kept[i] ? next++ : NOTHING;
  return next;
}

static void drop_contexts(struct change *change, size_t context_count) {
  struct profile *profile = change->profile;
  uint32_t *kept = memory_zeroed(profile->context_count, sizeof *kept);
  for (size_t i = 0; i < context_count; i++)
    kept[change->map[i]] = 1;
  for (size_t i = 0; i < profile->transition_count; i++)
    kept[profile->transitions[i].from] = 1;
  size_t count = renumber(kept, profile->context_count);
  for (size_t i = 0; i < profile->context_count; i++)
    if (kept[i] != NOTHING) profile->contexts[kept[i]] = profile->contexts[i];
  profile->context_count = count;
  contexts_renumber(profile, kept);
  free(kept);
}

/* Places from which nothing is called any more. */
static void drop_sites(struct profile *profile) {
  uint32_t *kept = memory_zeroed(profile->site_count, sizeof *kept);
  for (size_t i = 0; i < profile->transition_count; i++)
    kept[profile->transitions[i].site] = 1;
  for (size_t i = 0; i < profile->count_count; i++)
    kept[profile->counts[i].site] = 1;
  size_t count = renumber(kept, profile->site_count);
  for (size_t i = 0; i < profile->site_count; i++)
    if (kept[i] != NOTHING) profile->sites[kept[i]] = profile->sites[i];
  profile->site_count = count;
  for (size_t i = 0; i < profile->transition_count; i++)
    profile->transitions[i].site = kept[profile->transitions[i].site];
  for (size_t i = 0; i < profile->count_count; i++)
    profile->counts[i].site = kept[profile->counts[i].site];
  free(kept);
}

void tail_calls_put_back(struct profile *profile, const struct tail_code *code) {
  struct tail_missing missing;
  if (!tail_missing_find(profile, code, &missing)) return;
  struct change change = {.profile = profile, .code = code, .missing = &missing};
  size_t context_count = profile->context_count;
  builder_open(&change.builder, profile);
  uint32_t *map = tail_contexts_map(&change.builder.contexts, &missing);
  change.map = map;
  move_events(&change);
  builder_close(&change.builder);
  drop_contexts(&change, context_count);
  drop_sites(profile);
  free(map);
  tail_missing_free(&missing);
}
