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
#include "view/view_pool.h"

enum { EVERY_NS = 1000000000, YET_NS = 20000000 };

struct viewing {
  struct live_recording *live;
  struct view views[2]; /* of this turn, and for the next */
  int of_turn;          /* which of them is shown; -1: none yet */
  struct view_live shown;
  struct serving serving;
  const char *metric; /* or null */
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

/* The file at `path` or, where it is null, the profile, which is the view's from now on, also after
 * a failure. */
static int open_next(struct viewing *viewing, struct view *view, struct profile *profile,
                     const char *path) {
  char name[PATH_MAX];
  struct error *error = &viewing->error;
  if (view_open(view, error) != 0) {
    if (profile) profile_free(profile);
    return -1;
  }
  workspace_choose(&view->workspace, viewing->metric);
  view->live = &viewing->shown;
  if (!path) {
    int added = workspace_add_made(&view->workspace, profile, name_of(profile, name), NULL, error);
    if (added == 0) timeline_open(view, NULL);
    return added;
  }
  if (workspace_add(&view->workspace, path, error) != 0 || dial_open(view, path, error) != 0)
    return -1;
  timeline_open(view, path);
  return 0;
}

/* Of what is shown, under the eyes of those who ask. */
static int change(struct viewing *viewing, int (*how)(struct view_live *live, void *context),
                  void *context) {
  return view_pool_change(server_pool(viewing->serving.server), how, context);
}

static int note_age(struct view_live *live, void *at) {
  live->age_ns = ((struct viewing *)at)->turn.age_ns;
  return 0;
}

/* Only we wait for questions about the turn before. */
static void pool_show(struct viewing *viewing, struct view *next) {
  struct view_pool *pool = server_pool(viewing->serving.server);
  view_pool_show(pool, next);
  change(viewing, note_age, viewing);
  view_pool_await(pool);
}

/* What was shown stays where the next cannot be. */
static int show_next(struct viewing *viewing, struct profile *profile, const char *path) {
  int next = viewing->of_turn == 0;
  if (open_next(viewing, &viewing->views[next], profile, path) != 0) {
    view_close(&viewing->views[next]);
    return -1;
  }
  if (viewing->serving.server)
    pool_show(viewing, &viewing->views[next]);
  else
    viewing->views[next].turn = ++viewing->shown.turn;
  if (viewing->of_turn >= 0) view_close(&viewing->views[viewing->of_turn]);
  viewing->of_turn = next;
  return 0;
}

/* 0; 1 if no process records yet; or -1. */
static int make_turn(struct viewing *viewing) {
  uint64_t begun = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  if (live_turn(viewing->live, &viewing->turn, &viewing->error) != 0) return -1;
  if (!viewing->turn.profile) return 1;
  int result = show_next(viewing, viewing->turn.profile, NULL);
  if (result == 0 && viewing->serving.server)
    change(viewing, note_age, viewing);
  else if (result == 0)
    note_age(&viewing->shown, viewing);
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

static int note_end(struct view_live *live, void *text) {
  live->running = false;
  live->note = text;
  return 0;
}

static void show_end(struct viewing *viewing) {
  static char saved[] = "the program has ended: this is its whole profile";
  static char whole[] = "the program has ended: these are its last figures";
  static char last[] = "the program has ended: these are the last figures that were read while it "
                       "ran";
  char path[PATH_MAX] = "", *note = NULL;
  if (viewing->saved >= 0) read_path(viewing->saved, path);
  if (*path && show_next(viewing, NULL, path) == 0)
    note = saved;
  else if (*path)
    command_failed(&viewing->error);
  if (!note) note = viewing->saved < 0 && make_turn(viewing) == 0 ? whole : last;
  change(viewing, note_end, note);
}

/* ---- all of it ---- */

static int is_wanted(struct view_live *live, void *at) {
  (void)at;
  return live->wanted;
}

static int note_interval(struct view_live *live, void *at) {
  struct viewing *viewing = at;
  live->every_ns = live_next_ns(&viewing->turn, EVERY_NS, viewing->cost_ns) - viewing->turn.at_ns;
  return 0;
}

/* No profile is made that nobody looks at. */
static void follow(struct viewing *viewing) {
  enum event event = EVENT_TIME;
  uint64_t next = live_next_ns(&viewing->turn, EVERY_NS, viewing->cost_ns);
  while ((event = wait_until(viewing, next)) == EVENT_TIME) {
    enum { ASK_NS = 100000000 };
    next = clock_ns(CLOCK_MONOTONIC) + ASK_NS;
    if (!change(viewing, is_wanted, NULL)) continue;
    if (make_turn(viewing) < 0) { /* the recording went before its program did */
      event = EVENT_END;
      break;
    }
    next = live_next_ns(&viewing->turn, EVERY_NS, viewing->cost_ns);
    change(viewing, note_interval, viewing);
  }
  if (event == EVENT_SIGNAL) return;
  show_end(viewing);
  wait_for_signal(viewing);
}

static int serve(struct viewing *viewing, const struct serving_options *options) {
  int first = wait_for_first(viewing);
  if (first != 0) return first > 0 ? 0 : -1;
  if (serving_begin(&viewing->serving, &viewing->views[viewing->of_turn], options,
                    &viewing->error) != 0)
    return -1;
  follow(viewing);
  serving_end(&viewing->serving);
  return 0;
}

int view_live(struct live_recording *live, const struct serving_options *options,
              const char *metric, int saved) {
  struct viewing viewing = {.live = live,
                            .of_turn = -1,
                            .metric = metric,
                            .saved = saved,
                            .shown = {.running = true, .every_ns = EVERY_NS}};
  sigset_t ends;
  serving_prepare(&ends);
  viewing.signals = signalfd(-1, &ends, SFD_CLOEXEC);
  int result = serve(&viewing, options);
  if (viewing.of_turn >= 0) view_close(&viewing.views[viewing.of_turn]);
  close(viewing.signals);
  live_close(live);
  return result == 0 ? 0 : command_failed(&viewing.error);
}

static void show_beside(void *context, const char *directory, int end) {
  static const struct serving_options usual = {.ends = " the program, and then the viewer"};
  struct live_recording *live = live_open(directory, end);
  uint32_t looks_hz = *(const uint32_t *)context;
  struct error error;
  if (looks_hz && live_look(live, looks_hz, &error) != 0) command_failed(&error);
  view_live(live, &usual, NULL, end);
}

struct beside_work view_beside(const uint32_t *looks_hz) {
  return (struct beside_work){
      .show = show_beside, .context = (void *)looks_hz, .until_saved = true};
}
