/* Profile files that are being merged, one after the other: only their sum stays in memory. */
#ifndef ASCRIBE_CLI_MERGE_FILES_H
#define ASCRIBE_CLI_MERGE_FILES_H

#include <stdio.h>

#include "attribution/merge/merge.h"
#include "store/store.h"

/* What ascribe merge was asked for. */
struct merge_request {
  const char *output;
  const char *usual; /* as in struct profile_output; null for ascribe merge, which has an output */
  char **files; /* patterns that name no file stand for all files that match (glob(7)): shells have
                 * room for some thousand names only */
  size_t file_count;
  bool force, quiet;
};

/* 0: go on, and then merge_request_free; 1: help was shown, with `more` (or null) below it; -1:
 * wrong use, said. */
int merge_request_parse(int count, char **arguments, void (*more)(FILE *out),
                        struct merge_request *request);
void merge_request_add(struct merge_request *request, const char *file); /* as it is */
void merge_request_free(struct merge_request *request);

#define MERGE_TOO_FEW "fewer than two profiles are left to merge"

struct merge_files {
  struct merge *merge;
  const char **added; /* whose source text the sum keeps; the names are the caller's */
  size_t added_count;
  size_t left_out; /* damaged, or unreadable: each was named on standard error */
  bool force;      /* other programs, too */
};

void merge_files_begin(struct merge_files *files, bool force);

/* Add a profile's file, which must last until merge_files_end, as `path` does; messages call it
 * `name`. 0, also where it cannot be read and is left out; -1 if it does not add up with the
 * others. */
int merge_files_add(struct merge_files *files, const char *path, const char *name,
                    struct error *error);

/* Their sum, the caller's, once; at least one was added. */
struct profile *merge_files_sum(struct merge_files *files);

/* Of the sum, for store_save_merged. */
struct kept_sources merge_files_sources(const struct merge_files *files);

/* Save the sum as it was asked for, with a summary on standard error. 0, or -1. */
int merge_files_save(struct merge_files *files, const struct merge_request *request,
                     struct error *error);

void merge_files_end(struct merge_files *files);

#endif
