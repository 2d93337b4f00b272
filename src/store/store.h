/* The profile as a file: one SQLite database (docs/PROFILE.md). */
#ifndef ASCRIBE_STORE_STORE_H
#define ASCRIBE_STORE_STORE_H

#include <limits.h>

#include "profile/profile.h"

/* Whether a profile may be written to `path`: its directory lets us, and nothing is there, or a
 * regular file. 0, or -1 with the error set. Whoever takes long to make a profile asks before. */
int store_may_save(const char *path, struct error *error);

/* The same for store_save_new: whatever is there. */
int store_may_save_new(const char *path, struct error *error);

/* Write the profile to `path`.  It is written beside it under another name and moved into place
 * when complete, instead of a file that stood there.  On failure nothing is left behind and the
 * older file stays as it was. */
int store_save(const struct profile *profile, const char *path, struct error *error);

/* The same without replacing a file: as PATH.ascribe, or the first of PATH.2.ascribe,
 * PATH.3.ascribe ... that does not exist.  `saved` gets the name.  Several processes may do so at
 * once: none takes the name of another. */
int store_save_new(const struct profile *profile, const char *path, char saved[PATH_MAX],
                   struct error *error);

/* Profile files that keep source text. */
struct kept_sources {
  const char *const *profiles; /* paths */
  size_t count;
};

/* The same for a profile that was made of others: source text is that which these keep, of the
 * first that has it, before that on disk, which may be newer. */
int store_save_merged(const struct profile *profile, const struct kept_sources *kept,
                      const char *path, struct error *error);

/* Read the profile back, also one of an earlier version.  Nothing in the file is believed
 * unchecked: a foreign, newer or damaged one fails with one line.  The profile is the caller's. */
int store_load(const char *path, struct profile **profile, struct error *error);

/* The same with the series of its metrics (profile/time_slices.h), which are as many rows again. */
int store_load_series(const char *path, struct profile **profile, struct error *error);

/* The same with objects, functions, lines and instructions only, and as much of its ticks as books
 * (attribution/books.h) need: no contexts, arcs or counts. Other profiles than of recordings, and
 * files without metrics, are read whole. */
int store_load_code(const char *path, struct profile **profile, struct error *error);

/* Attach a profile's file to a database of the caller's as `schema`, to be read only, with the
 * tables of tables.h and the views of schema.h: what has another form is read and attached as it
 * would be written today, in memory. The same where `metric` names the one that is to be the first;
 * null: the file's. 0, or -1 with the error set, which names `path`. */
struct sqlite3;
int store_attach(struct sqlite3 *database, const char *schema, const char *path, const char *metric,
                 struct error *error);

/* The same for a profile in memory. Its metrics keep their order; if another than the first is
 * chosen, it forgets its single runs (metrics_put_first). The source text comes from disk, or from
 * the files of `kept`. `name` stands in messages. */
int store_attach_profile(struct sqlite3 *database, const char *schema, struct profile *profile,
                         const struct kept_sources *kept, const char *name, const char *metric,
                         struct error *error);

/* Parts of a profile's file: what its views tell of functions, processes, threads and runs; of
 * arcs, call sites and call lines; of lines; of cost centres; of the heap; of what was when; of
 * calls of MPI. */
enum store_part {
  STORE_FUNCTIONS = 1,
  STORE_CALLS = 2,
  STORE_LINES = 4,
  STORE_CENTRES = 8,
  STORE_HEAP = 16,
  STORE_SERIES = 32,
  STORE_MESSAGES = 64
};

/* These parts (store_part bits) in memory, of what `selection` (attribution/costs.h) chose of the
 * profile alone; null: all. Other views are empty. To be closed with sqlite3_close, also after a
 * failure. 0, or -1 with the error set. */
struct selection;
int store_select(const struct profile *profile, const struct selection *selection, unsigned parts,
                 struct sqlite3 **database, struct error *error);

/* The text of a source file. */
struct source_copy {
  char *text; /* with a zero behind it; to be freed with free(); null: there is none */
  size_t bytes;
  bool newer; /* the file was modified after an object with code of it was: lines may be off */
};

/* The text of `path` that the profile file keeps, as it was when it was saved. Returns 0, also
 * where the file keeps none, or -1 and leaves *copy as it was. */
int store_source(const char *profile_path, const char *path, struct source_copy *copy,
                 struct error *error);

/* The same for a profile that is not saved: as the file is on disk now. `path` is the profile's
 * own pointer. */
void store_source_on_disk(const struct profile *profile, const char *path,
                          struct source_copy *copy);

/* Whether the file at `path` begins as an SQLite file does. 0 also when it cannot be read. */
int store_is_file(const char *path);

#endif
