/* The cost centres of a recording, their contexts and entries, in terms of the profile. */
#ifndef ASCRIBE_ATTRIBUTION_RECORDED_CENTRES_H
#define ASCRIBE_ATTRIBUTION_RECORDED_CENTRES_H

#include "attribution/recorded/recorded_functions.h"

struct recorded_centres {
  struct profile_builder builder; /* of profile->centres */
  uint32_t *history;              /* being made */
  /* of the process at hand */
  const struct process_recording *process;
  const struct recorded_functions *functions;
  uint32_t first_thread; /* of the profile */
  uint32_t *centres;     /* recorded function -> centre; NOTHING: not met yet */
  struct map contexts;   /* (recorded context, thread) -> context */
  uint64_t *left;        /* by transition of the profile: entries that are in no slice yet */
  size_t left_count;
};

void recorded_centres_open(struct recorded_centres *centres, struct profile *profile);
void recorded_centres_close(struct recorded_centres *centres);

/* From here on, until recorded_centres_leave, contexts are those of `process`, and its entries have
 * been added. `functions` must outlive that. */
void recorded_centres_enter(struct recorded_centres *centres,
                            const struct process_recording *process,
                            const struct recorded_functions *functions, uint32_t first_thread);
/* When the entries of the process came, whose slices begin at `first_slice` of the profile. */
void recorded_centres_add_slices(struct recorded_centres *centres, uint32_t first_slice);
void recorded_centres_leave(struct recorded_centres *centres);

/* The context of centres, of a thread of the profile, that a recorded one became: what one thread
 * captured another may resume.  NOTHING: in no centre. */
uint32_t recorded_centres_find(struct recorded_centres *centres, uint32_t recorded,
                               uint32_t thread);

#endif
