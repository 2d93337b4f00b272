/* ascribe merge: profiles of several runs of one program as one. */
#include <stdbool.h>
#include <stdio.h>

#include "cli/commands.h"
#include "cli/merge_files.h"
#include "cli/option_tables.h"

struct request {
  const char *output;
  char **files;
  size_t file_count;
  bool force, quiet;
};

static int take_option(void *at, int option) {
  struct request *request = at;
  switch (option) {
  case OPTION_OUTPUT:
    request->output = optarg;
    return 0;
  case OPTION_FORCE:
    request->force = true;
    return 0;
  case OPTION_QUIET:
    request->quiet = true;
    return 0;
  default:
    return OPTION_UNTAKEN;
  }
}

/* 0: go on; 1: help was shown; -1: wrong use, said. */
static int parse_options(int count, char **arguments, struct request *request) {
  int result = options_take(&options_merge, take_option, NULL, count, arguments, request);
  if (result != 0) return result;
  request->files = arguments + optind;
  request->file_count = count - optind;
  if (!request->output) return wrong_use("name the output with -o");
  return request->file_count < 2 ? wrong_use("at least two profiles are needed") : 0;
}

static int merge_all(const struct request *request, struct merge_files *files,
                     struct error *error) {
  for (size_t i = 0; i < request->file_count; i++)
    if (merge_files_add(files, request->files[i], error) != 0) return -1;
  return files->added_count > 1 ? 0 : error_set(error, "fewer than two profiles are left to merge");
}

int command_merge(int count, char **arguments) {
  struct request request = {0};
  struct merge_files files;
  struct error error;
  int parsed = parse_options(count, arguments, &request);
  if (parsed != 0) return parsed > 0 ? 0 : STATUS_WRONG_USE;
  merge_files_begin(&files, request.force);
  int result = merge_all(&request, &files, &error);
  if (result == 0) result = merge_files_save(&files, request.output, NULL, request.quiet, &error);
  bool all = !files.left_out;
  merge_files_end(&files);
  if (result != 0) return command_failed(&error);
  return all ? 0 : 1;
}
