/* ascribe export: a profile in another tool's format. */
#include "exchange/export.h"

#include <stdlib.h>
#include <string.h>

#include "cli/centre_choice.h"
#include "cli/choice.h"
#include "cli/commands.h"
#include "cli/option_tables.h"
#include "cli/output_file.h"
#include "cli/profile_file.h"

struct request {
  struct choice choice;
  struct centre_choice centres;
  struct export_options options;
  const struct export_format *format;
  const char *file, *output; /* or null */
};

/* ---- options ---- */

static void print_formats(FILE *out) {
  for (size_t i = 0; export_formats[i]; i++)
    fprintf(out, "  %-11s %-17s for %s\n", export_formats[i]->name, export_formats[i]->suffix,
            export_formats[i]->readers);
}

static int parse_format(struct request *request, const char *name) {
  request->format = export_format_named(name);
  if (request->format) return 0;
  fprintf(stderr, "ascribe export: --to %s: no such format; choose one of:\n", name);
  print_formats(stderr);
  return -1;
}

static int take_option(void *at, int option) {
  struct request *request = at;
  switch (option) {
  case OPTION_TO:
    return parse_format(request, optarg);
  case OPTION_OUTPUT:
    request->output = optarg;
    return 0;
  case OPTION_CENTRES:
    request->options.centres = true;
    return centre_choice_take(&request->centres, optarg);
  case OPTION_THREADS:
    request->options.threads = true;
    return 0;
  default:
    return choice_take(&request->choice, option);
  }
}

/* 0: go on; 1: help was shown; -1: wrong use, said. */
static int parse_options(int count, char **arguments, struct request *request) {
  int result = options_take(&options_export, take_option, print_formats, count, arguments, request);
  if (result != 0) return result;
  if (count - optind > 1) return wrong_use("only one FILE, not also %s", arguments[optind + 1]);
  if (!request->format) return wrong_use("name a format with --to");
  request->file = optind < count ? arguments[optind] : NULL;
  return 0;
}

/* ---- the export ---- */

static void say(const char *text) {
  fprintf(stderr, "ascribe export: %s\n", text);
}

/* The name of the profile in the current directory, its suffix changed. */
static char *default_output(const char *path, const char *suffix) {
  static const char own[] = ".ascribe";
  char *name = memory_zeroed(strlen(path) + strlen(suffix) + 1, 1);
  const char *end = path + strlen(path);
  while (end > path + 1 && end[-1] == '/')
    end--;
  const char *start = end;
  while (start > path && start[-1] != '/')
    start--;
  size_t length = end - start, ending = strlen(own);
  if (length > ending && memcmp(end - ending, own, ending) == 0) length -= ending;
  memcpy(name, start, length);
  strcpy(name + length, suffix);
  return name;
}

static int write_export(struct request *request, const struct profile *profile, const char *output,
                        struct error *error) {
  struct output_file file;
  struct selection *selection = &request->options.selection;
  if (choice_resolve(&request->choice, profile, selection, error) != 0) return -1;
  int result = output_file_open(&file, output, error);
  if (result == 0) {
    result = export_profile(profile, &request->options, request->format, file.stream, error);
    result = output_file_close(&file, result, error);
  }
  choice_release(selection);
  return result;
}

static int export_metric(struct request *request, const struct profile *profile, const char *output,
                         struct error *error) {
  uint32_t *metrics;
  size_t count;
  const char *usual = request->format->metric;
  if (!request->choice.metrics && usual && metrics_find(profile, usual) != NOTHING)
    request->choice.metrics = usual;
  int result = choice_metrics(&request->choice, profile, &metrics, &count, error);
  if (result == 0 && count > 1) result = error_set(error, "--metric: one metric can be exported");
  if (result == 0) {
    struct profile view = metric_view(profile, metrics[0]);
    result = write_export(request, &view, output, error);
  }
  free(metrics);
  return result;
}

int command_export(int count, char **arguments) {
  struct request request = {.options.say = say};
  struct error error;
  struct profile *profile = NULL;
  char *file = NULL, *output = NULL;
  int parsed = parse_options(count, arguments, &request);
  if (parsed != 0) return parsed > 0 ? 0 : STATUS_WRONG_USE;
  int result = profile_file_find(request.file, &file, &error);
  bool series = request.format->need == EXPORT_LEVELS;
  if (result == 0) result = profile_file_load(file, series, &profile, &error);
  if (result == 0) result = centre_choice_apply(&request.centres, profile, &error);
  if (result == 0) {
    output =
        request.output ? memory_text(request.output) : default_output(file, request.format->suffix);
    result = export_metric(&request, profile, output, &error);
  }
  if (result != 0)
    command_failed(&error);
  else if (strcmp(output, "-") != 0)
    fprintf(stderr, "saved %s: for %s\n", output, request.format->readers);
  profile_free(profile);
  centre_choice_free(&request.centres);
  free(file);
  free(output);
  return result == 0 ? 0 : 1;
}
