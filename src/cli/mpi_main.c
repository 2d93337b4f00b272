/* ascribe-mpi: ascribe merge by the ranks of an MPI job, each with its part of the files.
 *
 * Rank r has the files from r n / ranks on. In step s = 1, 2, 4 ... the rank whose number is an odd
 * multiple of s sends its sum to the one s below it and is done, so that after log2(ranks) steps
 * rank 0 has all, in the order of the files: a binomial tree, as of MPI_Reduce for operations that
 * do not commute (Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations
 * in MPICH, 2005). A sum travels as a profile file, with its source text. Each rank holds one sum,
 * and the one that it is adding. */
#include <mpi.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/merge_files.h"
#include "cli/message_stream.h"
#include "cli/temporary.h"

enum { CHUNK_BYTES = 16 << 20 };

/* What a sum is made of; goes before it. */
struct share {
  uint64_t failed; /* 0 or 1: this rank, or one that it had the sum of, has said why */
  uint64_t added, left_out, bytes;
};

struct ranks {
  int rank, count;
  const struct merge_request *request;
  char directory[PATH_MAX]; /* for sums as files; of this process alone */
  struct merge_files files;
  struct share share;
  char **received; /* their names */
  size_t received_count;
};

static void fail(struct ranks *ranks, const struct error *error) {
  if (!ranks->share.failed) command_failed(error);
  ranks->share.failed = 1;
}

static size_t first_file(const struct ranks *ranks, int rank) {
  return ranks->request->file_count * (size_t)rank / (size_t)ranks->count;
}

static void add_own(struct ranks *ranks) {
  struct error error;
  size_t end = first_file(ranks, ranks->rank + 1);
  for (size_t i = first_file(ranks, ranks->rank); i < end && !ranks->share.failed; i++) {
    const char *file = ranks->request->files[i];
    if (merge_files_add(&ranks->files, file, file, &error) != 0) fail(ranks, &error);
  }
  ranks->share.added = ranks->files.added_count;
  ranks->share.left_out = ranks->files.left_out;
}

/* ---- sums on their way ---- */

static char *file_from(const struct ranks *ranks, int rank) {
  return memory_printed("%s/%d.ascribe", ranks->directory, rank);
}

/* Save the sum; its size, or 0. */
static uint64_t save_sum(struct ranks *ranks, const char *path) {
  const struct kept_sources kept = merge_files_sources(&ranks->files);
  struct stat status;
  struct error error;
  struct profile *sum = merge_files_sum(&ranks->files);
  int result = store_save_merged(sum, &kept, path, &error);
  profile_free(sum);
  if (result == 0 && stat(path, &status) != 0)
    result = error_set(&error, "%s: %s", path, strerror(errno));
  if (result != 0) fail(ranks, &error);
  return result == 0 ? (uint64_t)status.st_size : 0;
}

/* As many bytes as were said, whatever happens: the other waits for them. */
static void send_bytes(struct ranks *ranks, const char *path, int to) {
  char *chunk = memory_zeroed(1, CHUNK_BYTES);
  FILE *file = fopen(path, "re");
  for (uint64_t left = ranks->share.bytes; left;) {
    size_t bytes = left < CHUNK_BYTES ? left : CHUNK_BYTES;
    if (!file || fread(chunk, 1, bytes, file) != bytes) memset(chunk, 0, bytes);
    MPI_Send(chunk, (int)bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD);
    left -= bytes;
  }
  if (file) fclose(file);
  free(chunk);
}

static void send_sum(struct ranks *ranks, int to) {
  char *path = file_from(ranks, ranks->rank);
  ranks->share.bytes = ranks->files.added_count && !ranks->share.failed ? save_sum(ranks, path) : 0;
  MPI_Send(&ranks->share, sizeof ranks->share, MPI_BYTE, to, 0, MPI_COMM_WORLD);
  send_bytes(ranks, path, to);
  unlink(path);
  free(path);
}

/* 0, or -1 with errno. All is received. */
static int receive_bytes(const char *path, uint64_t left, int from) {
  char *chunk = memory_zeroed(1, CHUNK_BYTES);
  FILE *file = fopen(path, "we");
  int cause = file ? 0 : errno;
  while (left) {
    size_t bytes = left < CHUNK_BYTES ? left : CHUNK_BYTES;
    MPI_Recv(chunk, (int)bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!cause && fwrite(chunk, 1, bytes, file) != bytes) cause = errno;
    left -= bytes;
  }
  if (file && fclose(file) != 0 && !cause) cause = errno;
  free(chunk);
  errno = cause;
  return cause ? -1 : 0;
}

static void add_received(struct ranks *ranks, const char *path, int from) {
  struct error error;
  size_t before = ranks->files.added_count;
  const char *name = ranks->request->files[first_file(ranks, from)];
  if (merge_files_add(&ranks->files, path, name, &error) != 0)
    fail(ranks, &error);
  else if (ranks->files.added_count == before)
    ranks->share.failed = 1; /* it has been said */
}

static void receive_sum(struct ranks *ranks, int from) {
  struct share share;
  struct error error;
  MPI_Recv(&share, sizeof share, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  ranks->share.failed |= share.failed;
  ranks->share.added += share.added;
  ranks->share.left_out += share.left_out;
  if (!share.bytes) return;
  char *path = file_from(ranks, from);
  ARRAY_GROW(ranks->received, ranks->received_count);
  ranks->received[ranks->received_count++] = path;
  if (receive_bytes(path, share.bytes, from) != 0) {
    error_set(&error, "%s: %s", path, strerror(errno));
    fail(ranks, &error);
  }
  if (!ranks->share.failed) add_received(ranks, path, from);
}

static void reduce(struct ranks *ranks) {
  for (int step = 1; step < ranks->count; step *= 2) {
    if (ranks->rank & step) {
      send_sum(ranks, ranks->rank - step);
      return;
    }
    if (ranks->rank + step < ranks->count) receive_sum(ranks, ranks->rank + step);
  }
}

/* ---- the command ---- */

static void save(struct ranks *ranks) {
  struct error error;
  int result = ranks->share.added < 2 ? error_set(&error, MERGE_TOO_FEW)
                                      : merge_files_save(&ranks->files, ranks->request, &error);
  if (result != 0) fail(ranks, &error);
}

static int merge(struct ranks *ranks) {
  struct error error;
  merge_files_begin(&ranks->files, ranks->request->force);
  if (temporary_create(ranks->directory, &error) != 0) {
    ranks->directory[0] = '\0';
    fail(ranks, &error);
  }
  add_own(ranks);
  reduce(ranks);
  if (ranks->rank == 0 && !ranks->share.failed) save(ranks);
  for (size_t i = 0; i < ranks->received_count; i++) {
    unlink(ranks->received[i]);
    free(ranks->received[i]);
  }
  free(ranks->received);
  merge_files_end(&ranks->files);
  if (ranks->directory[0]) temporary_remove(ranks->directory);
  return ranks->rank == 0 && (ranks->share.failed || ranks->share.left_out);
}

static void print_usage(FILE *out) {
  fputs(
      "\nBy several ranks, each with a part of the files: mpirun -n RANKS ascribe-mpi merge -o OUT "
      "FILE FILE...\n",
      out);
}

/* In pieces that MPI's counts have room for. */
static void broadcast(void *bytes, uint64_t count) {
  for (uint64_t at = 0; at < count; at += CHUNK_BYTES) {
    uint64_t left = count - at;
    MPI_Bcast((char *)bytes + at, (int)(left < CHUNK_BYTES ? left : CHUNK_BYTES), MPI_BYTE, 0,
              MPI_COMM_WORLD);
  }
}

/* What rank 0 was asked for. Its files, too: which ones match a pattern is not the same on all
 * nodes while a shared file system's caches are old. */
static void share_request(const struct ranks *ranks, struct merge_request *request) {
  uint64_t lengths[2] = {request->force, 0};
  for (size_t i = 0; i < request->file_count; i++)
    lengths[1] += strlen(request->files[i]) + 1;
  broadcast(lengths, sizeof lengths);
  char *names = memory_zeroed(1, lengths[1]), *at = names;
  for (size_t i = 0; i < request->file_count; i++)
    at = stpcpy(at, request->files[i]) + 1;
  broadcast(names, lengths[1]);
  request->force = lengths[0];
  for (at = names; ranks->rank && at < names + lengths[1]; at += strlen(at) + 1)
    merge_request_add(request, at);
  free(names);
}

/* Rank 0 reads the command line, and speaks for all about it. */
static int parse(const struct ranks *ranks, int count, char **arguments,
                 struct merge_request *request) {
  int result = 0;
  bool named = count > 1 && strcmp(arguments[1], "merge") == 0;
  if (ranks->rank == 0 && !named) {
    fputs("usage: mpirun -n RANKS ascribe-mpi merge -o OUT FILE FILE...\n", stderr);
    result = -1;
  } else if (ranks->rank == 0)
    result = merge_request_parse(count - 1, arguments + 1, print_usage, request);
  MPI_Bcast(&result, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (result == 0) share_request(ranks, request);
  return result;
}

int main(int count, char **arguments) {
  struct merge_request request = {0};
  struct ranks ranks = {.request = &request};
  message_stream_open();
  command_begin("ascribe-mpi", "merge");
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks.count);
  int parsed = parse(&ranks, count, arguments, &request);
  int status = parsed == 0 ? merge(&ranks) : parsed > 0 ? 0 : STATUS_WRONG_USE;
  merge_request_free(&request);
  MPI_Finalize();
  return ranks.rank == 0 ? status : 0;
}
