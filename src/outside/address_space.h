/* What code lies where in a process, now and before. */
#ifndef ASCRIBE_OUTSIDE_ADDRESS_SPACE_H
#define ASCRIBE_OUTSIDE_ADDRESS_SPACE_H

#include "outside/object_file.h"
#include "recording/reader.h"
#include "unwind/walk.h"

/* An executable mapping that is there. */
struct mapped {
  const struct object_file *file; /* null: memory that is no file's */
  uint32_t object;                /* in `objects`; NOTHING without a file */
};

struct address_space {
  struct unwind_object *code; /* what is there, sorted by address, without overlaps */
  struct mapped *mapped;      /* of each of them */
  size_t count;
  struct object_entry *objects;     /* all that ever was there; `path` and `reach` not set */
  const struct object_file **files; /* of each of them */
  size_t object_count;
  uint64_t epoch;      /* changes so far: orders objects and functions */
  uint64_t generation; /* of `code`: equal numbers, equal code, in any process */
};

/* All zeros: empty. */
void address_space_close(struct address_space *space);

/* A forked child's: what is there in its parent's. */
void address_space_copy(struct address_space *space, const struct address_space *parent);

/* A mapping was made, in place of what lay there.  `file` null: it is no file's. */
void address_space_map(struct address_space *space, const struct kernel_mapping *mapping,
                       const struct object_file *file);

/* The index in `mapped` of what holds an address, or NOTHING. */
uint32_t address_space_find(const struct address_space *space, uint64_t address);

/* The bytes of the code before `address`, `bytes` of them, or null where they are not known. */
const uint8_t *address_space_code_before(const struct address_space *space, uint64_t address,
                                         uint64_t bytes);

#endif
