#include "cli/progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/base_name.h"
#include "cli/message_stream.h"
#include "cli/options.h"
#include "symbols/reading_progress.h"

/* The reader may be inside of a library for seconds: a thread of its own draws. */
static struct {
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t ends;
  bool runs, ending, drawn;
  char name[48]; /* of the object */
  size_t units_read, unit_count;
} line = {.mutex = PTHREAD_MUTEX_INITIALIZER, .ends = PTHREAD_COND_INITIALIZER};

static void note(const struct symbols_progress *progress) {
  pthread_mutex_lock(&line.mutex);
  snprintf(line.name, sizeof line.name, "%s", base_name(progress->path));
  line.units_read = progress->units_read;
  line.unit_count = progress->unit_count;
  pthread_mutex_unlock(&line.mutex);
}

/* Names of files may hold what a terminal would obey. */
static void draw_name(void) {
  for (const char *at = line.name; *at; at++)
    fputc(*at >= ' ' && *at < 0x7f ? *at : '?', message_stream_raw());
}

static void draw(void) {
  if (!line.name[0]) return;
  fprintf(message_stream_raw(), "\r\033[K%s: reading the symbols of ", command_name());
  draw_name();
  if (line.unit_count)
    fprintf(message_stream_raw(), ", %zu of at most %zu units", line.units_read, line.unit_count);
  fflush(message_stream_raw());
  line.drawn = true;
}

static struct timespec after(long milliseconds) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_nsec += milliseconds * 1000000;
  time.tv_sec += time.tv_nsec / 1000000000;
  time.tv_nsec %= 1000000000;
  return time;
}

static void *draw_until_the_end(void *unused) {
  struct timespec next = after(1000);
  pthread_mutex_lock(&line.mutex);
  while (!line.ending) {
    if (pthread_cond_timedwait(&line.ends, &line.mutex, &next) == 0) continue;
    draw();
    next = after(100);
  }
  pthread_mutex_unlock(&line.mutex);
  return unused;
}

void progress_begin(void) {
  if (!isatty(STDERR_FILENO)) return;
  line.ending = line.drawn = false;
  line.name[0] = '\0';
  sigset_t all, before; /* signals are for the thread that waits for them */
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  line.runs = pthread_create(&line.thread, NULL, draw_until_the_end, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (line.runs) symbols_watch(note);
}

void progress_end(void) {
  if (!line.runs) return;
  symbols_watch(NULL);
  pthread_mutex_lock(&line.mutex);
  line.ending = true;
  pthread_cond_signal(&line.ends);
  pthread_mutex_unlock(&line.mutex);
  pthread_join(line.thread, NULL);
  line.runs = false;
  if (line.drawn) fputs("\r\033[K", message_stream_raw());
}
