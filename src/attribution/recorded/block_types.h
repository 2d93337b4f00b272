/* Finds the type of a block by the stack that allocated it. */
#ifndef ASCRIBE_ATTRIBUTION_RECORDED_BLOCK_TYPES_H
#define ASCRIBE_ATTRIBUTION_RECORDED_BLOCK_TYPES_H

#include "attribution/recorded/stack_frames.h"
#include "base/map.h"
#include "symbols/allocation_types.h"

/* What a function's name says of the blocks that it allocates. */
struct allocating_function {
  bool is_known, is_library, is_allocator;
  const char *name; /* of their type; null: nothing */
};

/* What an object's compiler says. */
struct allocating_object {
  bool is_known;
  struct allocation_types types;
};

struct block_types {
  struct stack_frames *frames;
  struct allocating_function *functions; /* by function */
  size_t function_count;
  struct allocating_object *objects; /* by object of the profile */
  size_t object_count;
  struct map calls;   /* (object, offset) of a call -> index */
  const char **named; /* what the debug information says that it allocates; or null */
  size_t named_count;
};

/* The name of the type, or null: not known. `tick` is where the stack was when it allocated, as a
 * function and lines, `context` the same in the process that frames are of. */
const char *block_type(struct block_types *types, const struct profile_tick *tick,
                       uint32_t context);
void block_types_close(struct block_types *types);

#endif
