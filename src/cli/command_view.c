/* ascribe view: a profile in the browser. */
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/types.h>

#include "cli/commands.h"
#include "cli/option_tables.h"
#include "cli/profile_file.h"
#include "cli/serving.h"
#include "cli/sized_files.h"
#include "cli/view_live.h"
#include "view/dial.h"
#include "view/timeline.h"

struct request {
  struct sized_files profiles;
  char *newest;
  struct serving_options serving;
  pid_t pid;          /* that is shown while it runs; 0: files are */
  const char *metric; /* or null */
};

static int take_option(void *at, int option) {
  struct request *request = at;
  switch (option) {
  case OPTION_PORT:
    request->serving.port = (uint16_t)option_number();
    return 0;
  case OPTION_METRIC:
    request->metric = optarg;
    return 0;
  case OPTION_PID:
    request->pid = (pid_t)option_number();
    return 0;
  case OPTION_NO_BROWSER:
    request->serving.no_browser = true;
    return 0;
  default:
    return OPTION_UNTAKEN;
  }
}

/* 0: go on; 1: help was shown; -1: wrong use, said. */
static int parse_options(int count, char **arguments, struct request *request) {
  int result = options_take(&options_view, take_option, NULL, count, arguments, request);
  if (result == 0)
    result = sized_files_take(&request->profiles, arguments + optind, count - optind);
  if (result != 0) return result;
  if (request->pid && request->profiles.count)
    return wrong_use("--pid shows a running process alone: name no FILE");
  /* The largest is looked at, the others are what it has grown from. */
  if (request->profiles.sized) sized_files_put_largest_first(&request->profiles);
  return 0;
}

static int find_files(struct request *request, struct error *error) {
  struct sized_files *profiles = &request->profiles;
  if (profiles->count) return 0;
  if (profile_file_find(NULL, &request->newest, error) != 0) return -1;
  profiles->files[profiles->count++] = request->newest;
  return 0;
}

/* ---- serving ---- */

static int serve(const struct request *request, struct view *view, const sigset_t *ends,
                 struct error *error) {
  struct serving serving;
  int ended;
  if (serving_begin(&serving, view, &request->serving, error) != 0) return -1;
  sigwait(ends, &ended);
  serving_end(&serving);
  return 0;
}

static int view_process(const struct request *request) {
  struct live_recording *live;
  struct error error;
  enum { LOOKS_HZ = 50 }; /* at each thread, for where it waits; costs the program nothing */
  if (live_open_process(request->pid, &live, &error) != 0) return command_failed(&error);
  if (live_look(live, LOOKS_HZ, &error) != 0) command_failed(&error);
  return view_live(live, &request->serving, request->metric, -1);
}

static int view_profiles(struct request *request, struct error *error) {
  const struct sized_files *profiles = &request->profiles;
  struct view view;
  sigset_t ends;
  serving_prepare(&ends);
  int result = view_open(&view, error);
  if (result == 0) workspace_choose(&view.workspace, request->metric);
  for (size_t i = 0; result == 0 && i < profiles->count; i++)
    result = profile_file_add(&view.workspace, profiles->files[i], error);
  if (result == 0 && profile_file_is_stored(profiles->files[0]))
    result = dial_open(&view, profiles->files[0], error);
  if (result == 0 && profile_file_is_stored(profiles->files[0]))
    timeline_open(&view, profiles->files[0]);
  if (profiles->sized) view_note_sizes(&view, profiles->n);
  if (result == 0) result = serve(request, &view, &ends, error);
  view_close(&view);
  return result;
}

int command_view(int count, char **arguments) {
  struct request request = {0};
  struct error error;
  int parsed = parse_options(count, arguments, &request);
  if (parsed != 0) return parsed > 0 ? 0 : STATUS_WRONG_USE;
  if (request.pid) return view_process(&request);
  int result = find_files(&request, &error);
  if (result == 0) result = view_profiles(&request, &error);
  free(request.newest);
  return result == 0 ? 0 : command_failed(&error);
}
