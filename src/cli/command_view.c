/* ascribe view: a profile in the browser. */
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/lasting_token.h"
#include "cli/option_tables.h"
#include "cli/private_page.h"
#include "cli/profile_file.h"
#include "cli/sized_files.h"
#include "view/dial.h"
#include "view/server.h"
#include "view/timeline.h"

struct request {
  struct sized_files profiles;
  char *newest;
  uint16_t port;
  bool no_browser;
  const char *metric; /* or null */
};

static int take_option(void *at, int option) {
  struct request *request = at;
  switch (option) {
  case OPTION_PORT:
    request->port = (uint16_t)option_number();
    return 0;
  case OPTION_METRIC:
    request->metric = optarg;
    return 0;
  case OPTION_NO_BROWSER:
    request->no_browser = true;
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

/* ---- the browser ---- */

static bool has_screen(void) {
  const char *names[] = {"DISPLAY", "WAYLAND_DISPLAY"};
  for (int i = 0; i < 2; i++)
    if (getenv(names[i]) && *getenv(names[i])) return true;
  return false;
}

/* What it says is not ours to show, and it gets no signals of ours. */
static void open_browser(const char *page) {
  char program[] = "xdg-open", *arguments[] = {program, (char *)page, NULL};
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t none;
  pid_t child;
  sigemptyset(&none);
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  for (int descriptor = 0; descriptor <= 2; descriptor++)
    posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", O_RDWR, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnp(&child, program, &files, &attributes, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
}

/* ---- serving ---- */

static void block_ends(sigset_t *ends) {
  sigemptyset(ends);
  sigaddset(ends, SIGINT);
  sigaddset(ends, SIGTERM);
  sigaddset(ends, SIGHUP);
  sigprocmask(SIG_BLOCK, ends, NULL);
  signal(SIGPIPE, SIG_IGN);
}

/* Columns of a million rows go back to the system when they are freed: glibc would learn from the
 * first ones to keep such blocks, and the holes between them. */
static void give_back_large_blocks(void) {
  enum { LARGE = 1 << 20 };
  mallopt(M_MMAP_THRESHOLD, LARGE);
}

static int serve(const struct request *request, struct view *view, struct error *error) {
  char address[SERVER_ADDRESS_BYTES];
  struct server *server;
  sigset_t ends;
  int ended;
  block_ends(&ends); /* before there are threads, which inherit it */
  char token[LASTING_TOKEN_TEXT + 1];
  bool lasts = request->port && lasting_token(token);
  if (server_start(view, request->port, lasts ? token : NULL, &server, address, error) != 0)
    return -1;
  printf("%s\n", address);
  if (fflush(stdout) == 0) fputs("Ctrl-C ends\n", stderr);
  if (request->port && !lasts)
    fputs("the address will be another one next time: ~/.local/state/ascribe/view-token cannot be "
          "written\n",
          stderr);
  char page[PATH_MAX];
  struct error trouble;
  bool opened = !request->no_browser && has_screen();
  if (opened && private_page_create(address, page, &trouble) != 0) {
    command_failed(&trouble);
    opened = false;
  }
  if (opened) open_browser(page);
  sigwait(&ends, &ended);
  if (opened) private_page_remove(page);
  server_stop(server);
  return 0;
}

int command_view(int count, char **arguments) {
  struct request request = {0};
  const struct sized_files *profiles = &request.profiles;
  struct view view;
  struct error error;
  int parsed = parse_options(count, arguments, &request);
  if (parsed != 0) return parsed > 0 ? 0 : STATUS_WRONG_USE;
  int result = find_files(&request, &error);
  if (result == 0) {
    give_back_large_blocks();
    result = view_open(&view, &error);
    if (result == 0 && request.metric)
      result = workspace_choose(&view.workspace, request.metric, &error);
    for (size_t i = 0; result == 0 && i < profiles->count; i++)
      result = profile_file_add(&view.workspace, profiles->files[i], &error);
    if (result == 0 && profile_file_is_stored(profiles->files[0]))
      result = dial_open(&view, profiles->files[0], &error);
    if (result == 0 && profile_file_is_stored(profiles->files[0]))
      timeline_open(&view, profiles->files[0]);
    if (profiles->sized) view_note_sizes(&view, profiles->n);
    if (result == 0) result = serve(&request, &view, &error);
    view_close(&view);
  }
  free(request.newest);
  return result == 0 ? 0 : command_failed(&error);
}
