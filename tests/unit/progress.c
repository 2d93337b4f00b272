/* The line that says what reading symbols is at: its thread and the one that reads never touch the
 * same thing at once. Compiled with ThreadSanitizer, which ends the program where they do. */
#include "cli/progress.h"

#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "cli/message_stream.h"
#include "cli/options.h"
#include "symbols/reading_progress.h"

static void (*watched)(const struct symbols_progress *progress);

void symbols_watch(void (*watch)(const struct symbols_progress *progress)) {
  watched = watch;
}

const char *command_name(void) {
  return "ascribe report";
}

FILE *message_stream_raw(void) {
  return stderr;
}

/* Standard error becomes a terminal; what is written there can be read from the result. */
static int open_terminal(void) {
  int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) || unlockpt(terminal)) return -1;
  int end = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  return end >= 0 && dup2(end, STDERR_FILENO) >= 0 ? terminal : -1;
}

static void read_symbols(double seconds) {
  const struct timespec pause = {.tv_nsec = 100000};
  size_t steps = (size_t)(seconds / 2e-4);
  for (size_t i = 0; i < steps; i++) {
    CHECK(watched);
    if (watched) watched(&(struct symbols_progress){"/lib/lib\033x.so", i, steps});
    nanosleep(&pause, NULL);
  }
}

int main(void) {
  char drawn[8192] = "";
  int terminal = open_terminal();
  if (terminal < 0) return 77; /* there are none here: skipped */
  progress_begin();            /* too short to be drawn */
  read_symbols(0.01);
  progress_end();
  progress_begin();
  read_symbols(1.6);
  progress_end();
  CHECK(!watched);
  fflush(stderr);
  CHECK(read(terminal, drawn, sizeof drawn - 1) > 0);
  CHECK_CONTAINS(drawn, "ascribe report: reading the symbols of lib?x.so, ");
  return check_result();
}
