/* Profiles side by side: an SQLite database in memory to which profile files are attached, to be
 * read only.  What they say is copied out as entries (entries.h), matched (match.h) and compared
 * (comparison.h).  Nothing here is for more than one thread at a time. */
#ifndef ASCRIBE_COMPARE_WORKSPACE_H
#define ASCRIBE_COMPARE_WORKSPACE_H

#include <sqlite3.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/error.h"

/* SQLite attaches ten databases at most. */
enum { WORKSPACE_MOST = 9 };

struct workspace {
  sqlite3 *database;
  size_t count;                         /* profiles added so far; they are numbered from 1 */
  char *paths[WORKSPACE_MOST];          /* as they were named */
  struct profile *made[WORKSPACE_MOST]; /* of a recording, or of an interval; null: it is a file */
  char *files[WORKSPACE_MOST];          /* of those: the file that keeps source text, or null */
  struct stat opened[WORKSPACE_MOST];   /* its file when it was added; no inode: it has none */
  char *metric;                         /* that figures are of; null: each profile's first */
};

/* An empty one, which stays where it is. To be closed with workspace_close, also after a
 * failure. */
int workspace_open(struct workspace *workspace, struct error *error);
void workspace_close(struct workspace *workspace);

/* Attach the profile file at `path` as the schema p1, p2, ... and note its figures of the whole in
 * the table `profile`: id, path, unit ("ns" or what was counted), scale (of stored amounts: seconds
 * or 1), whole (sum of the self times, scaled), ticks, unseen (the uncertainty of an amount of
 * which no tick was seen; NULL: not known), counts and executions (1: calls, and expressions, were
 * counted), sampled (what the ticks were taken of, scaled), runs (those that were merged, or 1) and
 * run_deviation (of the runs' sampled time, as a part of it; NULL: one run).  What is no profile,
 * or one of another version, fails with one line. */
int workspace_add(struct workspace *workspace, const char *path, struct error *error);

/* The same of a profile that is in no file, which is the workspace's from now on, also after a
 * failure; source text is what the profile at `file` keeps (null: what is on disk). */
int workspace_add_made(struct workspace *workspace, struct profile *profile, const char *path,
                       const char *file, struct error *error);

/* Fails with one line if a file is no longer the one that was added, or has changed since: ids of
 * one mean nothing in the other. */
int workspace_check_files(const struct workspace *workspace, struct error *error);

/* Figures are of this metric of all profiles that are added from now on; null: of the first of
 * each. A profile without it cannot be added. */
void workspace_choose(struct workspace *workspace, const char *metric);

/* Show another file as profile number `profile`, of the same program and run; its figures of the
 * whole stay.  What was copied out of it stays, too. */
int workspace_attach(struct workspace *workspace, size_t profile, const char *path,
                     struct error *error);

/* Attach a profile's file under another name than those of the numbered ones. */
int workspace_attach_as(struct workspace *workspace, const char *schema, const char *path,
                        struct error *error);

/* Detach a profile's file; what was copied out of it stays. */
int workspace_detach(struct workspace *workspace, size_t profile, struct error *error);

/* Run one or more statements without results; printf rules for `sql` (sqlite3_mprintf's: %Q
 * quotes, and there is no %z).  0, or -1 with SQLite's reason. */
int workspace_run(struct workspace *workspace, struct error *error, const char *sql, ...);

/* Prepare one statement, as above. To be finalised by the caller. */
int workspace_prepare(struct workspace *workspace, sqlite3_stmt **statement, struct error *error,
                      const char *sql, ...);

/* -1, with SQLite's reason for the last failure. */
int workspace_error(struct workspace *workspace, struct error *error);

#endif
