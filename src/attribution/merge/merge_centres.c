/* Cost centres of several runs: those of one label and module are one. */
#include <stdlib.h>

#include "attribution/merge/merge_parts.h"
#include "profile/centres.h"

static uint32_t *merge_functions_of(struct merge *merge, const struct profile *from) {
  uint32_t *ids = memory_zeroed(from->function_count, sizeof *ids);
  for (size_t i = 0; i < from->function_count; i++)
    ids[i] = centres_add(&merge->centres, &from->functions[i]);
  return ids;
}

static void merge_entries(struct merge *merge, const struct merge_ids *ids) {
  const struct profile *from = ids->from->centres;
  uint32_t *transitions = memory_zeroed(from->transition_count, sizeof *transitions);
  for (size_t i = 0; i < from->transition_count; i++) {
    struct profile_transition entries = from->transitions[i];
    entries.from = ids->centre_contexts[entries.from];
    entries.to = ids->centre_contexts[entries.to];
    transitions[i] = builder_transition(&merge->centres, entries);
  }
  merge_slice_entries(merge, ids, transitions);
  free(transitions);
}

void merge_centres(struct merge *merge, struct merge_ids *ids) {
  const struct profile *from = ids->from->centres;
  uint32_t *functions = merge_functions_of(merge, from);
  ids->centre_contexts = merge_histories(&merge->centres, from, functions, true, ids->threads);
  free(functions);
  merge_entries(merge, ids);
}
