/* The equations of several runs' call graphs, summed: what solves each of them solves the sum. */
#include <stdlib.h>

#include "attribution/equations/possible_calls.h"
#include "attribution/merge/merge_parts.h"

static uint64_t sum_most(uint64_t a, uint64_t b) {
  return a == UINT64_MAX || b == UINT64_MAX ? UINT64_MAX : a + b;
}

/* By place of the profile that is being added: a place is known again by any of its sites.  The
 * first is that of code without counts in each. */
static uint32_t *match_places(struct merge *merge, const struct merge_ids *ids) {
  const struct profile *from = ids->from;
  uint32_t *places = memory_zeroed(from->call_place_count, sizeof *places);
  for (size_t i = 0; i < from->call_place_count; i++)
    places[i] = i == 0 && merge->profile->call_place_count ? 0 : NOTHING;
  for (size_t i = 0; i < from->possible_call_count; i++) {
    const struct profile_possible_call *call = &from->possible_calls[i];
    if (call->site == NOTHING || places[call->place] != NOTHING) continue;
    uint32_t known = map_find(&merge->possible_calls, ids->sites[call->site], 0);
    if (known != NOTHING) places[call->place] = merge->profile->possible_calls[known].place;
  }
  for (size_t i = 0; i < from->call_place_count; i++)
    if (places[i] == NOTHING)
      places[i] = profile_add_call_place(merge->profile, (struct profile_call_place){0});
  return places;
}

static void add_call(struct merge *merge, uint32_t place, uint32_t site) {
  struct profile *profile = merge->profile;
  uint32_t id =
      site == NOTHING
          ? map_find_or_add(&merge->possible_calls, place, 1, profile->possible_call_count)
          : map_find_or_add(&merge->possible_calls, site, 0, profile->possible_call_count);
  if (id == profile->possible_call_count)
    profile_add_possible_call(
        profile, (struct profile_possible_call){.place = place, .site = site, .fixed = NOT_FIXED});
}

void merge_possible(struct merge *merge, const struct merge_ids *ids) {
  const struct profile *from = ids->from;
  if (!from->call_place_count) return;
  uint32_t *places = match_places(merge, ids);
  for (size_t i = 0; i < from->call_place_count; i++) {
    struct profile_call_place *place = &merge->profile->call_places[places[i]];
    place->least += from->call_places[i].least;
    place->most = sum_most(place->most, from->call_places[i].most);
  }
  for (size_t i = 0; i < from->possible_call_count; i++) {
    const struct profile_possible_call *call = &from->possible_calls[i];
    add_call(merge, places[call->place], call->site == NOTHING ? NOTHING : ids->sites[call->site]);
  }
  free(places);
}

/* Where the sums are too large, no calls are told. */
void merge_possible_finish(struct profile *profile) {
  struct call_conflict conflict;
  if (!profile->possible_call_count || possible_calls_solve(profile, &conflict) == 0) return;
  profile->possible_call_count = profile->call_place_count = 0;
  if (!profile->given) return; /* a recording's counts stay */
  profile->given->arc_count = profile->site_count = 0;
}
