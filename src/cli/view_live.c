#include "cli/view_live.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/base_name.h"
#include "base/clock.h"
#include "base/memory.h"
#include "cli/options.h"
#include "view/dial.h"
#include "view/live.h"
#include "view/timeline.h"

enum { EVERY_NS = 1000000000, YET_NS = 20000000 };

struct viewing {
  struct live_recording *live;
  struct view view;
  struct view_live shown;
  struct serving serving;
  int saved, signals; /* as of view_live; a descriptor */
  struct live_turn turn;
  uint64_t cost_ns; /* CPU time of the last turn, with what showing it took */
  struct error error;
};

/* ---- turns ---- */

static const char *name_of(const struct profile *profile, char name[PATH_MAX]) {
  const char *program = profile->process_count ? profile->processes[0].executable : "";
  snprintf(name, PATH_MAX, "%s", *program ? base_name(program) : "recording");
  return name;
}

/* In the order of the server: no question is answered meanwhile. */
static int show_turn(struct view *view, void *at) {
  struct viewing *viewing = at;
  char name[PATH_MAX];
  viewing->shown.age_ns = viewing->turn.age_ns;
  return live_show(view, viewing->turn.profile, name_of(viewing->turn.profile, name), NULL,
                   &viewing->error);
}

/* 0; 1 if no process records yet; or -1. */
static int make_turn(struct viewing *viewing) {
  uint64_t begun = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  if (live_turn(viewing->live, &viewing->turn, &viewing->error) != 0) return -1;
  if (!viewing->turn.profile) return 1;
  int result = viewing->serving.server ? server_change(viewing->serving.server, show_turn, viewing)
                                       : show_turn(&viewing->view, viewing);
  viewing->cost_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun;
  return result;
}

/* ---- waiting ---- */

enum event { EVENT_TIME, EVENT_END, EVENT_SIGNAL };

/* The terminal's Ctrl-C is for the program as long as it runs and is ours. */
static bool is_for_us(struct viewing *viewing) {
  struct signalfd_siginfo info;
  if (read(viewing->signals, &info, sizeof info) != sizeof info) return false;
  return viewing->saved < 0 || !viewing->shown.running || info.ssi_signo != SIGINT;
}

static enum event wait_until(struct viewing *viewing, uint64_t until_ns) {
  for (;;) {
    struct pollfd signals = {.fd = viewing->signals, .events = POLLIN};
    if (live_wait(viewing->live, until_ns, &signals, 1)) return EVENT_END;
    if (!signals.revents) return EVENT_TIME;
    if (is_for_us(viewing)) return EVENT_SIGNAL;
  }
}

static void wait_for_signal(struct viewing *viewing) {
  struct pollfd signals = {.fd = viewing->signals, .events = POLLIN};
  do
    while (poll(&signals, 1, -1) < 0 && errno == EINTR)
      ;
  while (!is_for_us(viewing));
}

static int wait_for_first(struct viewing *viewing) {
  enum event event = EVENT_TIME;
  while (event == EVENT_TIME) {
    int made = make_turn(viewing);
    if (made <= 0) return made;
    event = wait_until(viewing, viewing->turn.at_ns + YET_NS);
  }
  if (event == EVENT_SIGNAL) return 1;
  if (make_turn(viewing) == 0) return 0; /* it was short */
  return error_set(&viewing->error, "the program ended before anything was recorded");
}

/* ---- the end ---- */

struct ending {
  struct viewing *viewing;
  char path[PATH_MAX]; /* of the saved profile, or "" */
  const char *note;    /* without one */
};

/* The recorder closes the pipe when it has written. */
static void read_path(int saved, char path[PATH_MAX]) {
  size_t length = 0;
  ssize_t got = 0;
  do {
    if (got > 0) length += (size_t)got;
    got = read(saved, path + length, PATH_MAX - 1 - length);
  } while (got > 0 || (got < 0 && errno == EINTR));
  path[length] = '\0';
}

static void note(struct viewing *viewing, const char *text) {
  viewing->shown.running = false;
  viewing->shown.note = text;
}

static int show_saved(struct view *view, void *at) {
  const struct ending *ending = at;
  struct viewing *viewing = ending->viewing;
  if (live_show(view, NULL, ending->path, ending->path, &viewing->error) != 0 ||
      dial_open(view, ending->path, &viewing->error) != 0)
    return -1;
  timeline_open(view, ending->path);
  note(viewing, "the program has ended: this is its whole profile");
  return 0;
}

static int note_last(struct view *view, void *at) {
  (void)view;
  const struct ending *ending = at;
  note(ending->viewing, ending->note);
  return 0;
}

static void show_end(struct viewing *viewing) {
  struct ending ending = {.viewing = viewing};
  if (viewing->saved >= 0) {
    read_path(viewing->saved, ending.path);
    if (*ending.path && server_change(viewing->serving.server, show_saved, &ending) == 0) return;
    if (*ending.path) command_failed(&viewing->error);
  }
  bool whole = viewing->saved < 0 && make_turn(viewing) == 0;
  ending.note = whole ? "the program has ended: these are its last figures"
                      : "the program has ended: these are the last figures that were read while it "
                        "ran";
  server_change(viewing->serving.server, note_last, &ending);
}

/* ---- all of it ---- */

static int take_wanted(struct view *view, void *at) {
  (void)view;
  return ((struct viewing *)at)->shown.wanted;
}

static int note_interval(struct view *view, void *at) {
  struct viewing *viewing = at;
  view->live->every_ns =
      live_next_ns(&viewing->turn, EVERY_NS, viewing->cost_ns) - viewing->turn.at_ns;
  return 0;
}

/* No profile is made that nobody looks at. */
static void follow(struct viewing *viewing) {
  enum event event = EVENT_TIME;
  uint64_t next = live_next_ns(&viewing->turn, EVERY_NS, viewing->cost_ns);
  while ((event = wait_until(viewing, next)) == EVENT_TIME) {
    enum { ASK_NS = 100000000 };
    next = clock_ns(CLOCK_MONOTONIC) + ASK_NS;
    if (!server_change(viewing->serving.server, take_wanted, viewing)) continue;
    if (make_turn(viewing) < 0) { /* the recording went before its program did */
      event = EVENT_END;
      break;
    }
    next = live_next_ns(&viewing->turn, EVERY_NS, viewing->cost_ns);
    server_change(viewing->serving.server, note_interval, viewing);
  }
  if (event == EVENT_SIGNAL) return;
  show_end(viewing);
  wait_for_signal(viewing);
}

static int serve(struct viewing *viewing, const struct serving_options *options,
                 const char *metric) {
  if (metric && workspace_choose(&viewing->view.workspace, metric, &viewing->error) != 0) return -1;
  int first = wait_for_first(viewing);
  if (first != 0) return first > 0 ? 0 : -1;
  if (serving_begin(&viewing->serving, &viewing->view, options, &viewing->error) != 0) return -1;
  follow(viewing);
  serving_end(&viewing->serving);
  return 0;
}

int view_live(struct live_recording *live, const struct serving_options *options,
              const char *metric, int saved) {
  struct viewing viewing = {
      .live = live, .saved = saved, .shown = {.running = true, .every_ns = EVERY_NS}};
  sigset_t ends;
  serving_prepare(&ends);
  viewing.signals = signalfd(-1, &ends, SFD_CLOEXEC);
  int result = view_open(&viewing.view, &viewing.error);
  viewing.view.live = &viewing.shown;
  if (result == 0) result = serve(&viewing, options, metric);
  view_close(&viewing.view);
  close(viewing.signals);
  live_close(live);
  return result == 0 ? 0 : command_failed(&viewing.error);
}

static void show_beside(void *context, const char *directory, int end) {
  (void)context;
  static const struct serving_options usual = {.ends = " the program, and then the viewer"};
  view_live(live_open(directory, end), &usual, NULL, end);
}

const struct beside_work view_beside = {.show = show_beside, .until_saved = true};
