#include "attribution/equations/possible_calls.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"
#include "profile/builder.h"

#define MOST_CALLS (UINT64_C(1) << 58) /* all together */

/* Adds up the counted entries of each function that some possible call may enter. */
static void add_counted_entries(const struct profile *profile, struct call_node *functions) {
  bool *callee = memory_zeroed(profile->function_count, sizeof *callee);
  for (size_t i = 0; i < profile->possible_call_count; i++)
    if (profile->possible_calls[i].site != NOTHING)
      callee[profile->sites[profile->possible_calls[i].site].callee] = true;
  for (size_t i = 0; i < profile->count_count; i++) {
    uint32_t function = profile->sites[profile->counts[i].site].callee;
    if (!callee[function] || profile->counts[i].calls > MOST_CALLS) continue;
    functions[function].least += profile->counts[i].calls;
    functions[function].most = functions[function].least;
  }
  free(callee);
}

/* Sites of the equations are the profile's call places, functions its functions; the last one is
 * all that have no counts, together. */
static struct call_equations equations_of(const struct profile *profile) {
  const struct costs *given = profile->given;
  struct call_equations equations = {.site_count = profile->call_place_count,
                                     .function_count = profile->function_count + 1,
                                     .arc_count = profile->possible_call_count};
  equations.sites = memory_zeroed(equations.site_count, sizeof *equations.sites);
  equations.functions = memory_zeroed(equations.function_count, sizeof *equations.functions);
  equations.arcs = memory_zeroed(equations.arc_count, sizeof *equations.arcs);
  for (uint32_t i = 0; i < equations.site_count; i++)
    equations.sites[i] =
        (struct call_node){profile->call_places[i].least, profile->call_places[i].most};
  for (size_t i = 0; given && i < profile->function_count; i++) {
    uint64_t entries = given->functions[i].calls + given->functions[i].recursive;
    equations.functions[i] = (struct call_node){entries, entries};
  }
  if (!given) add_counted_entries(profile, equations.functions);
  equations.functions[profile->function_count] = (struct call_node){0, COUNT_UNBOUNDED};
  for (uint32_t i = 0; i < equations.arc_count; i++) {
    const struct profile_possible_call *call = &profile->possible_calls[i];
    equations.arcs[i] =
        (struct call_arc){.site = call->place,
                          .function = call->site == NOTHING ? equations.function_count - 1
                                                            : profile->sites[call->site].callee,
                          .fixed = call->fixed != NOT_FIXED,
                          .value = call->fixed};
  }
  return equations;
}

static void free_equations(struct call_equations *equations) {
  free(equations->sites);
  free(equations->functions);
  free(equations->arcs);
}

/* ---- figures ---- */

static uint64_t sum(uint64_t a, uint64_t b) {
  return a == COUNT_UNBOUNDED || b == COUNT_UNBOUNDED ? COUNT_UNBOUNDED : a + b;
}

static uint64_t difference(uint64_t a, uint64_t b) {
  return a > b ? a - b : 0;
}

static void add_to_arc(struct costs *given, struct map *ids, const struct profile_site *site,
                       const struct profile_possible_call *call) {
  uint64_t key = (uint64_t)site->caller << 32 | site->callee;
  uint32_t id = map_find_or_add(ids, key, 0, given->arc_count);
  if (id == given->arc_count) {
    ARRAY_GROW(given->arcs, given->arc_count);
    given->arcs[given->arc_count++] = (struct arc_cost){
        .caller = site->caller, .callee = site->callee, .cost_unknown = true, .solved = true};
  }
  struct arc_cost *arc = &given->arcs[id];
  arc->calls += call->estimate;
  arc->least_calls = sum(arc->least_calls, call->least);
  arc->most_calls = sum(arc->most_calls, call->most);
}

/* It stands for calls that are not in the code; see possible_calls.h. */
static bool is_inlined(const struct profile *profile, const struct profile_possible_call *call) {
  if (call->site == NOTHING) return false;
  const struct profile_site *site = &profile->sites[call->site];
  return site->caller == NOTHING && site->object != NOTHING;
}

/* All arcs into a function together are its entries, as far as these are explained: what the others
 * need at least, one has not; but of the unknown callers of a function that was inlined nothing is
 * needed. */
static void narrow_arcs(const struct profile *profile, const struct call_equations *equations,
                        struct costs *costs) {
  struct call_node *into = memory_zeroed(profile->function_count, sizeof *into);
  bool *inlined = memory_zeroed(profile->function_count, sizeof *inlined);
  for (size_t i = 0; i < profile->possible_call_count; i++) {
    const struct profile_possible_call *call = &profile->possible_calls[i];
    if (call->site == NOTHING) continue;
    struct call_node *node = &into[profile->sites[call->site].callee];
    node->least += call->least;
    node->most = sum(node->most, call->most);
    inlined[profile->sites[call->site].callee] |= is_inlined(profile, call);
  }
  for (size_t i = 0; i < costs->arc_count; i++) {
    struct arc_cost *arc = &costs->arcs[i];
    if (!arc->solved) continue;
    const struct call_node *entries = &equations->functions[arc->callee], *all = &into[arc->callee];
    uint64_t least =
        all->most == COUNT_UNBOUNDED ? 0 : difference(entries->least, all->most - arc->most_calls);
    uint64_t most = difference(entries->most, all->least - arc->least_calls);
    bool unknown = arc->caller == NOTHING && inlined[arc->callee];
    if (arc->least_calls < least && !unknown) arc->least_calls = least;
    if (arc->most_calls > most) arc->most_calls = most;
  }
  free(into);
  free(inlined);
}

static void set_figures(struct profile *profile, const struct call_equations *equations) {
  struct costs *given = profile->given;
  struct map ids = {0};
  free(given->arcs);
  given->arcs = NULL;
  given->arc_count = 0;
  for (size_t i = 0; i < profile->function_count; i++) {
    struct function_cost *cost = &given->functions[i];
    cost->calls += cost->recursive;
    cost->recursive = 0;
  }
  for (size_t i = 0; i < profile->possible_call_count; i++) {
    const struct profile_possible_call *call = &profile->possible_calls[i];
    if (call->site == NOTHING) continue;
    const struct profile_site *site = &profile->sites[call->site];
    given->site_calls[call->site] = call->estimate;
    if (site->caller != site->callee) {
      add_to_arc(given, &ids, site, call);
    } else {
      given->functions[site->callee].calls -= call->estimate;
      given->functions[site->callee].recursive += call->estimate;
    }
  }
  narrow_arcs(profile, equations, given);
  map_free(&ids);
}

/* How often a function was entered in a process, less what its arcs have been given. */
struct share {
  uint32_t process, next; /* next share of the same function, or NOTHING */
  uint64_t left, given;   /* given: to the arc at hand */
};

struct shares {
  struct share *all;
  size_t count;
  uint32_t *first; /* by function */
  uint64_t *left;  /* by function: of all its shares */
};

static void add_share(struct shares *shares, uint32_t function, struct profile_count count) {
  uint32_t *at = &shares->first[function];
  while (*at != NOTHING && shares->all[*at].process != count.process)
    at = &shares->all[*at].next;
  shares->left[function] += count.calls;
  if (*at != NOTHING) {
    shares->all[*at].left += count.calls;
    return;
  }
  *at = (uint32_t)shares->count; /* before the array moves */
  ARRAY_GROW(shares->all, shares->count);
  shares->all[shares->count++] = (struct share){count.process, NOTHING, count.calls, 0};
}

/* To each process as it entered the function.  Returns what none of them did. */
static uint64_t give(struct shares *shares, uint32_t function, uint64_t calls) {
  uint64_t whole = shares->left[function], rest = calls;
  for (uint32_t i = shares->first[function]; i != NOTHING; i = shares->all[i].next) {
    struct share *share = &shares->all[i];
    share->given =
        calls >= whole ? share->left : (uint64_t)((unsigned __int128)calls * share->left / whole);
    rest -= share->given;
  }
  for (uint32_t i = shares->first[function]; i != NOTHING; i = shares->all[i].next) {
    struct share *share = &shares->all[i];
    uint64_t room = share->left - share->given, more = rest < room ? rest : room; /* rounded off */
    share->given += more;
    rest -= more;
    share->left -= share->given;
    shares->left[function] -= share->given;
  }
  return rest;
}

static void share_out(struct profile *profile, struct shares *shares, uint32_t site,
                      uint64_t calls) {
  uint32_t function = profile->sites[site].callee, first = shares->first[function];
  uint64_t rest = give(shares, function, calls);
  if (first == NOTHING) {
    profile_add_count(profile, (struct profile_count){0, site, rest});
    return;
  }
  shares->all[first].given += rest;
  for (uint32_t i = first; i != NOTHING; i = shares->all[i].next)
    if (i == first || shares->all[i].given)
      profile_add_count(profile,
                        (struct profile_count){shares->all[i].process, site, shares->all[i].given});
}

/* The counts of sites become the estimates, in the processes that entered the callees. */
static void set_counts(struct profile *profile) {
  bool *possible = memory_zeroed(profile->site_count, sizeof *possible);
  struct shares shares = {.first = memory_zeroed(profile->function_count, sizeof *shares.first),
                          .left = memory_zeroed(profile->function_count, sizeof *shares.left)};
  size_t kept = 0;
  for (size_t i = 0; i < profile->function_count; i++)
    shares.first[i] = NOTHING;
  for (size_t i = 0; i < profile->possible_call_count; i++)
    if (profile->possible_calls[i].site != NOTHING)
      possible[profile->possible_calls[i].site] = true;
  for (size_t i = 0; i < profile->count_count; i++) {
    struct profile_count count = profile->counts[i];
    if (possible[count.site])
      add_share(&shares, profile->sites[count.site].callee, count);
    else
      profile->counts[kept++] = count;
  }
  profile->count_count = kept;
  for (size_t i = 0; i < profile->possible_call_count; i++) {
    const struct profile_possible_call *call = &profile->possible_calls[i];
    if (call->site != NOTHING) share_out(profile, &shares, call->site, call->estimate);
  }
  free(possible);
  free(shares.all);
  free(shares.first);
  free(shares.left);
}

void possible_calls_limit(const struct profile *profile, struct costs *costs) {
  struct map ids = {0};
  for (size_t i = 0; i < costs->arc_count; i++)
    map_find_or_add(&ids, (uint64_t)costs->arcs[i].caller << 32 | costs->arcs[i].callee, 0,
                    (uint32_t)i);
  for (size_t i = 0; i < profile->possible_call_count; i++) {
    const struct profile_possible_call *call = &profile->possible_calls[i];
    if (call->site == NOTHING) continue;
    const struct profile_site *site = &profile->sites[call->site];
    if (site->caller != NOTHING && costs->doubts) costs->doubts[site->caller] |= DOUBT_TOTAL;
    uint32_t id = map_find(&ids, (uint64_t)site->caller << 32 | site->callee, 0);
    if (id == NOTHING || site->caller == site->callee) continue;
    struct arc_cost *arc = &costs->arcs[id];
    arc->solved = true;
    arc->least_calls = sum(arc->least_calls, call->least);
    arc->most_calls = sum(arc->most_calls, call->most);
  }
  map_free(&ids);
  struct call_equations equations = equations_of(profile);
  narrow_arcs(profile, &equations, costs);
  free_equations(&equations);
}

/* ---- solving ---- */

/* Sums of counts are numbers, too; files may say anything. */
static bool is_too_large(const struct call_equations *equations) {
  uint64_t all = 0;
  for (uint32_t i = 0; i < equations->site_count + equations->function_count; i++) {
    const struct call_node *node = i < equations->site_count
                                       ? &equations->sites[i]
                                       : &equations->functions[i - equations->site_count];
    uint64_t count = node->most == COUNT_UNBOUNDED ? node->least : node->most;
    if (count > MOST_CALLS || all > MOST_CALLS - count) return true;
    all += count;
  }
  return false;
}

int possible_calls_solve(struct profile *profile, struct call_conflict *conflict) {
  struct call_equations equations = equations_of(profile);
  if (is_too_large(&equations)) {
    free_equations(&equations);
    *conflict = (struct call_conflict){.kind = CONFLICT_FIXED, .index = NOTHING};
    return -1;
  }
  call_equations_relax(&equations);
  int result = call_equations_solve(&equations, conflict);
  for (uint32_t i = 0; result == 0 && i < equations.arc_count; i++) {
    struct profile_possible_call *call = &profile->possible_calls[i];
    call->least =
        call->fixed != NOT_FIXED || !is_inlined(profile, call) ? equations.arcs[i].least : 0;
    call->most = equations.arcs[i].most;
    call->estimate = equations.arcs[i].estimate;
  }
  if (result == 0 && profile->given) set_figures(profile, &equations);
  if (result == 0 && !profile->given) set_counts(profile);
  free_equations(&equations);
  return result;
}

uint32_t possible_calls_contradictions(const struct profile *profile) {
  struct call_equations equations = equations_of(profile);
  uint32_t lowered = call_equations_relax(&equations);
  free_equations(&equations);
  return lowered;
}

/* ---- values that are chosen ---- */

static uint32_t find(const struct profile *profile, uint32_t site) {
  for (size_t i = 0; i < profile->possible_call_count; i++)
    if (profile->possible_calls[i].site == site) return i;
  return NOTHING;
}

const struct profile_possible_call **possible_calls_by_site(const struct profile *profile) {
  if (!profile->possible_call_count) return NULL;
  const struct profile_possible_call **of = memory_zeroed(profile->site_count, sizeof *of);
  for (size_t i = 0; i < profile->possible_call_count; i++) {
    const struct profile_possible_call *call = &profile->possible_calls[i];
    if (call->site != NOTHING) of[call->site] = call;
  }
  return of;
}

static int choose(struct profile *profile, uint32_t site, uint64_t fixed,
                  struct call_conflict *conflict) {
  uint32_t id = site == NOTHING ? NOTHING : find(profile, site);
  if (id == NOTHING) {
    *conflict = (struct call_conflict){.kind = CONFLICT_FIXED, .index = NOTHING};
    return -1;
  }
  struct profile_possible_call before = profile->possible_calls[id];
  profile->possible_calls[id].fixed = fixed;
  if (possible_calls_solve(profile, conflict) == 0) return 0;
  profile->possible_calls[id] = before;
  return -1;
}

int possible_calls_fix(struct profile *profile, uint32_t site, uint64_t value,
                       struct call_conflict *conflict) {
  return choose(profile, site, value, conflict);
}

int possible_calls_unfix(struct profile *profile, uint32_t site, struct call_conflict *conflict) {
  return choose(profile, site, NOT_FIXED, conflict);
}
