/* Reading a profile file: what its parts share. */
#ifndef ASCRIBE_STORE_LOADER_H
#define ASCRIBE_STORE_LOADER_H

#include "attribution/profile.h"
#include "store/database.h"
#include "store/row.h"

struct loader {
  sqlite3 *database;
  const char *path;
  struct error *error;
  struct profile *profile;
  const char **files;
  size_t file_count, file_room;
  size_t object_room, function_room, process_room, thread_room, context_room, site_room,
      transition_room, line_room, stack_room, tick_room, instruction_room, expression_room,
      line_count_room, given_arc_room, wait_room, wait_instruction_room, run_room, run_cost_room,
      count_room, place_room, possible_room, expansion_room, block_room, copy_room;
  uint32_t *marked_in; /* by function: the last context (plus one) that marked it */
  uint32_t *history;   /* of the context being read */
  size_t history_room;
  uint64_t history_entries; /* of all contexts so far */
};

/* The error of a file that says what cannot be. */
int loader_damaged(const struct loader *loader);

/* Hand every row of a query to `take`, which sets row->damaged where a value cannot be. */
int loader_rows(struct loader *loader, const char *sql,
                void (*take)(struct loader *loader, struct row_in *row));

/* Ids are dense: the row's id must be the next. */
void loader_expect_id(struct row_in *row, size_t next);

/* All contexts; the functions and threads have been read. */
int loader_contexts(struct loader *loader);

/* How code came to where it runs, after files and functions; and its copies, after expressions. */
int loader_expansions(struct loader *loader);
int loader_blocks(struct loader *loader);
int loader_copies(struct loader *loader);

/* A file by its id, or null; an optional text in the profile's pool. */
const char *loader_file(struct loader *loader, struct row_in *row);
const char *loader_text(struct loader *loader, struct row_in *row);

/* A tick: its context, line and stack have been read. */
void loader_tick(struct loader *loader, struct row_in *row, struct profile_tick *tick);

/* Origin and given figures, after everything that they are about. */
int loader_given(struct loader *loader);

/* The equations of calls, after given figures. */
int loader_possible(struct loader *loader);

/* Runs; the processes and functions have been read. */
int loader_runs(struct loader *loader);

/* Waiting, after everything that it is about. */
int loader_waits(struct loader *loader);

/* Two columns: ticks, and what they stand for. */
struct amount get_amount(struct row_in *row);

#endif
