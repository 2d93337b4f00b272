/* What the parts of the reader share: one recording file while it is being opened.
 *
 * The order of reading matters for a process that still runs: what refers is read before what
 * is referred to (counts, then contexts, then functions), so that a reference never leads to
 * something that was written after we looked.  Until image_resolve, ids are as in the file.
 */
#ifndef ASCRIBE_RECORDING_READER_IMAGE_H
#define ASCRIBE_RECORDING_READER_IMAGE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/map.h"
#include "base/memory.h"
#include "recording/reader.h"

enum { UNIT_CELLS = RECORDING_UNIT / CONTEXT_UNIT };

enum image_state { IMAGE_LOADING, IMAGE_READY, IMAGE_FAILED };

struct image {
  struct process_recording process; /* what is handed out; owns its arrays */
  struct arena arena;               /* histories and strings */
  char *path;
  int descriptor;
  uint64_t limit;      /* bytes of the file that count: claimed, and really there */
  uint64_t rows_limit; /* where rows end in it */
  enum image_state state;
  struct error failure; /* in state IMAGE_FAILED */
  int listed;           /* 1: asked for; 0: opened only because a child refers to it */
  struct image *parent; /* the image it was forked from; null: none, or not readable */

  /* Own context ids: file unit -> number of its UNIT_CELLS cells; cell -> context index. */
  struct map context_units;
  uint32_t *context_cells;
  /* Own functions: id - function_base -> index; and each function's id, whoever's it is. */
  uint32_t *function_cells;
  size_t function_cell_count;
  uint32_t *function_ids;
  /* What was copied from ancestors: entries of these two arrays, by id. */
  struct hash_index inherited_contexts, inherited_functions;
  uint32_t *context_ids; /* of inherited and made contexts; index - own_contexts */
  size_t own_contexts;
  /* Threads: index in the file, and id of the root. */
  struct hash_index thread_map;
  struct recorded_thread *recorded_threads;
  /* Own worlds, which are handed out as objects. */
  struct world **worlds;
  size_t world_count;
  struct map world_numbers;       /* number -> index */
  struct rows *rows;              /* and lists of sites; null: none */
  struct heap_image *heap;        /* null: none */
  struct closure_image *closures; /* null: none */
};

/* The index of the next element behind `count`. Where indices end, memory is said to. */
static inline uint32_t next_index(size_t count) {
  if (count >= NOTHING) memory_exhausted();
  return (uint32_t)count;
}

/* A block of the file, clipped to what is readable. */
struct block {
  uint32_t kind, thread, first;
  uint64_t counted;
  double squares;      /* of BLOCK_TICKS */
  uint64_t pauses;     /* of BLOCK_ROWS and BLOCK_POINTS */
  uint64_t start, end; /* of its contents, offsets in the file; start <= end */
};

/* The context id under which the root of a thread goes when the file names none. Real ids stay
 * below. */
#define MADE_ROOT_FIRST 0xf0000000u
enum { THREAD_LIMIT = 1 << 20 };

/* reader_image.c */

/* Read the file at image->path, ids as they are. Returns 0 or -1. */
int image_read(struct image *image, struct error *error);
/* Free what serves to resolve ids (the children's as well); what is handed out stays. */
void image_drop_maps(struct image *image);
/* Free all but the path. */
void image_drop_contents(struct image *image);

/* reader_blocks.c */

/* The blocks of the file between two offsets: the caller's to free. */
struct block *blocks_find(struct image *image, uint64_t start, uint64_t end, size_t *count);

/* Reads the contents of a block piece by piece. */
struct block_stream {
  int descriptor;
  uint64_t offset, end; /* of what was not read yet */
  uint8_t *data;
  size_t at, have;
  int failed; /* 1: the file ended before the block did, or a record cannot be */
};
void block_stream_start(struct block_stream *stream, const struct image *image,
                        const struct block *block);
void block_stream_stop(struct block_stream *stream);
/* The next `bytes` (more than 0) of the block, aligned to 8 if all that was passed over were
 * multiples of 8; null at its end. Valid until the next call. Does not pass over them. */
const void *block_stream_peek(struct block_stream *stream, size_t bytes);
/* Gives each row of `bytes` bytes, if it is not in a hole of the file, to `take`, with its number
 * in the block and `context`. */
void block_rows(struct image *image, const struct block *block, size_t bytes,
                void (*take)(void *context, const void *row, uint64_t number), void *context);
/* The next of the records that begin with their length, 32 bits: at least `least`, multiple of
 * `unit`. Passes over it; null at the end of the list, where a length is 0. Valid until the next
 * call. */
const void *block_stream_record(struct block_stream *stream, uint32_t least, uint32_t unit);

/* reader_threads.c */
void threads_read(struct image *image, const struct block *block);
/* The index of the thread with this index in the file; entered if the file does not tell of it.
 * NOTHING when there are too many. */
uint32_t thread_find(struct image *image, uint32_t recorded);
/* The id under which the root of this thread (index in the array) is referred to. */
uint32_t thread_root_id(const struct image *image, uint32_t thread);

/* reader_counts.c: sum slots and ticks by their keys. */
struct counts {
  struct hash_index transitions, calls, ticks;
  struct map points; /* address -> index in process->points */
};
void counts_read_table(struct image *image, struct counts *counts, const struct block *block);
void counts_read_ticks(struct image *image, struct counts *counts, const struct block *block);

/* Slices; then no more than there are. */
void counts_read_slices(struct image *image, const struct block *block);
void counts_read_entries(struct image *image, const struct block *block);
void counts_end_slices(struct process_recording *process);

/* Areas of counters add up; then what is in them, and no more than there is. */
void counts_read_area(struct image *image, const struct block *block);
void counts_read_counters(struct image *image, const struct block *block);
void counts_bound(struct process_recording *process);

/* reader_contexts.c */
void contexts_read(struct image *image, const struct block *block);
/* The index of an own context, or NOTHING. */
uint32_t contexts_own(const struct image *image, uint32_t id);

/* reader_functions.c */
void functions_read(struct image *image, const struct block *block);
/* The index of a function, own or inherited (which is copied on first use); NOTHING if nobody
 * knows it. */
uint32_t functions_find(struct image *image, uint32_t id);

/* Append one that has no id: a return address (with RETURN_ADDRESS) at an epoch. */
void functions_add_call(struct image *image, uint64_t address, uint64_t epoch);

/* reader_heap.c */
void heap_read_books(struct image *image, const struct block *block);
void heap_read_past(struct image *image, const struct block *block); /* before the cells */
void heap_read_cells(struct image *image, const struct block *block);
void heap_read_frames(struct image *image, const struct block *block);
void heap_read_mappings(struct image *image, const struct block *block);
void heap_read_names(struct image *image, const struct block *block);
/* Before contexts without ids come. */
void heap_resolve_centres(struct image *image);
/* Make contexts of the stacks that cells are of, once no more contexts with ids come. */
void heap_resolve(struct image *image);
void heap_free(struct image *image);

/* reader_closures.c */

/* False: the slot or row of the thread (index) is not of closures. */
bool closures_take_slot(struct image *image, uint32_t thread, const struct ascribe_slot *slot);
bool closures_take_entries(struct image *image, uint32_t thread,
                           const struct recorded_entries *entries);
void closures_read_censuses(struct image *image, const struct block *block);
/* As heap_resolve_centres; then, once worlds are resolved, as heap_resolve. */
void closures_resolve_centres(struct image *image);
void closures_resolve(struct image *image);
void closures_free(struct image *image);

/* reader_messages.c: of all blocks of the file. */
void messages_read(struct image *image, const struct block *blocks, size_t count);
void messages_read_ends(struct image *image, const struct block *blocks, size_t count);
/* Contexts of messages, from ids to indices. */
void messages_resolve(struct image *image);

/* reader_objects.c */
void objects_read(struct image *image, const struct block *block);
void texts_read(struct image *image, const struct block *block);

/* reader_worlds.c */
void worlds_read(struct image *image, const struct block *block);
/* Enter the objects that worlds are, those that the parent defined included. */
void worlds_resolve(struct image *image);
void worlds_free(struct image *image);

/* reader_rows.c */
void rows_read(struct image *image, const struct block *block);

/* The records of a block of rows or points, and its block of pauses, if it has one. */
struct paused_stream {
  struct block_stream records, pauses;
};
void paused_stream_start(struct paused_stream *stream, const struct image *image,
                         const struct block *block);
void paused_stream_stop(struct paused_stream *stream);
/* The next record, and the same bytes of the pauses; null where there are none. */
const void *paused_stream_record(struct paused_stream *stream, uint32_t least, const void **pauses);

/* reader_points.c */
void points_read(struct image *image, struct counts *counts, const struct block *block);

void rows_read_sites(struct image *image, const struct block *block);
/* The context id of a row; 0: there is no such row. */
uint32_t rows_context(const struct image *image, uint32_t id);
/* Add the calls that rows counted: of functions with rows, as ids; of leaves, once contexts and
 * functions are resolved and no more contexts with ids come. */
void rows_add_calls(struct image *image);
void rows_add_leaves(struct image *image);
void rows_free(struct image *image);

/* reader_resolve.c: from ids to indices. The parent must have been resolved before. */
void image_resolve(struct image *image);
/* The index of a context, by its id or a row's: of this file, of an ancestor's (copied on first
 * use), or made here (a thread's root without a record). NOTHING if there is none. */
uint32_t resolve_context(struct image *image, uint32_t id);

#endif
