/* Functions at addresses of objects, for files that have only these: from the objects as they are
 * here, if they are the same by their build-ids. */
#ifndef ASCRIBE_EXCHANGE_OBJECT_FRAMES_H
#define ASCRIBE_EXCHANGE_OBJECT_FRAMES_H

#include "exchange/stack_profile.h"
#include "symbols/symbols.h"

struct object_frames {
  struct symbols *symbols; /* null until it is needed */
  struct stack_profile *stacks;
};

enum { MOST_FRAMES_OF_ADDRESS = 32 };

struct object_frame {
  uint32_t function, line; /* of the stack profile */
};

/* All zeros but for `stacks`: nothing opened yet. */
void object_frames_close(struct object_frames *frames);

/* The frames at `offset` in the file of an object of the profile, outermost first.  Where nothing
 * is known: one, which stands for all such code of the object. Returns their number. */
size_t object_frames_at(struct object_frames *frames, uint32_t object, uint64_t offset,
                        struct object_frame list[MOST_FRAMES_OF_ADDRESS]);

/* The function that stands for code of an object (or NOTHING) whose name is not known. */
uint32_t object_frames_unknown(struct stack_profile *stacks, uint32_t object);

#endif
