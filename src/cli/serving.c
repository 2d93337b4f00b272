#include "cli/serving.h"

#include <fcntl.h>
#include <malloc.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/lasting_token.h"
#include "cli/options.h"
#include "cli/private_page.h"

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

/* Columns of a million rows go back to the system when they are freed: glibc would learn from the
 * first ones to keep such blocks, and the holes between them. */
static void give_back_large_blocks(void) {
  enum { LARGE = 1 << 20 };
  mallopt(M_MMAP_THRESHOLD, LARGE);
}

void serving_prepare(sigset_t *ends) {
  give_back_large_blocks();
  sigemptyset(ends);
  sigaddset(ends, SIGINT);
  sigaddset(ends, SIGTERM);
  sigaddset(ends, SIGHUP);
  sigprocmask(SIG_BLOCK, ends, NULL);
  signal(SIGPIPE, SIG_IGN);
}

int serving_begin(struct serving *serving, struct view *view, const struct serving_options *options,
                  struct error *error) {
  char address[SERVER_ADDRESS_BYTES], token[LASTING_TOKEN_TEXT + 1];
  struct error trouble;
  bool lasts = options->port && lasting_token(token);
  *serving = (struct serving){.opened = !options->no_browser && has_screen()};
  if (server_start(view, options->port, lasts ? token : NULL, &serving->server, address, error) !=
      0)
    return -1;
  printf("%s\n", address);
  if (fflush(stdout) == 0) fprintf(stderr, "Ctrl-C ends%s\n", options->ends ? options->ends : "");
  if (options->port && !lasts)
    fputs("the address will be another one next time: ~/.local/state/ascribe/view-token cannot be "
          "written\n",
          stderr);
  if (serving->opened && private_page_create(address, serving->page, &trouble) != 0) {
    command_failed(&trouble);
    serving->opened = false;
  }
  if (serving->opened) open_browser(serving->page);
  return 0;
}

void serving_end(struct serving *serving) {
  if (serving->opened) private_page_remove(serving->page);
  server_stop(serving->server);
}
