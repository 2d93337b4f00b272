/* Writes recordings for tests, block by block, as src/recording/layout.h lays them out. */
#ifndef ASCRIBE_TESTS_RECORDING_FIXTURE_H
#define ASCRIBE_TESTS_RECORDING_FIXTURE_H

#include <stddef.h>

#include "recording/layout.h"

/* A recording file in memory. Ends the test when there is no memory. */
struct fixture {
  uint8_t *data;
  size_t capacity;
};

/* A new recording of process `pid`, with a good header and no block. */
struct fixture fixture_create(uint32_t pid);
void fixture_free(struct fixture *fixture);
struct recording_header *fixture_header(struct fixture *fixture);

/* Claim a block with room for at least `contents` bytes. Returns the block's offset. */
size_t fixture_block(struct fixture *fixture, enum block_kind kind, uint32_t thread,
                     size_t contents);
/* What lies at an offset; valid until the next block is claimed. */
void *fixture_at(struct fixture *fixture, size_t offset);

/* Append to a block; each fits, or the test ends. */
void fixture_text(struct fixture *fixture, size_t block, const char *text);
void fixture_object(struct fixture *fixture, size_t block, const struct recorded_object *object,
                    const char *path);
void fixture_function(struct fixture *fixture, size_t block, uint64_t address, uint64_t epoch);
void fixture_thread(struct fixture *fixture, size_t block, const struct recorded_thread *thread);
void fixture_slot(struct fixture *fixture, size_t block, struct ascribe_slot slot);
void fixture_tick(struct fixture *fixture, size_t block, struct recorded_tick tick);
void fixture_counters(struct fixture *fixture, size_t block, struct recorded_counters counters);
void fixture_counts(struct fixture *fixture, size_t block, const uint64_t *counts, size_t count);
/* A block of definitions of this world. */
size_t fixture_world(struct fixture *fixture, uint32_t number, size_t contents);
void fixture_definition(struct fixture *fixture, size_t block,
                        const struct recorded_definition *definition, const char *text);
/* Returns the context's id. History entries are (function id << 1) | mark. */
uint32_t fixture_context(struct fixture *fixture, size_t block, const uint32_t *history,
                         uint32_t length, uint32_t flags);

/* A block with the sites of a function. Returns their id. */
uint32_t fixture_sites(struct fixture *fixture, uint32_t function,
                       const struct recorded_site *sites, uint32_t count);

/* From here on blocks are in the part of the file that rows have. */
void fixture_rows_begin(struct fixture *fixture);

/* A row with room for `slots` words; Returns its header, as words: those of
 * leaves lie before it.  Valid until the next block is claimed. */
uint64_t *fixture_row(struct fixture *fixture, size_t block, uint32_t leaves,
                      const struct ascribe_row *row, uint32_t slots);
/* Where the process had it: what `next` of slots holds. */
uint64_t fixture_row_address(struct fixture *fixture, const uint64_t *row);

/* Counters of points, all 0: returns their record.  Valid until the next block is claimed. */
struct recorded_points *fixture_points(struct fixture *fixture, size_t block,
                                       const uint64_t *addresses, uint32_t count);

/* The fixture is complete: its bytes. */
size_t fixture_end(struct fixture *fixture);

/* Write DIRECTORY/PID.SEQUENCE.recording. */
void fixture_write(struct fixture *fixture, const char *directory, uint32_t sequence);

/* A small recording with everything in it: main -> P -> Q and a recursion, two tables with a key
 * in common, ticks, two objects, a thread. */
struct fixture fixture_sample(uint32_t pid);

/* A program of a language host, with no object file: main -> queens, which calls itself, a function
 * without a name and one that is not defined (key 99). The keys of main, queens and the nameless
 * one are 1 to 3, and those of the calls from 10 on, all of them plus `shift`, in world 3. */
struct fixture fixture_of_host(uint32_t pid, uint64_t shift);

/* A temporary directory; ends the test if it cannot be made. To be freed by fixture_remove, which
 * deletes the directory with the files in it. */
char *fixture_directory(void);
void fixture_remove(char *directory);

#endif
