/* The life of a process: whether it records, its start, its forked children, its end.
 *
 * A process records if ASCRIBE_OUT names a directory and it is not setuid.  Else the gate stays
 * inert: hooks then find out of line that there is nothing to do. */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "runtime/calibrate.h"
#include "runtime/cell.h"
#include "runtime/function_table.h"
#include "runtime/machine.h"
#include "runtime/objects.h"
#include "runtime/process.h"
#include "runtime/settings.h"
#include "runtime/storage.h"
#include "runtime/system.h"
#include "runtime/threads.h"
#include "runtime/ticks.h"

#define EXPORTED __attribute__((visibility("default")))

struct ascribe_gate ascribe_inert_gate = {0, 0, ASCRIBE_STANDBY, 0};
__thread struct ascribe_cell ascribe_cell
    __attribute__((aligned(16))) = {0, 0, &ascribe_inert_gate};

/* Of the instrumented objects in this link: which ways they were instrumented (enum way). */
extern const uint32_t __start_ascribe_ways[] __attribute__((weak));
extern const uint32_t __stop_ascribe_ways[] __attribute__((weak));

static struct { int recording; /* atomic: hooks of any thread look at it */ } process;

bool process_is_recording(void) {
  return __atomic_load_n(&process.recording, __ATOMIC_ACQUIRE);
}

static void set_recording(bool recording) {
  __atomic_store_n(&process.recording, recording, __ATOMIC_RELEASE);
  __atomic_store_n(&ascribe_inert_gate.owner, recording ? 0 : ASCRIBE_STANDBY, __ATOMIC_RELEASE);
}

uint32_t ascribe_enter_slow_call(uint64_t callee, uint64_t site);
EXPORTED void ascribe_object_loaded(void);

/* The gate was wiped: this is a child, made by whatever call, that has not yet started. Its
 * contexts go on from those of the parent that its stack frames hold. */
static void start_child(struct ascribe_cell *cell) {
  uint64_t signals;
  system_block_signals(&signals);
  uint32_t context = cell->context;
  struct thread_state *inherited = threads_all();
  struct recording_header *parent = storage_header();
  cell->gate = &ascribe_inert_gate;
  ticks_start_child(inherited);
  if (storage_create_child()) {
    __atomic_fetch_add(&parent->drops[DROP_PROCESSES], 1, __ATOMIC_RELAXED);
    set_recording(false);
  } else {
    struct recording_header *header = storage_header();
    header->ways = parent->ways;
    header->hook_ps = parent->hook_ps;
    function_table_start_child();
    threads_start_child();
    settings_write_text();
    objects_start_child();
    ticks_start(parent->rate_hz, parent->tick_source == TICK_TSC);
    threads_attach(cell);
    cell->context = context;
  }
  system_unblock_signals(&signals);
}

/* C side of the slow edge. Any thread, any signal handler, before and after main. */
__attribute__((used)) uint32_t ascribe_enter_slow_call(uint64_t callee, uint64_t site) {
  struct ascribe_cell *cell = &ascribe_cell;
  if (!process_is_recording()) return cell->context;
  struct thread_state *thread = (struct thread_state *)cell->gate->owner;
  if (!thread) {
    if (cell->gate != &ascribe_inert_gate) start_child(cell);
    if (!process_is_recording()) return cell->context;
    thread = (struct thread_state *)cell->gate->owner;
    if (!thread) thread = threads_attach(cell);
    if (!thread) return cell->context;
  }
  return machine_step(thread, cell->context, callee, site);
}

void ascribe_object_loaded(void) {
  if (process_is_recording()) objects_refresh();
}

/* fork() itself: start the child at once, so that its clock runs even if it calls no function. */
static void after_fork(void) {
  if (process_is_recording() && !ascribe_cell.gate->owner &&
      ascribe_cell.gate != &ascribe_inert_gate)
    start_child(&ascribe_cell);
}

static void at_end(void) {
  if (!process_is_recording()) return;
  ticks_update_cpu();
  storage_header()->finished = 1;
}

static uint32_t ways_linked(void) {
  uint32_t ways = 0;
  for (const uint32_t *way = __start_ascribe_ways; way < __stop_ascribe_ways; way++)
    ways |= *way;
  return ways;
}

static void start(int count, char **arguments, char **environment) {
  struct settings settings;
  if (process.recording || getauxval(AT_SECURE)) return;
  settings_read(environment, &settings);
  if (!settings.directory) return;
  int status = storage_create(settings.directory);
  if (!status && !function_table_start()) status = -ENOMEM;
  if (status) {
    settings_complain(&settings, status);
    return;
  }
  storage_header()->ways = ways_linked();
  storage_header()->hook_ps = calibrate_hook();
  settings_keep_text(count, arguments);
  settings_write_text();
  objects_refresh();
  threads_start();
  ticks_start(settings.rate_hz, settings.cycle_clock);
  set_recording(true);
  if (!threads_attach(&ascribe_cell)) set_recording(false);
  pthread_atfork(NULL, NULL, after_fork);
  atexit(at_end);
}

/* Before every other constructor, of the program and of its libraries. */
__attribute__((section(".preinit_array"), used)) static void (*const preinit)(int, char **,
                                                                              char **) = start;
