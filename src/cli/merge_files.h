/* Profile files that are being merged, one after the other: only their sum stays in memory. */
#ifndef ASCRIBE_CLI_MERGE_FILES_H
#define ASCRIBE_CLI_MERGE_FILES_H

#include "attribution/merge/merge.h"

struct merge_files {
  struct merge *merge;
  const char **added; /* whose source text the sum keeps; the names are the caller's */
  size_t added_count;
  size_t left_out; /* damaged, or unreadable: each was named on standard error */
  bool force;      /* other programs, too */
};

void merge_files_begin(struct merge_files *files, bool force);

/* Add a profile's file; `name` must last until merge_files_end. 0, also where it cannot be read and
 * is left out; -1 if it does not add up with the others. */
int merge_files_add(struct merge_files *files, const char *name, struct error *error);

/* Save the sum, once; at least one was added. `asked`, `usual`: as in struct profile_output. Unless
 * `quiet`, a summary is printed. 0, or -1 with the error set. */
int merge_files_save(struct merge_files *files, const char *asked, const char *usual, bool quiet,
                     struct error *error);

void merge_files_end(struct merge_files *files);

#endif
