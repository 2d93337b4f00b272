/* libFuzzer target: what `perf script` says of a recording of perf, and how it ends. The file is
 * read by perf; ours is all that comes from there. The first byte is perf's exit status, the rest
 * its output: a program of its name, found first, prints them. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exchange/import_formats.h"
#include "profile_checks.h"
#include "require.h"

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char directory[] = "/dev/shm/ascribe-fuzz-XXXXXX";
static char program[64], file[64];

static void remove_directory(void) {
  unlink(program);
  unlink(file);
  rmdir(directory);
}

static void write_file(const char *path, const void *bytes, size_t count) {
  FILE *stream = fopen(path, "wb");
  require(stream && fwrite(bytes, 1, count, stream) == count && fclose(stream) == 0);
}

int LLVMFuzzerInitialize(int *count, char ***arguments) {
  static const char script[] = "#!/bin/sh\ncat \"$7\"\n"
                               "[ $PERF_STATUS = 0 ] || echo it is broken >&2\n"
                               "exit $PERF_STATUS\n";
  (void)count, (void)arguments;
  char *path;
  require(mkdtemp(directory) != NULL);
  atexit(remove_directory);
  snprintf(program, sizeof program, "%s/perf", directory);
  snprintf(file, sizeof file, "%s/perf.data", directory);
  write_file(program, script, sizeof script - 1);
  require(chmod(program, 0700) == 0);
  require(asprintf(&path, "%s:%s", directory, getenv("PATH")) > 0 && setenv("PATH", path, 1) == 0);
  free(path);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const struct import_options options = {0};
  struct input input;
  struct profile *profile;
  struct error error;
  char status[] = "0";
  if (!size) return 0;
  status[0] = (char)('0' + *data % 4);
  setenv("PERF_STATUS", status, 1);
  write_file(file, data + 1, size - 1);
  if (input_open(&input, file, &error) != 0) return 0;
  if (import_perf_data.read(&input, &options, &profile, &error) == 0) {
    require(status[0] == '0');
    check_profile(profile);
    profile_free(profile);
  }
  input_close(&input);
  return 0;
}
