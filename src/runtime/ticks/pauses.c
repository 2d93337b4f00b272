#include "runtime/ticks/pauses.h"

#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "runtime/ticks/cpu_time.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#define PERIOD_MOST 10000000u /* ns; a clock ticks only where it finds the program in user code */
#define PERIOD_LEAST 1000000u

static struct {
  const struct recording_control *control; /* null: there is no file */
  int on;                                  /* atomic */
  int busy;                                /* atomic: a thread changes `on` */
  int by_program;                          /* atomic: asked for by the program itself */
} pauses;

static long open_file(void) {
  int directory = storage_open_directory();
  if (directory < 0) return directory;
  long file = system_call4(SYS_openat, directory, (long)CONTROL_NAME,
                           O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  system_call3(SYS_close, directory, 0, 0);
  return file;
}

/* Written, not only made longer: the page is then there, and reading it cannot fail. */
static bool fill(long file, bool stopped) {
  struct stat status;
  struct recording_control control = {
      .magic = CONTROL_MAGIC, .begin_ns = stopped ? CONTROL_NEVER : 0, .end_ns = CONTROL_NEVER};
  if (system_failed(system_call3(SYS_fstat, file, (long)&status, 0))) return false;
  if (status.st_size >= (long)sizeof control) return true;
  return system_call4(SYS_pwrite64, file, (long)&control, sizeof control, 0) == sizeof control;
}

void pauses_open(bool stopped) {
  long file = open_file();
  if (system_failed(file)) return;
  long map = -1;
  if (storage_is_private(file) && fill(file, stopped))
    map = system_call6(SYS_mmap, 0, sizeof *pauses.control, PROT_READ, MAP_SHARED, file, 0);
  system_call3(SYS_close, file, 0, 0);
  const struct recording_control *control = (const void *)map;
  if (!system_failed(map) && control->magic == CONTROL_MAGIC) pauses.control = control;
}

/* Relaxed: the two change apart from each other, and either is right at any moment. */
static uint64_t begin_ns(void) {
  return __atomic_load_n(&pauses.control->begin_ns, __ATOMIC_RELAXED);
}
static uint64_t end_ns(void) {
  return __atomic_load_n(&pauses.control->end_ns, __ATOMIC_RELAXED);
}

static bool is_by_program(void) {
  return __atomic_load_n(&pauses.by_program, __ATOMIC_RELAXED);
}

bool pauses_by_program(bool asked) {
  return __atomic_exchange_n(&pauses.by_program, asked, __ATOMIC_RELAXED) != asked;
}

static bool is_asked(void) {
  if (is_by_program()) return true;
  if (!pauses.control || (begin_ns() == 0 && end_ns() == CONTROL_NEVER)) return false;
  uint64_t now = system_clock(CLOCK_MONOTONIC);
  if (!now) return pauses_on(); /* it may not be asked */
  return now < begin_ns() || now >= end_ns();
}

void pauses_start(void) {
  pauses.on = pauses.busy = 0;
  pauses_look();
}

enum pause_state pauses_look(void) {
  bool asked = is_asked();
  enum pause_state state = asked ? PAUSE_ON : PAUSE_NONE;
  if (asked == pauses_on() || __atomic_exchange_n(&pauses.busy, 1, __ATOMIC_ACQUIRE)) return state;
  if (asked != pauses_on()) {
    cpu_time_set_paused(asked);
    __atomic_store_n(&pauses.on, asked, __ATOMIC_RELAXED);
    if (!asked) state = PAUSE_ENDED;
  }
  __atomic_store_n(&pauses.busy, 0, __ATOMIC_RELEASE);
  return state;
}

bool pauses_on(void) {
  return __atomic_load_n(&pauses.on, __ATOMIC_RELAXED);
}

uint64_t pauses_period_ns(void) {
  if (is_by_program()) return PERIOD_MOST;
  uint64_t begin = begin_ns(), now = system_clock(CLOCK_MONOTONIC);
  if (begin == CONTROL_NEVER || begin <= now || begin - now > PERIOD_MOST) return PERIOD_MOST;
  return begin - now < PERIOD_LEAST ? PERIOD_LEAST : begin - now;
}
