/* ascribe top: a program's costs in the terminal, while it runs. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/commands.h"
#include "cli/live_recording.h"
#include "cli/option_tables.h"
#include "cli/record_options.h"
#include "cli/record_save.h"
#include "cli/seconds.h"
#include "report/live_top.h"

enum { USUAL_FUNCTIONS = 15, THREADS = 6, OTHER_LINES = 9 };

struct request {
  pid_t pid; /* 0: a program is started */
  uint64_t interval_ns;
  size_t functions; /* 0: as many as there is room for */
  uint64_t turns;   /* 0: until the end */
  bool quiet;
  const char *output;
};

static int take_option(void *at, int option) {
  struct request *request = at;
  switch (option) {
  case OPTION_PID:
    request->pid = (pid_t)option_number();
    return 0;
  case OPTION_INTERVAL:
    if (seconds_parse(optarg, &request->interval_ns) == 0 && request->interval_ns) return 0;
    return wrong_use("--interval: expected a number of seconds above 0, not %s", optarg);
  case OPTION_LIMIT:
    request->functions = option_number();
    return 0;
  case OPTION_TURNS:
    request->turns = option_number();
    return 0;
  case OPTION_ONCE:
    request->turns = 1;
    return 0;
  case OPTION_OUTPUT:
    request->output = optarg;
    return 0;
  case OPTION_QUIET:
    request->quiet = true;
    return 0;
  default:
    return OPTION_UNTAKEN;
  }
}

/* ---- the terminal ---- */

/* Where the display goes, and keys come from. */
struct screen {
  bool redraws;          /* a terminal: each display takes the place of the one before */
  bool keys;             /* the terminal tells of each key at once, and sends no signals */
  struct termios before; /* if so */
  int signals;           /* what else would end us */
};

/* In the background a change would stop us. */
static bool owns_terminal(void) {
  return isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

static void open_screen(struct screen *screen) {
  static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    sigaddset(&set, ends[i]);
  sigprocmask(SIG_BLOCK, &set, NULL);
  *screen =
      (struct screen){.redraws = isatty(STDOUT_FILENO), .signals = signalfd(-1, &set, SFD_CLOEXEC)};
  if (!screen->redraws || !owns_terminal() || tcgetattr(STDIN_FILENO, &screen->before) != 0) return;
  struct termios keys = screen->before;
  keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
  keys.c_cc[VMIN] = 1;
  keys.c_cc[VTIME] = 0;
  screen->keys = tcsetattr(STDIN_FILENO, TCSADRAIN, &keys) == 0;
}

static void close_screen(const struct screen *screen) {
  if (screen->keys) tcsetattr(STDIN_FILENO, TCSADRAIN, &screen->before);
  close(screen->signals);
}

static unsigned rows_of_terminal(void) {
  struct winsize size;
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

/* From the top left corner, as many lines as there are. What was below goes. */
static void redraw(const char *text) {
  unsigned rows = rows_of_terminal();
  fputs("\033[H", stdout);
  for (unsigned row = 1; *text && (!rows || row < rows); row++) {
    size_t length = strcspn(text, "\n");
    printf("%.*s\033[K\r\n", (int)length, text);
    text += length + (text[length] == '\n');
  }
  fputs("\033[J", stdout);
}

/* Whether a key or a signal says that the display is to end. */
static bool is_told_to_end(const struct pollfd *keys, const struct pollfd *signals) {
  enum { CONTROL_C = 3, CONTROL_D = 4 };
  char key = 0;
  if (signals->revents) return true;
  if (!keys->revents) return false;
  if (read(STDIN_FILENO, &key, 1) != 1) return true;
  return key == 'q' || key == 'Q' || key == CONTROL_C || key == CONTROL_D;
}

/* ---- displays ---- */

struct display {
  const struct request *request;
  struct live_recording *live;
  struct live_top *top;
  struct screen screen;
  bool waits;        /* the program starts just now: an interval first */
  uint64_t shown_ns; /* CLOCK_MONOTONIC of the one before; 0: there was none */
  uint64_t cost_ns;  /* CPU time that it took */
  uint64_t count;
};

static size_t functions_shown(const struct display *display) {
  unsigned rows = display->screen.redraws ? rows_of_terminal() : 0;
  if (display->request->functions) return display->request->functions;
  return rows > OTHER_LINES + THREADS + 3 ? rows - OTHER_LINES - THREADS : USUAL_FUNCTIONS;
}

static void print(struct display *display, const struct live_turn *turn, FILE *out) {
  const struct terminal terminal = terminal_of(stdout);
  const struct live_moment moment = {.elapsed_ns =
                                         display->shown_ns ? turn->at_ns - display->shown_ns : 0,
                                     .age_ns = turn->age_ns,
                                     .functions = functions_shown(display),
                                     .threads = THREADS};
  live_top_print(display->top, turn->profile, &moment, &terminal, out);
  if (!display->request->quiet && display->cost_ns)
    fprintf(out, "the previous display cost %.1f ms of CPU time\n", display->cost_ns / 1e6);
}

/* 0, 1 if there is nothing yet, or -1. */
static int show(struct display *display, struct live_turn *turn, struct error *error) {
  uint64_t begun = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  char *text = NULL;
  size_t bytes;
  if (live_turn(display->live, turn, error) != 0) return -1;
  FILE *out = turn->profile ? open_memstream(&text, &bytes) : NULL;
  if (!out) return 1;
  print(display, turn, out);
  fclose(out);
  profile_free(turn->profile);
  if (display->screen.redraws)
    redraw(text);
  else
    printf("%s%s", display->count ? "\n" : "", text);
  fflush(stdout);
  free(text);
  display->shown_ns = turn->at_ns;
  display->count++;
  display->cost_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun;
  return 0;
}

enum next { NEXT_DISPLAY, NEXT_LAST, NEXT_NONE };

static enum next wait_for_next(const struct display *display, const struct live_turn *turn) {
  enum { YET_NS = 20000000 }; /* until there is something */
  bool whole = display->count || display->waits;
  uint64_t interval = whole ? display->request->interval_ns : YET_NS;
  uint64_t until = live_next_ns(turn, interval, display->cost_ns);
  for (;;) {
    struct pollfd others[] = {{.fd = display->screen.keys ? STDIN_FILENO : -1, .events = POLLIN},
                              {.fd = display->screen.signals, .events = POLLIN}};
    if (live_wait(display->live, until, others, 2)) return NEXT_LAST;
    if (is_told_to_end(&others[0], &others[1])) return NEXT_NONE;
    if (!others[0].revents) return NEXT_DISPLAY;
  }
}

/* 0; 1 when it was told to end, and the program that was started goes on; or -1. The last display,
 * when the program has ended, is left out if the recording went before. */
static int show_all(struct display *display, struct error *error) {
  const uint64_t turns = display->request->turns;
  const struct live_turn now = {.at_ns = clock_ns(CLOCK_MONOTONIC)};
  enum next next = display->waits ? wait_for_next(display, &now) : NEXT_DISPLAY;
  display->waits = false;
  while (next != NEXT_NONE) {
    struct live_turn turn;
    bool last = next == NEXT_LAST;
    if (show(display, &turn, error) < 0) return last && display->count ? 0 : -1;
    if (last || (turns && display->count >= turns) || ferror(stdout)) break;
    next = wait_for_next(display, &turn);
  }
  return next == NEXT_NONE && !display->request->pid ? 1 : 0;
}

static int show_live(const struct request *request, struct live_recording *live) {
  struct display display = {
      .request = request, .live = live, .top = live_top_open(), .waits = !request->pid};
  struct error error;
  open_screen(&display.screen);
  if (display.screen.redraws) fputs("\033[H\033[2J", stdout);
  int result = show_all(&display, &error);
  close_screen(&display.screen);
  live_top_close(display.top);
  live_close(live);
  if (result > 0 && display.screen.keys)
    fprintf(stderr, "ascribe top: the program goes on, and its profile is saved when it ends "
                    "(Ctrl-C ends it)\n");
  return result >= 0 ? 0 : command_failed(&error);
}

/* ---- of what ---- */

static int show_process(const struct request *request) {
  struct live_recording *live;
  struct error error;
  if (live_open_process(request->pid, &live, &error) != 0) return command_failed(&error);
  return show_live(request, live);
}

static void show_beside(void *context, const char *directory, int end) {
  show_live(context, live_open(directory, end));
}

static int show_started(struct request *request, char **program) {
  const struct beside_work work = {
      .show = show_beside, .context = request, .owns_terminal = isatty(STDOUT_FILENO)};
  const struct record_options options = {
      .program = program, .output = request->output, .quiet = request->quiet, .beside = &work};
  return record_save_check(&options) ? STATUS_OURS : record_program(&options);
}

int command_top(int count, char **arguments) {
  struct request request = {.interval_ns = 1000000000};
  int parsed = options_take(&options_top, take_option, NULL, count, arguments, &request);
  if (parsed != 0) return parsed > 0 ? EXIT_SUCCESS : STATUS_WRONG_USE;
  bool program = optind < count;
  if (request.pid && program)
    return wrong_use("--pid shows a running process: name no PROGRAM"), STATUS_WRONG_USE;
  if (!request.pid && !program)
    return wrong_use("which program? Give --pid PID, or PROGRAM"), STATUS_WRONG_USE;
  if (request.pid && request.output)
    return wrong_use("--output is for PROGRAM: the profile of --pid is saved by its own recorder"),
           STATUS_WRONG_USE;
  return request.pid ? show_process(&request) : show_started(&request, arguments + optind);
}
