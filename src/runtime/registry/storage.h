/* The recording as memory: a sparse file mapped once, from which blocks are claimed.
 * Process-wide state; blocks may be claimed from any thread, hook or signal handler. */
#ifndef ASCRIBE_RUNTIME_STORAGE_H
#define ASCRIBE_RUNTIME_STORAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/layout.h"

#define STORAGE_PATH_BYTES 1024

/* Make a new recording file in `directory` and map it; `make`: the directory too, mode 0700, if it
 * is missing. It must be this user's, and no other may write to it (-EPERM).  The descriptors are
 * closed again. On failure returns a negative errno and nothing is left behind.  Not for signal
 * handlers. */
int storage_create(const char *directory, bool make);

/* What keeps the runtime from recording all there is. Threads may find out at once. */
void storage_note_lack(enum hindrance why);

/* Whether an open file or directory is this user's, and no other may write to it. */
bool storage_is_private(long descriptor);

/* In a forked child: remember the parent's mapping for its contexts and make a file of its own,
 * with ids that go on where the parent's end, and with the rows of the thread whose row is
 * `running`, at their places, with nothing counted.  Returns 0 or a negative errno; then the rows
 * are as they should be all the same, but not in any file. */
int storage_create_child(const struct ascribe_row *running);

/* In a forked child that is not to have a file: code that is under way counts nothing in the
 * parent's. */
void storage_give_up_child(const struct ascribe_row *running);

/* The header of this process's recording; valid after storage_create. */
struct recording_header *storage_header(void);

/* Claim a block of at least `bytes` of payload; null when the recording is full or memory or disk
 * are: no SIGBUS later.  The payload is zeroed. Any thread; signal-safe. */
struct block_header *storage_claim(enum block_kind kind, uint64_t bytes, uint32_t thread);
/* Claim a block of `bytes` that is a hole, of which only the header's page is there; what is used
 * of it is filled before. At most half of the recording goes to such blocks. */
struct block_header *storage_reserve(enum block_kind kind, uint64_t bytes);
/* False: no room. Signal-safe, as storage_claim is. */
bool storage_fill(void *address, uint64_t bytes);
static inline void *block_payload(struct block_header *block) {
  return block + 1;
}
static inline uint64_t block_payload_bytes(const struct block_header *block) {
  return block->bytes - sizeof *block;
}

/* The same in the part of the recording that rows have: BLOCK_ROWS or BLOCK_POINTS. */
struct block_header *storage_claim_rows(enum block_kind kind, uint64_t bytes, uint32_t thread);

/* The next record of a block, null if it is full. Records begin with their size, a multiple of
 * CONTEXT_UNIT, as uint32_t. Signal-safe. */
void *storage_claim_record(struct block_header *block, uint64_t bytes);

/* Appends a row of `bytes`, a multiple of 8, to the thread's last block of this kind (null: none
 * yet), or to a new one. Readers see it when it is whole. False: no room. Its thread alone. */
bool storage_append(struct block_header **block, enum block_kind kind, uint32_t thread,
                    const void *row, uint64_t bytes);

/* Rows: is this a place in the part that rows have? The id of the row there (recording/layout.h),
 * and back. */
bool storage_is_row(uint64_t address);
uint32_t storage_row_id(const struct ascribe_row *row);
struct ascribe_row *storage_row(uint32_t id);

/* Blocks of rows and of points, in their order; null after the last. */
struct block_header *storage_next_rows(const struct block_header *block);

/* How many bytes one of our mappings may take of the address space, most of which is the program's:
 * a part of RLIMIT_AS. */
uint64_t storage_share_of_space(void);

/* False: RLIMIT_AS leaves the program too little to share. The file then has room to say so. */
bool storage_has_space(void);

/* The program limits its address space to so many bytes (RLIMIT_AS): most of what the recording has
 * set aside is given back. Not for handlers. */
void storage_leave_space(uint64_t space);

/* Open what is claimed next, up to `bytes`: that takes no system call then. */
void storage_make_room(uint64_t bytes);

/* Context ids and their records; null for ids that no mapping of this process holds. */
const struct recorded_context *storage_context(uint32_t id);
/* Whether an id that the program had in its hands may be one: reading its record is safe then. */
bool storage_may_be_context(uint32_t id);
uint32_t storage_context_id(const struct recorded_context *context);

/* A descriptor of the directory (O_PATH), to be closed, or a negative errno: others own it or may
 * write to it, it is a link, or lies on a network. */
int storage_open_directory(void);

static inline void storage_count_drop(enum drop drop) {
  /* Relaxed: a counter that is only read for display. */
  __atomic_fetch_add(&storage_header()->drops[drop], 1, __ATOMIC_RELAXED);
}

#endif
