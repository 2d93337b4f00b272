#include "view/rank_files.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/merge/merge.h"
#include "attribution/run.h"
#include "attribution/run_costs.h"
#include "store/store.h"

enum { FILES_MOST = 4096 /* of a group: each takes 10 to 100 ms, while somebody waits */ };

struct rank_run {
  uint32_t rank;
  uint64_t started_ns;
};

struct rank_runs {
  struct rank_run *runs;
  size_t count;
};

/* Those of the job; the array is the caller's, also after a failure. */
static int read_runs(const char *job, struct rank_runs *ranks, struct error *error) {
  struct workspace workspace;
  sqlite3_stmt *rows = NULL;
  *ranks = (struct rank_runs){0};
  int result = workspace_open(&workspace, error);
  if (result == 0) result = workspace_add(&workspace, job, error);
  if (result == 0)
    result = workspace_prepare(&workspace, &rows, error,
                               "SELECT rank, started_ns FROM p1.runs WHERE rank IS NOT NULL");
  while (result == 0 && sqlite3_step(rows) == SQLITE_ROW) {
    ARRAY_GROW(ranks->runs, ranks->count);
    ranks->runs[ranks->count++] = (struct rank_run){(uint32_t)sqlite3_column_int64(rows, 0),
                                                    (uint64_t)sqlite3_column_int64(rows, 1)};
  }
  sqlite3_finalize(rows);
  workspace_close(&workspace);
  return result;
}

/* ---- files ---- */

/* Null, with `path` freed, if it is not the profile of this run. */
static struct profile *load_if_of(char *path, const struct rank_run *run) {
  struct profile *profile = NULL;
  struct error ignored;
  int result = store_load(path, &profile, &ignored);
  free(path);
  if (result != 0) return NULL;
  struct run_rank *ranks = runs_ranks(profile);
  struct run of;
  run_make(profile, &of);
  bool same = profile->run_count == 0 && ranks[0].known && ranks[0].rank == run->rank &&
              of.started_ns == run->started_ns;
  free(ranks);
  if (same) return profile;
  profile_free(profile);
  return NULL;
}

bool rank_files_names(const char *name, uint32_t rank) {
  char part[16];
  size_t length = strlen(name), end = strlen(".ascribe");
  snprintf(part, sizeof part, ".%" PRIu32 ".", rank);
  return length > end && strcmp(name + length - end, ".ascribe") == 0 && strstr(name, part);
}

/* Beside the job's profile. */
static int load_run(const char *job, const struct rank_run *run, struct profile **profile,
                    struct error *error) {
  const char *slash = strrchr(job, '/');
  char *folder = slash ? memory_text_part(job, (size_t)(slash + 1 - job)) : memory_text("./");
  DIR *directory = opendir(folder);
  *profile = NULL;
  for (struct dirent *entry; directory && !*profile && (entry = readdir(directory));)
    if (rank_files_names(entry->d_name, run->rank))
      *profile = load_if_of(memory_printed("%s%s", folder, entry->d_name), run);
  if (directory) closedir(directory);
  if (!*profile)
    error_set(error, "the profile of rank %" PRIu32 " (*.%" PRIu32 ".ascribe) is not in %s",
              run->rank, run->rank, folder);
  free(folder);
  return *profile ? 0 : -1;
}

/* Whether the text, as "0-3,7", has the rank. */
static bool names(const char *text, uint32_t rank) {
  for (const char *at = text; at;) {
    char *end;
    unsigned long from = strtoul(at, &end, 10), to = from;
    if (*end == '-') to = strtoul(end + 1, NULL, 10);
    if (end != at && rank >= from && rank <= to) return true;
    at += strcspn(at, ",");
    at = *at ? at + 1 : NULL;
  }
  return false;
}

static int add_run(struct merge *merge, const char *job, const struct rank_run *run,
                   struct error *error) {
  struct profile *profile = NULL;
  char name[32];
  if (load_run(job, run, &profile, error) != 0) return -1;
  snprintf(name, sizeof name, "rank %" PRIu32, run->rank);
  int result = merge_add(merge, profile, name, true, error);
  profile_free(profile);
  return result;
}

static int load_group(const char *job, const struct rank_runs *ranks, const char *text,
                      struct profile **group, struct error *error) {
  const struct rank_run *last = NULL;
  size_t count = 0;
  for (size_t i = 0; i < ranks->count; i++)
    if (names(text, ranks->runs[i].rank)) {
      last = &ranks->runs[i];
      count++;
    }
  if (!count) return error_set(error, "the profile has no rank %s", text);
  if (count > FILES_MOST) return error_set(error, "a group has at most %d ranks", FILES_MOST);
  if (count == 1) return load_run(job, last, group, error);
  struct merge *merge = merge_begin();
  for (size_t i = 0; i < ranks->count; i++)
    if (names(text, ranks->runs[i].rank) && add_run(merge, job, &ranks->runs[i], error) != 0) {
      merge_discard(merge);
      return -1;
    }
  *group = merge_finish(merge);
  return 0;
}

int rank_files_add(struct workspace *workspace, const char *job, const char *text,
                   struct error *error) {
  struct rank_runs ranks;
  struct profile *group = NULL;
  int result = read_runs(job, &ranks, error);
  if (result == 0) result = load_group(job, &ranks, text, &group, error);
  free(ranks.runs);
  if (result != 0) return result;
  char *name = memory_printed("%s: rank%s %s", job, strpbrk(text, ",-") ? "s" : "", text);
  result = workspace_add_made(workspace, group, name, job, error);
  free(name);
  return result;
}
