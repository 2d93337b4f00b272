/* Addresses of the processes of a recording, and keys of their worlds, to functions and lines of a
 * profile. */
#ifndef ASCRIBE_ATTRIBUTION_PLACES_H
#define ASCRIBE_ATTRIBUTION_PLACES_H

#include <stdbool.h>

#include "profile/builder.h"
#include "symbols/symbols.h"

/* What is known of one address. */
struct place {
  uint32_t function; /* NOTHING: no symbol holds it */
  uint32_t object;   /* of the profile; NOTHING: in no object */
  uint64_t offset;   /* in the object's file; a world's key; without an object the address itself */
  const char *file;  /* or null */
  uint32_t line, column;             /* column 0: not known, as of all machine code */
  uint64_t link_address;             /* in the symbol file; 0: not known */
  uint32_t first_frame, frame_count; /* in places->frames; 0: not looked for */
  const char *clone;                 /* as of a profile_copy */
  bool piece;                        /* in a *.cold or *.part of the function */
  bool runtime;       /* the profiler's own, as the name of its function, section or file says */
  bool thread_begins; /* of these, the caller of a thread's first function */
};

/* A function that runs at a place, and where in its source: the physical one, or one that was
 * inlined into it. */
struct place_frame {
  uint32_t function;
  uint32_t line, column;
  const char *file; /* or null */
  bool inlined;
};

struct places {
  struct profile_builder *builder;
  struct profile *profile; /* the builder's */
  struct symbols *symbols;
  struct symbol_file **files;              /* by object of the profile */
  const struct process_recording *process; /* the one at hand */
  uint64_t entered;                        /* how many were: keys of worlds are the process's */
  uint32_t *objects_of_process;            /* its objects -> objects, or NOTHING: not met yet */
  struct map identities;                   /* text that identifies a function -> function */
  struct map by_name;                      /* (object and name) -> its first function */
  bool *from_piece;                        /* by function: only pieces of it were met yet */
  struct map known;                        /* (object, offset) -> place */
  struct place *list;
  struct place_frame *frames;
  size_t frame_count;
  size_t place_count;
};

void places_open(struct places *places, struct profile_builder *builder, struct symbols *symbols);
void places_close(struct places *places);

/* From here on addresses are those of `process`. */
void places_enter(struct places *places, const struct process_recording *process);

/* A text that identifies an object: equal ones are the same pointer.  Objects are one if their
 * build-ids are, whatever path they were loaded from. */
const char *places_identity(struct places *places, const struct object_entry *object);

/* The object of the profile that a recorded one (index) of the process is; added if it is new. */
uint32_t places_object(struct places *places, uint32_t recorded);

/* The id of the place of an address, to be looked at with places_get.  `event` as in
 * recording_object_at.  For a return address pass CALLING_BYTE of it. */
uint32_t places_find(struct places *places, uint64_t address, uint64_t event);
const struct place *places_get(const struct places *places, uint32_t id);

/* The id of the place of a link-time address in an object of the profile. */
uint32_t places_in(struct places *places, uint32_t object, uint64_t address);

/* The function at a place; one is made up, and named by its object, where there is no symbol.
 * `entry`: the place is the first byte of a function, which is then told from its neighbours. */
uint32_t places_function(struct places *places, uint32_t id, bool entry);

/* The functions that run at a place, outermost first: the physical one, as places_function tells
 * it, and what was inlined into it there. At least one. Valid until the next call. */
const struct place_frame *places_frames(struct places *places, uint32_t id, uint32_t *count);

/* The source column of the code at a place, in the innermost function inlined there; 0: unknown. */
uint32_t places_column(struct places *places, uint32_t id);

/* How the source of what runs at a place came there, as places_frames tells; or NOTHING. */
uint32_t places_expansion(struct places *places, uint32_t id);

/* The function of an object that was inlined, by its linkage name and where it is defined: the same
 * that places_frames tells. */
uint32_t places_inlined(struct places *places, uint32_t object, const char *linkage,
                        const char *file, uint32_t line);

/* The function that holds a link-time address of an object, or NOTHING if none of its addresses has
 * been looked for. */
uint32_t places_met(struct places *places, uint32_t object, uint64_t address);

/* The function that stands for calls whose function is not in the recording. */
uint32_t places_overflow(struct places *places);

/* The function that stands for outer frames of sampled stacks that could not be found. */
uint32_t places_cut(struct places *places);

/* In a stack of history entries, outermost first: a cut above Haskell's code becomes the function
 * that says so, as C's unwinding ends there. */
void places_explain_cuts(struct places *places, uint32_t *entries, size_t count);

/* The function that stands for what a thread did outside of all functions with hooks. */
uint32_t places_outside(struct places *places);

/* The function that stands for whatever allocated a language host's closures. */
uint32_t places_closures(struct places *places);

#endif
