/* ascribe html: a profile as one page, to keep or to send. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/option_tables.h"
#include "cli/output_file.h"
#include "cli/profile_file.h"
#include "cli/sized_files.h"
#include "view/dial.h"
#include "view/standalone.h"
#include "view/timeline.h"

struct request {
  struct sized_files profiles;
  struct standalone page;
  const char *output; /* or null */
  const char *metric; /* or null */
};

static int take_profiles(struct request *request, char **words, int count) {
  struct sized_files *profiles = &request->profiles;
  if (sized_files_take(profiles, words, count) != 0) return -1;
  if (profiles->sized)
    sized_files_put_largest_first(profiles);
  else if (count > 2)
    return wrong_use("at most two profiles, unless they have sizes");
  if (request->page.by_count && (profiles->sized || count != 2))
    return wrong_use("--by needs two profiles");
  return 0;
}

static int add_expression(struct standalone *page, const char *by) {
  if (page->by_count == STANDALONE_EXPRESSIONS) return wrong_use("too many expressions");
  page->by[page->by_count++] = by;
  return 0;
}

static int take_option(void *at, int option) {
  struct request *request = at;
  switch (option) {
  case OPTION_BY:
    return add_expression(&request->page, optarg);
  case OPTION_METRIC:
    request->metric = optarg;
    return 0;
  case OPTION_OUTPUT:
    request->output = optarg;
    return 0;
  default:
    return OPTION_UNTAKEN;
  }
}

/* 0: go on; 1: help was shown; -1: wrong use, said. */
static int parse_options(int count, char **arguments, struct request *request) {
  int result = options_take(&options_html, take_option, NULL, count, arguments, request);
  return result != 0 ? result : take_profiles(request, arguments + optind, count - optind);
}

/* FILE.html, without the folder and .ascribe. */
static char *default_output(const char *file) {
  size_t all = strlen(file), suffix = strlen(".ascribe");
  while (all > 1 && file[all - 1] == '/') /* a recording's directory */
    all--;
  const char *slash = memrchr(file, '/', all), *name = slash && all > 1 ? slash + 1 : file;
  size_t length = file + all - name;
  if (length > suffix && strcmp(name + length - suffix, ".ascribe") == 0) length -= suffix;
  return memory_printed("%.*s.html", (int)length, name);
}

/* What is shown: the choice that is kept beside the first profile, too. */
static int open_profiles(struct view *view, const struct sized_files *profiles,
                         struct error *error) {
  for (size_t i = 0; i < profiles->count; i++)
    if (profile_file_add(&view->workspace, profiles->files[i], error) != 0) return -1;
  if (profiles->sized) view_note_sizes(view, profiles->n);
  if (!profile_file_is_stored(profiles->files[0])) return 0;
  timeline_open(view, profiles->files[0]);
  return dial_open(view, profiles->files[0], error);
}

static int write_page(struct request *request, const char *output, struct error *error) {
  struct view view;
  struct output_file out;
  request->page.view = &view;
  int result = view_open(&view, error);
  if (result == 0) workspace_choose(&view.workspace, request->metric);
  if (result == 0) result = open_profiles(&view, &request->profiles, error);
  if (result == 0 && (result = output_file_open(&out, output, error)) == 0) {
    result = standalone_write(&request->page, out.stream, error);
    result = output_file_close(&out, result, error);
  }
  view_close(&view);
  return result;
}

int command_html(int count, char **arguments) {
  struct request request = {0};
  struct sized_files *profiles = &request.profiles;
  struct error error;
  char *newest = NULL, *output = NULL;
  int parsed = parse_options(count, arguments, &request);
  if (parsed != 0) return parsed > 0 ? 0 : STATUS_WRONG_USE;
  int result = 0;
  if (!profiles->count) {
    result = profile_file_find(NULL, &newest, &error);
    profiles->files[profiles->count++] = newest;
  }
  if (result == 0 && !request.output) output = default_output(profiles->files[0]);
  const char *to = request.output ? request.output : output;
  if (result == 0) result = write_page(&request, to, &error);
  if (result != 0)
    command_failed(&error);
  else if (strcmp(to, "-") != 0)
    fprintf(stderr, "saved %s: open it in a browser\n", to);
  free(newest);
  free(output);
  return result == 0 ? 0 : 1;
}
