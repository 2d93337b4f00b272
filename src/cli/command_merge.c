/* ascribe merge: profiles of several runs of one program as one. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/merged_files.h"
#include "cli/option_tables.h"
#include "cli/profile_output.h"
#include "profile/profile.h"
#include "report/report.h"
#include "store/store.h"

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

static int save(const struct request *request, const struct profile *profile, struct error *error) {
  const struct kept_sources kept = {(const char *const *)request->files, request->file_count};
  struct profile_output output = {.asked = request->output, .sources = &kept};
  if (profile_output_save(&output, profile, error) != 0) return -1;
  if (request->quiet) return 0;
  report_merged_summary(profile, stderr);
  profile_output_say(&output);
  return 0;
}

int command_merge(int count, char **arguments) {
  struct request request = {0};
  struct profile *profile = NULL;
  struct error error;
  int parsed = parse_options(count, arguments, &request);
  if (parsed != 0) return parsed > 0 ? 0 : STATUS_WRONG_USE;
  int result = merged_files(request.files, request.file_count, request.force, &profile, &error);
  if (result == 0) result = save(&request, profile, &error);
  profile_free(profile);
  return result == 0 ? 0 : command_failed(&error);
}
