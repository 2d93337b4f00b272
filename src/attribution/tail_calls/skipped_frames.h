/* The frames that a sampled stack lacks because their functions left by a tail call.
 *
 * A call instruction names g, but what runs below it is h: g jumped there and is gone. Where the
 * debug information has exactly one chain of tail calls from g to h, its functions are known
 * (tail_chains.h does the same for what hooks recorded). */
#ifndef ASCRIBE_ATTRIBUTION_SKIPPED_FRAMES_H
#define ASCRIBE_ATTRIBUTION_SKIPPED_FRAMES_H

#include "attribution/recorded/places.h"

struct skipped_list;

/* All zeros, but for `places`: none are known yet. */
struct skipped_frames {
  struct places *places;
  struct map known; /* (place of a call, function that it entered) -> list */
  struct skipped_list *lists;
  struct place_frame *frames;
  size_t list_count, frame_count;
};

/* The frames between a call (the place of its return address minus one) and the function that runs
 * at `entered`, outermost first; `*count` 0: none are missing, or it is not known which. Their
 * lines, 0 where not known, are those of the jumps. Valid until the next call. */
const struct place_frame *skipped_frames_find(struct skipped_frames *skipped, uint32_t call,
                                              uint32_t entered, uint32_t *count);

/* Whether a call names the function that runs at `entered`; and whether what was entered there may
 * have reached it by tail calls: there is a way, or the code does not say. */
bool skipped_frames_names(struct skipped_frames *skipped, uint32_t call, uint32_t entered);
bool skipped_frames_may_lead(struct skipped_frames *skipped, uint32_t from, uint32_t to);
void skipped_frames_close(struct skipped_frames *skipped);

#endif
