/* The life of a process: whether it records, its start, its forked children, its end.
 *
 * A process records if ASCRIBE_OUT names a directory and it is not setuid.  Else the gate stays
 * inert: hooks then find out of line that there is nothing to do. */
#include <stdbool.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "runtime/contexts/calibrate.h"
#include "runtime/contexts/function_table.h"
#include "runtime/contexts/hosts.h"
#include "runtime/contexts/machine.h"
#include "runtime/contexts/scopes.h"
#include "runtime/counts/counts.h"
#include "runtime/guise/allocator_entry.h"
#include "runtime/guise/chicken_points.h"
#include "runtime/guise/confinement.h"
#include "runtime/guise/hand_over.h"
#include "runtime/guise/message_entry.h"
#include "runtime/guise/object_counts.h"
#include "runtime/guise/signal_masks.h"
#include "runtime/guise/signals.h"
#include "runtime/heap/heap.h"
#include "runtime/life/presence.h"
#include "runtime/life/process.h"
#include "runtime/life/settings.h"
#include "runtime/life/thread_life.h"
#include "runtime/life/thread_starts.h"
#include "runtime/messages/message_ends.h"
#include "runtime/objects/objects.h"
#include "runtime/registry/cell.h"
#include "runtime/registry/process_state.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "runtime/registry/threads.h"
#include "runtime/stacks/stacks.h"
#include "runtime/ticks/cpu_time.h"
#include "runtime/ticks/host_clock.h"
#include "runtime/ticks/pauses.h"
#include "runtime/ticks/ticks.h"

#define EXPORTED __attribute__((visibility("default")))

/* How the instrumented objects in this link were instrumented (enum hooks). */
extern void (*const __start_ascribe_early[])(void) __attribute__((weak)); /* next_function.h */
extern void (*const __stop_ascribe_early[])(void) __attribute__((weak));
extern const uint32_t __start_ascribe_ways[] __attribute__((weak));
extern const uint32_t __stop_ascribe_ways[] __attribute__((weak));

static struct {
  uint64_t loaded_at_start;
  struct ticks_wanted ticks;
  uint32_t looker; /* may look at our threads; 0: nobody */
} process;

/* Where the Yama security module lets only ancestors look at a process, one whose parent has ended
 * would be out of sight. Elsewhere it is an unknown request. */
static void permit_looker(void) {
  if (process.looker) system_call3(SYS_prctl, PR_SET_PTRACER, process.looker, 0);
}

EXPORTED void ascribe_object_loaded(void);

/* The calling thread goes on in the context it has: one of the parent's. */
static void start_child(struct ascribe_cell *cell) {
  struct recording_header *parent = storage_header();
  struct thread_state *inherited = threads_all();
  cell->gate = &ascribe_inert_gate;
  ticks_start_child(threads_all());
  bool permitted = confinement_permits_start();
  if (!permitted) storage_give_up_child(cell->row);
  if (!permitted || storage_create_child(cell->row)) {
    __atomic_fetch_add(&parent->drops[DROP_PROCESSES], 1, __ATOMIC_RELAXED);
    counts_give_up();
    heap_start_child(parent, false);
    process_set_recording(false);
    return;
  }
  struct recording_header *header = storage_header();
  header->hooks = parent->hooks;
  header->hook_low = parent->hook_low;
  header->hook_high = parent->hook_high;
  permit_looker();
  function_table_start_child();
  scopes_start_child();
  hosts_start_child();
  heap_start_child(parent, true);
  message_ends_start_child();
  thread_life_start_child();
  settings_write_text();
  objects_start_child();
  counts_start_child();
  process.ticks.cycles = parent->tick_source == TICK_TSC;
  process.ticks.host = parent->tick_source == TICK_HOST;
  ticks_start(&process.ticks);
  struct thread_state *thread = thread_life_attach(cell);
  if (thread) stacks_inherit(thread, inherited);
}

void ascribe_object_loaded(void) {
  if (process_is_recording()) objects_refresh();
}

/* fork() itself: start the child at once, so that its clock runs even if it calls no function. */
static void after_fork(void) {
  process_is_recording();
}

/* A process that a seccomp filter does not let ask for its CPU time keeps the last figures, as if
 * it had been killed. */
static void finish(void) {
  struct thread_state *thread = threads_current();
  if (thread && host_clock_is_wanted()) host_clock_read(thread);
  ticks_finish();
  if (signals_are_taken()) storage_header()->hindrances |= HINDRANCE_TAKEN;
  if (!thread_starts_are_seen()) storage_header()->hindrances |= HINDRANCE_THREADS;
  if (heap_is_recorded() && !allocator_calls_come())
    storage_header()->hindrances |= HINDRANCE_ALLOCATOR;
  if (!system_forbids(SYS_getrusage) && !system_forbids(SYS_clock_gettime))
    storage_header()->finished = 1;
}

/* The recording is this process's own, and not that of the parent it was forked from. There may
 * have been room for no more than its header. */
static bool is_recorded(void) {
  const struct recording_header *header = storage_header();
  return header && header->pid == (uint32_t)system_call3(SYS_getpid, 0, 0, 0);
}

/* Libraries whose hooks are bound to inert ones do not tell that they were loaded. */
static void at_end(void) {
  if (process_is_recording() && object_counts_read().loaded != process.loaded_at_start)
    objects_refresh();
  process_note_end();
}

void process_note_end(void) {
  if (is_recorded()) finish();
}

static uint32_t hooks_linked(void) {
  uint32_t hooks = 0;
  for (const uint32_t *kind = __start_ascribe_ways; kind < __stop_ascribe_ways; kind++)
    hooks |= *kind;
  return hooks;
}

/* As heap_start has it. */
static uint64_t sampling_mean(uint32_t wanted) {
  if (wanted <= 1) return 0;
  if (wanted < HEAP_MEAN_LEAST) return HEAP_MEAN_LEAST;
  return wanted < HEAP_MEAN_MOST ? wanted : HEAP_MEAN_MOST;
}

static void start(int count, char **arguments, char **environment) {
  struct settings settings;
  for (void (*const *early)(void) = __start_ascribe_early; early < __stop_ascribe_early; early++)
    (*early)();
  ascribe_inert_row.outer = (uint64_t)&ascribe_inert_row;
  ascribe_inert_row.beside = UINT32_MAX - 1;
  ascribe_inert_row.function = ASCRIBE_ROW_OTHER; /* each thread is to be met */
  if (process_is_recording() || getauxval(AT_SECURE) || presence_is_second() ||
      presence_is_foreign())
    return;
  settings_read(environment, &settings);
  if (!settings.directory || confinement_is_inherited(settings.filters)) return;
  int status = storage_create(settings.directory, !settings.prepared);
  bool narrow = !status && !storage_has_space();
  bool fits = !status && !narrow && function_table_start() && scopes_start(settings.centres) &&
              thread_life_start();
  if (!status && !fits) { /* whoever reads the recording is to know */
    storage_note_lack(narrow ? HINDRANCE_NARROW : HINDRANCE_LIMITED);
    cpu_time_start(); /* whose time was before: that of another program in this process */
    settings_keep_text(count, arguments);
    settings_write_text();
    status = -ENOMEM;
  }
  if (status) {
    settings_complain(&settings, status);
    return;
  }
  pauses_open(settings.stopped);
  storage_header()->hooks = hooks_linked();
  calibrate_start(hooks_linked());
  settings_keep_text(count, arguments);
  settings_write_text();
  process.loaded_at_start = object_counts_read().loaded;
  /* Without contexts stacks are all there is. */
  bool has_contexts = storage_header()->hooks & HOOKS_WITH_CONTEXTS || chicken_is_here();
  if (settings.stacks || !has_contexts) stacks_start(true);
  uint64_t mean = sampling_mean(settings.heap);
  bool heap = settings.heap && stacks_start(false) && heap_start(mean);
  bool mpi = settings.mpi && stacks_start(false);
  objects_refresh();
  counts_start();
  process.looker = settings.looker;
  permit_looker();
  presence_after_fork(after_fork);
  presence_at_exit(at_end);
  signals_start();
  process.ticks = (struct ticks_wanted){settings.rate_hz, settings.cycle_clock, settings.host_clock,
                                        hand_over_is_called(), settings.events};
  ticks_start(&process.ticks);
  signal_masks_start();
  process_state_register(start_child);
  process_set_recording(true);
  struct thread_state *thread = thread_life_attach(&ascribe_cell);
  if (thread)
    stacks_note_main(thread, objects_stack_top(), arguments);
  else
    process_set_recording(false);
  if (thread && heap) allocator_calls_begin(mean != 0);
  if (thread) message_calls_begin(mpi);
}

/* Before every other constructor, of the program and of its libraries. */
__attribute__((section(".preinit_array"), used)) static void (*const preinit)(int, char **,
                                                                              char **) = start;
