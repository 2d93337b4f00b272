#include "attribution/tail_calls/tail_missing.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "profile/context_table.h"

/* A transition from a place that led to several functions, one of which its instruction names. */
struct suspect {
  uint32_t from, place, transition;
};

struct search {
  const struct profile *profile;
  const struct tail_code *code;
  struct tail_missing *missing;
  uint32_t *place_of_site; /* numbers; NOTHING: nothing can be missing there */
  uint32_t *named;         /* by place: the function that its call instruction names */
  struct suspect *suspects;
  bool *blocked; /* by context: not all calls from it are in the recording */
  uint32_t *entered;
  size_t suspect_count;
  struct hash_index chains;
};

static uint32_t callee_of(const struct search *search, uint32_t transition) {
  const struct profile *profile = search->profile;
  return context_running(&profile->contexts[profile->transitions[transition].to]);
}

/* ---- places ---- */

/* Number the places that call. `callees` counts the functions that each led to. */
static size_t number_places(struct search *search, uint32_t *callees) {
  const struct profile *profile = search->profile;
  struct map places = {0};
  size_t count = 0;
  for (size_t i = 0; i < profile->site_count; i++) {
    const struct profile_site *site = &profile->sites[i];
    uint64_t owner = (uint64_t)site->object << 32 | site->caller;
    uint32_t place = map_find_or_add(&places, owner, site->offset, count);
    if (place == count) count++;
    search->place_of_site[i] = place;
    callees[place]++;
  }
  map_free(&places);
  return count;
}

/* Look at the call instructions of places that led to several functions. Most name none: calls
 * through pointers. */
static void name_callees(struct search *search, const uint32_t *callees, bool *entered) {
  const struct profile *profile = search->profile;
  for (size_t i = 0; i < profile->site_count; i++) {
    const struct profile_site *site = &profile->sites[i];
    uint32_t place = search->place_of_site[i];
    if (callees[place] < 2 || site->object == NOTHING) continue;
    if (search->named[place] == NOTHING)
      search->named[place] = search->code->target(search->code->data, site);
    if (search->named[place] == site->callee) entered[place] = true;
  }
}

/* Returns whether there are places at which something may be missing. */
static bool find_places(struct search *search) {
  const struct profile *profile = search->profile;
  uint32_t *callees = memory_zeroed(profile->site_count, sizeof *callees);
  bool *entered = memory_zeroed(profile->site_count, sizeof *entered);
  size_t count = number_places(search, callees);
  search->named = memory_resized(NULL, count, sizeof *search->named);
  memset(search->named, 0xff, count * sizeof *search->named);
  name_callees(search, callees, entered);
  bool any = false;
  for (size_t i = 0; i < profile->site_count; i++) {
    if (entered[search->place_of_site[i]])
      any = true;
    else
      search->place_of_site[i] = NOTHING;
  }
  free(callees);
  free(entered);
  return any;
}

/* ---- contexts of which the recording does not hold all calls ---- */

static void block_prefixes(struct search *search, const struct context_table *table,
                           const struct profile_context *context) {
  for (uint32_t length = 0; length <= context->length; length++) {
    uint32_t id = context_find(table, context->thread, context->history, length);
    if (id != NOTHING) search->blocked[id] = true;
  }
}

/* A forked child goes on in contexts that its parent entered. */
static void block_inherited(struct search *search) {
  const struct profile *profile = search->profile;
  bool *entered = memory_zeroed(profile->context_count, sizeof *entered);
  bool *calls = memory_zeroed(profile->context_count, sizeof *calls);
  for (size_t i = 0; i < profile->transition_count; i++) {
    entered[profile->transitions[i].to] = true;
    calls[profile->transitions[i].from] = true;
  }
  struct context_table table;
  context_table_open(&table, (struct profile *)profile);
  for (size_t i = 0; i < profile->context_count; i++)
    if (calls[i] && !entered[i] && profile->contexts[i].length)
      block_prefixes(search, &table, &profile->contexts[i]);
  context_table_close(&table);
  free(entered);
  free(calls);
}

static void block_incomplete(struct search *search) {
  const struct profile *profile = search->profile;
  for (size_t i = 0; i < profile->context_count; i++) {
    const struct profile_thread *thread = &profile->threads[profile->contexts[i].thread];
    const struct profile_process *process = &profile->processes[thread->process];
    if (process->truncated || process->drops[DROP_CONTEXTS] || process->drops[DROP_TRANSITIONS])
      search->blocked[i] = true;
  }
}

/* ---- chains ---- */

static int is_chain(const void *chains, uint32_t index, const void *key) {
  const struct tail_chain *known = (const struct tail_chain *)chains + index, *wanted = key;
  return known->length == wanted->length &&
         memcmp(known->from, wanted->from, known->length * sizeof *known->from) == 0;
}

static uint32_t intern_chain(struct search *search, const struct tail_chain *chain) {
  struct tail_missing *missing = search->missing;
  uint64_t hash = chain->length;
  for (uint32_t i = 0; i < chain->length; i++)
    hash = hash_mix(hash ^ chain->from[i]);
  uint32_t known = hash_index_find(&search->chains, hash, is_chain, missing->chains, chain);
  if (known != HASH_INDEX_NONE) return known;
  hash_index_add(&search->chains, hash, missing->chain_count);
  ARRAY_GROW(missing->chains, missing->chain_count);
  missing->chains[missing->chain_count] = *chain;
  return missing->chain_count++;
}

/* The functions between `caller` and a callee. Rule A1: a direct recursion adds none. */
static uint32_t chain_to(struct search *search, uint32_t caller, uint32_t named, uint32_t callee,
                         size_t entered_count) {
  struct tail_chain chain;
  if (callee == named) return CHAIN_NONE;
  if (!tail_chain_find(search->profile, search->code, named, callee, search->entered, entered_count,
                       &chain))
    return CHAIN_UNKNOWN;
  if (chain.from[0] == caller) {
    chain.length--;
    memmove(chain.from, chain.from + 1, chain.length * sizeof *chain.from);
  }
  return chain.length ? intern_chain(search, &chain) : CHAIN_NONE;
}

/* The contexts of the functions in a chain but its first, which was called as ever, have to be
 * known as well. */
static void note_needs(struct search *search, const struct suspect *run, size_t count,
                       uint32_t transition) {
  struct tail_missing *missing = search->missing;
  const struct profile_transition *transitions = search->profile->transitions;
  const struct tail_chain *chain = &missing->chains[missing->by_transition[transition]];
  for (uint32_t i = 0; i < chain->length; i++)
    for (size_t other = 0; other < count; other++) {
      uint32_t id = run[other].transition;
      if (missing->by_transition[id] == CHAIN_NONE || callee_of(search, id) != chain->from[i])
        continue;
      ARRAY_GROW(missing->needs, missing->need_count);
      missing->needs[missing->need_count++] =
          (struct chain_need){transitions[transition].to, transitions[id].to};
    }
}

/* The function that the instruction names may have been entered by a tail call of another that was
 * entered from there, as well. */
static bool may_come_back(const struct search *search, uint32_t named, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (search->entered[i] != named &&
        tail_chain_is_possible(search->profile, search->code, search->entered[i], named,
                               search->entered, count))
      return true;
  return false;
}

static void find_doubts(struct search *search, const struct suspect *run, size_t count) {
  struct tail_missing *missing = search->missing;
  uint32_t named = search->named[run->place];
  bool comes_back = may_come_back(search, named, count);
  for (size_t i = 0; i < count; i++) {
    uint32_t id = run[i].transition;
    missing->in_doubt[id] =
        search->entered[i] == named ? comes_back : missing->by_transition[id] != CHAIN_NONE;
  }
}

static void find_chains(struct search *search, const struct suspect *run, size_t count) {
  struct tail_missing *missing = search->missing;
  const struct profile *profile = search->profile;
  uint32_t named = search->named[run->place];
  uint32_t caller = context_running(&profile->contexts[run->from]);
  bool named_entered = false;
  for (size_t i = 0; i < count; i++) {
    ARRAY_GROW(search->entered, i);
    search->entered[i] = callee_of(search, run[i].transition);
    named_entered |= search->entered[i] == named;
  }
  bool known = named_entered && !search->blocked[run->from];
  for (size_t i = 0; i < count; i++)
    missing->by_transition[run[i].transition] =
        known                         ? chain_to(search, caller, named, search->entered[i], count)
        : search->entered[i] == named ? CHAIN_NONE
                                      : CHAIN_UNKNOWN;
  find_doubts(search, run, count);
  for (size_t i = 0; i < count; i++)
    if (missing->by_transition[run[i].transition] < CHAIN_UNKNOWN)
      note_needs(search, run, count, run[i].transition);
}

/* ---- transitions ---- */

static int by_caller_and_place(const void *left, const void *right) {
  const struct suspect *a = left, *b = right;
  if (a->from != b->from) return a->from < b->from ? -1 : 1;
  if (a->place != b->place) return a->place < b->place ? -1 : 1;
  return a->transition < b->transition ? -1 : a->transition > b->transition;
}

static void collect_suspects(struct search *search) {
  const struct profile *profile = search->profile;
  for (size_t i = 0; i < profile->transition_count; i++) {
    const struct profile_transition *transition = &profile->transitions[i];
    uint32_t place = search->place_of_site[transition->site];
    if (place == NOTHING) continue;
    ARRAY_GROW(search->suspects, search->suspect_count);
    search->suspects[search->suspect_count++] = (struct suspect){transition->from, place, i};
  }
  if (search->suspect_count)
    qsort(search->suspects, search->suspect_count, sizeof *search->suspects, by_caller_and_place);
}

static void find_all_chains(struct search *search) {
  const struct suspect *suspects = search->suspects;
  for (size_t first = 0, end; first < search->suspect_count; first = end) {
    for (end = first + 1; end < search->suspect_count; end++)
      if (suspects[end].from != suspects[first].from ||
          suspects[end].place != suspects[first].place)
        break;
    find_chains(search, suspects + first, end - first);
  }
}

/* ---- contexts ---- */

/* A context merges all calls that lead into it: its ticks can only go where all of them go.
 * Direct recursion leads out of no context, so it has no say. */
static void find_agreement(struct search *search) {
  const struct profile *profile = search->profile;
  struct tail_missing *missing = search->missing;
  bool *seen = memory_zeroed(profile->context_count, sizeof *seen);
  for (size_t i = 0; i < profile->transition_count; i++) {
    const struct profile_transition *transition = &profile->transitions[i];
    uint32_t chain = missing->by_transition[i], *agreed = &missing->by_context[transition->to];
    bool recursion = transition->from == transition->to;
    if (recursion && chain == CHAIN_NONE) continue;
    bool disagrees = seen[transition->to] && *agreed != chain;
    if (recursion || disagrees || chain == CHAIN_UNKNOWN) search->blocked[transition->to] = true;
    *agreed = search->blocked[transition->to] ? CHAIN_NONE : chain;
    seen[transition->to] = true;
  }
  free(seen);
}

static void find_contexts(struct search *search) {
  const struct profile *profile = search->profile;
  struct tail_missing *missing = search->missing;
  missing->by_transition = memory_resized(NULL, profile->transition_count, sizeof(uint32_t));
  missing->in_doubt = memory_zeroed(profile->transition_count, sizeof *missing->in_doubt);
  missing->by_context = memory_resized(NULL, profile->context_count, sizeof(uint32_t));
  memset(missing->by_transition, 0xff, profile->transition_count * sizeof(uint32_t));
  memset(missing->by_context, 0xff, profile->context_count * sizeof(uint32_t));
  search->blocked = memory_zeroed(profile->context_count, sizeof *search->blocked);
  block_inherited(search);
  block_incomplete(search);
  collect_suspects(search);
  find_all_chains(search);
  find_agreement(search);
}

bool tail_missing_find(const struct profile *profile, const struct tail_code *code,
                       struct tail_missing *missing) {
  *missing = (struct tail_missing){0};
  struct search search = {.profile = profile, .code = code, .missing = missing};
  search.place_of_site = memory_zeroed(profile->site_count, sizeof *search.place_of_site);
  if (find_places(&search)) find_contexts(&search);
  free(search.place_of_site);
  free(search.named);
  free(search.suspects);
  free(search.blocked);
  free(search.entered);
  hash_index_free(&search.chains);
  return missing->in_doubt;
}

void tail_missing_free(struct tail_missing *missing) {
  free(missing->chains);
  free(missing->by_transition);
  free(missing->in_doubt);
  free(missing->by_context);
  free(missing->needs);
  *missing = (struct tail_missing){0};
}
