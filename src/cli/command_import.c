/* ascribe import: another tool's file as a profile. */
#include "exchange/import.h"

#include <stdlib.h>
#include <string.h>

#include "base/base_name.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/profile_output.h"
#include "report/report.h"

static const char usage[] =
    "usage: ascribe import [options] FILE\n"
    "\n"
    "Make a profile of FILE, which another tool wrote. - is standard input.\n"
    "\n"
    "  -F, --from FORMAT  the format; see below (default: as FILE begins)\n"
    "  -o, --output OUT   save the profile as OUT (default: the name of FILE + .ascribe, here)\n"
    "  -e, --event EVENT  take these figures of a file that has several: an event of perf or\n"
    "                     callgrind, a sample type of pprof (default: what is most like time)\n"
    "  -u, --unit UNIT    what the numbers of collapsed stacks count: samples (default), ns, us,\n"
    "                     ms, s, or any word\n"
    "  -x, --executable PROG\n"
    "                     the program that wrote a gmon.out; of counts of source (gcov, llvm-cov)\n"
    "                     the one that was counted: who called whom follows from its call graph\n"
    "  -q, --quiet        no summary\n"
    "  -h, --help         show this\n"
    "\n"
    "Formats:\n";

struct request {
  struct import_options options;
  const struct import_format *format; /* null: guess */
  const char *file, *output;          /* output null: the default */
  bool quiet;
};

/* ---- options ---- */

static void print_formats(FILE *out) {
  for (size_t i = 0; i < IMPORT_FORMATS; i++)
    fprintf(out, "  %-12s %s\n", import_formats[i]->name, import_formats[i]->words);
}

static int show_help(void) {
  fputs(usage, stdout);
  print_formats(stdout);
  return 1;
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
  case 'F':
    return parse_format(request, optarg);
  case 'o':
    request->output = optarg;
    return 0;
  case 'e':
    request->options.event = optarg;
    return 0;
  case 'u':
    request->options.unit = optarg;
    return 0;
  case 'x':
    request->options.executable = optarg;
    return 0;
  case 'q':
    request->quiet = true;
    return 0;
  default:
    return show_help();
  }
}

/* 0: go on; 1: help was shown; -1: wrong use, said. */
static int parse_options(int count, char **arguments, struct request *request) {
  static const struct option known[] = {{"from", required_argument, NULL, 'F'},
                                        {"output", required_argument, NULL, 'o'},
                                        {"event", required_argument, NULL, 'e'},
                                        {"unit", required_argument, NULL, 'u'},
                                        {"executable", required_argument, NULL, 'x'},
                                        {"quiet", no_argument, NULL, 'q'},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};
  static const struct command_options options = {NULL, "F:o:e:u:x:qh", known, take_option};
  int result = options_take(&options, count, arguments, request);
  if (result != 0) return result;
  if (count - optind == 1) {
    request->file = arguments[optind];
    return 0;
  }
  return wrong_use(count == optind ? "name a FILE" : "one FILE only");
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
  char *made = request->output ? NULL : default_output(request->file);
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
  int result = import_profile(request.file, request.format, &request.options, &profile, &error);
  if (result == 0) result = save(&request, profile, &error);
  profile_free(profile);
  return result == 0 ? 0 : command_failed(&error);
}
