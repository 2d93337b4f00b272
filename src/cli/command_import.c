/* ascribe import: another tool's file as a profile, or several of one run. */
#include "exchange/import.h"

#include <stdlib.h>
#include <string.h>

#include "base/base_name.h"
#include "cli/commands.h"
#include "cli/option_tables.h"
#include "cli/profile_output.h"
#include "report/report.h"

struct request {
  struct import_options options;
  const struct import_format *format; /* null: guess */
  char *const *files;
  size_t file_count;
  const char *output; /* null: the default */
  bool quiet;
};

/* ---- options ---- */

static void print_formats(FILE *out) {
  for (size_t i = 0; import_formats[i]; i++)
    fprintf(out, "  %-12s %s\n", import_formats[i]->name, import_formats[i]->words);
}

static int parse_format(struct request *request, const char *name) {
  request->format = import_format_named(name);
  if (request->format) return 0;
  fprintf(stderr, "ascribe import: --from %s: no such format; choose one of:\n", name);
  print_formats(stderr);
  return -1;
}

static int take_option(void *at, int option) {
  struct request *request = at;
  switch (option) {
  case OPTION_FROM:
    return parse_format(request, optarg);
  case OPTION_OUTPUT:
    request->output = optarg;
    return 0;
  case OPTION_EVENT:
    request->options.event = optarg;
    return 0;
  case OPTION_UNIT:
    request->options.unit = optarg;
    return 0;
  case OPTION_EXECUTABLE:
    request->options.executable = optarg;
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
  int result = options_take(&options_import, take_option, print_formats, count, arguments, request);
  if (result != 0) return result;
  request->files = arguments + optind;
  request->file_count = (size_t)(count - optind);
  return request->file_count ? 0 : wrong_use("name a FILE");
}

/* ---- the import ---- */

/* The file's name, in the current directory, with ".ascribe" behind. */
static char *default_output(const char *file) {
  static const char suffix[] = ".ascribe";
  const char *base = strcmp(file, "-") == 0 ? "stdin" : base_name(file);
  char *name = memory_zeroed(strlen(base) + sizeof suffix, 1);
  return strcat(strcpy(name, base), suffix);
}

static int save(const struct request *request, const struct profile *profile, struct error *error) {
  char *made = request->output ? NULL : default_output(request->files[0]);
  struct profile_output output = {.asked = request->output, .usual = made};
  int result = profile_output_save(&output, profile, error);
  if (result == 0 && !request->quiet) {
    report_imported_summary(profile, stderr);
    profile_output_say(&output);
  }
  free(made);
  return result;
}

int command_import(int count, char **arguments) {
  struct request request = {0};
  struct profile *profile = NULL;
  struct error error;
  int parsed = parse_options(count, arguments, &request);
  if (parsed != 0) return parsed > 0 ? 0 : STATUS_WRONG_USE;
  int result = import_profile(request.files, request.file_count, request.format, &request.options,
                              &profile, &error);
  if (result == 0) result = save(&request, profile, &error);
  profile_free(profile);
  return result == 0 ? 0 : command_failed(&error);
}
