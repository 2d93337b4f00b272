#include "attribution/tail_calls/tail_chains.h"

/* More code than this was not looked at: then more than one chain is possible. */
enum { MOST_VISITS = 1000 };

struct search {
  const struct profile *profile;
  const struct tail_code *code;
  uint32_t end;
  const uint32_t *entered;
  size_t entered_count;
  struct tail_chain path, *found;
  unsigned found_count, visits;
};

/* Every entry of a function with hooks was counted. */
static bool was_on_the_way(const struct search *search, uint32_t id) {
  const struct profile *profile = search->profile;
  if (id >= profile->function_count || profile->functions[id].kind != FUNCTION_COUNTED) return true;
  for (size_t i = 0; i < search->entered_count; i++)
    if (search->entered[i] == id) return true;
  return false;
}

static bool is_on_path(const struct tail_chain *path, uint32_t id) {
  for (uint32_t i = 0; i < path->length; i++)
    if (path->from[i] == id) return true;
  return false;
}

/* Several jumps of a function to the same target are one step of a chain. */
static bool is_repeated(const struct tail_jump *jumps, size_t at) {
  for (size_t i = 0; i < at; i++)
    if (jumps[i].to == jumps[at].to) return true;
  return false;
}

/* Continue the path at `id`. False: the answer cannot be known. */
static bool visit(struct search *search, uint32_t id) {
  const struct tail_jump *jumps;
  size_t count;
  if (search->path.length == LONGEST_CHAIN || ++search->visits > MOST_VISITS ||
      !search->code->jumps(search->code->data, id, &jumps, &count))
    return false;
  search->path.from[search->path.length++] = id;
  for (size_t i = 0; i < count; i++) {
    uint32_t to = jumps[i].to;
    if (is_repeated(jumps, i)) continue;
    if (to == search->end) {
      *search->found = search->path;
      if (++search->found_count > 1) return false;
    } else if (was_on_the_way(search, to) && !is_on_path(&search->path, to) && !visit(search, to)) {
      return false;
    }
  }
  search->path.length--;
  return true;
}

/* The calls of code without hooks were not counted: such a chain cannot be put back. */
static bool is_counted(const struct profile *profile, const struct tail_chain *chain) {
  for (uint32_t i = 0; i < chain->length; i++)
    if (chain->from[i] >= profile->function_count ||
        profile->functions[chain->from[i]].kind != FUNCTION_COUNTED)
      return false;
  return true;
}

/* At most 2: more than one is possible, or the code does not say. */
static unsigned count_chains(const struct profile *profile, const struct tail_code *code,
                             uint32_t start, uint32_t end, const uint32_t *entered,
                             size_t entered_count, struct tail_chain *found) {
  struct search search = {.profile = profile,
                          .code = code,
                          .end = end,
                          .entered = entered,
                          .entered_count = entered_count,
                          .found = found};
  return visit(&search, start) ? search.found_count : 2;
}

bool tail_chain_find(const struct profile *profile, const struct tail_code *code, uint32_t start,
                     uint32_t end, const uint32_t *entered, size_t entered_count,
                     struct tail_chain *chain) {
  struct tail_chain found = {0};
  if (count_chains(profile, code, start, end, entered, entered_count, &found) != 1 ||
      !is_counted(profile, &found))
    return false;
  *chain = found;
  return true;
}

bool tail_chain_is_possible(const struct profile *profile, const struct tail_code *code,
                            uint32_t start, uint32_t end, const uint32_t *entered,
                            size_t entered_count) {
  struct tail_chain found;
  return count_chains(profile, code, start, end, entered, entered_count, &found);
}
