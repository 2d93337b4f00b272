/* Where instrumented code calls the runtime (arch/x86_64/enter_slow.S): any thread, any signal
 * handler, before and after main. */
#include <stddef.h>

#include "runtime/arch/processor.h"
#include "runtime/contexts/closures.h"
#include "runtime/contexts/hosts.h"
#include "runtime/contexts/machine.h"
#include "runtime/contexts/point_counts.h"
#include "runtime/contexts/rows.h"
#include "runtime/contexts/scopes.h"
#include "runtime/heap/heap.h"
#include "runtime/life/thread_life.h"
#include "runtime/registry/cell.h"
#include "runtime/registry/process_state.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "runtime/registry/threads.h"
#include "runtime/stacks/stacks.h"
#include "runtime/ticks/host_clock.h"
#include "runtime/ticks/host_stacks.h"

struct ascribe_row *ascribe_row_enter_call(struct ascribe_function *code, uint64_t frame);
struct ascribe_row *ascribe_row_site_call(struct ascribe_row *own, uint32_t number, uint64_t at);
struct ascribe_row *ascribe_row_pointer_call(struct ascribe_row *own, uint32_t number, uint64_t at,
                                             uint64_t callee);
struct ascribe_row *ascribe_enter_call(uint64_t callee, uint64_t site);
void ascribe_enter_slow_call(uint64_t callee, uint64_t site);

__attribute__((used)) struct ascribe_row *ascribe_row_enter_call(struct ascribe_function *code,
                                                                 uint64_t frame) {
  struct ascribe_cell *cell = &ascribe_cell;
  struct thread_state *thread = thread_life_of(cell);
  if (!thread) return cell->row = rows_on_standby();
  return rows_enter(thread, cell, code, frame);
}

__attribute__((used)) struct ascribe_row *ascribe_row_site_call(struct ascribe_row *own,
                                                                uint32_t number, uint64_t at) {
  struct thread_state *thread = thread_life_of(&ascribe_cell);
  return thread ? rows_site(thread, own, number, at) : rows_on_standby();
}

__attribute__((used)) struct ascribe_row *
ascribe_row_pointer_call(struct ascribe_row *own, uint32_t number, uint64_t at, uint64_t callee) {
  struct thread_state *thread = thread_life_of(&ascribe_cell);
  return thread ? rows_pointer(thread, own, number, at, callee) : rows_on_standby();
}

__attribute__((used)) struct ascribe_row *ascribe_enter_call(uint64_t callee, uint64_t site) {
  struct ascribe_cell *cell = &ascribe_cell;
  struct thread_state *thread = thread_life_of(cell);
  return thread ? rows_enter_called(thread, cell->row, callee, site) : rows_on_standby();
}

/* Of code with counters. */
__attribute__((used)) void ascribe_enter_slow_call(uint64_t callee, uint64_t site) {
  struct thread_state *thread = thread_life_of(&ascribe_cell);
  if (thread) machine_step(thread, callee, site);
}

/* ---- scopes (ascribe/ascribe.h) ---- */

static uint32_t enter_scope(struct ascribe_centre *scope) {
  struct thread_state *thread = thread_life_of(&ascribe_cell);
  return thread ? scopes_enter(thread, scope, ascribe_centre) : ascribe_centre;
}

static __attribute__((noinline)) void name_block(const void *block, const char *name) {
  const uint64_t *frame = __builtin_frame_address(0);
  struct thread_state *thread = thread_life_of(&ascribe_cell);
  if (thread) heap_name(thread, (uint64_t)block, name, (uint64_t)(frame + 2));
}

static __attribute__((noinline)) void pool_allocated(const char *pool, const void *block,
                                                     uint64_t bytes) {
  struct thread_state *thread = thread_life_of(&ascribe_cell);
  const struct stack_caller caller = stack_caller_of(__builtin_frame_address(0));
  if (thread) heap_pool_allocated(thread, pool, (uint64_t)block, bytes, &caller);
}

static __attribute__((noinline)) void pool_freed(const char *pool, const void *block) {
  const uint64_t *frame = __builtin_frame_address(0);
  struct thread_state *thread = thread_life_of(&ascribe_cell);
  if (thread) heap_pool_freed(thread, pool, (uint64_t)block, (uint64_t)(frame + 2));
}

static int64_t thread_place(const void *variable) {
  return (const char *)variable - (const char *)thread_pointer();
}

__attribute__((visibility("default"))) void ascribe_scopes_loaded(struct ascribe_scopes *scopes);

/* By a constructor of every object with scopes: whether this process records is known by then. */
void ascribe_scopes_loaded(struct ascribe_scopes *scopes) {
  if (!process_is_recording()) return;
  scopes->enter = enter_scope;
  scopes->check = scopes_check();
  scopes->gate = thread_place(&ascribe_cell.gate);
  if (scopes->version > 1 && heap_is_recorded())
    __atomic_store_n(&scopes->name_block, name_block, __ATOMIC_RELAXED);
  if (scopes->version > 2 && heap_is_recorded()) {
    __atomic_store_n(&scopes->pool_allocated, pool_allocated, __ATOMIC_RELAXED);
    __atomic_store_n(&scopes->pool_freed, pool_freed, __ATOMIC_RELAXED);
  }
  __atomic_store_n(&scopes->centre, thread_place(&ascribe_centre), __ATOMIC_RELEASE);
}

/* ---- language hosts (ascribe/host.h) ---- */

/* The thread, whose host's clock is read. Null: nothing is recorded. */
static struct thread_state *thread_of_host(void) {
  struct thread_state *thread = thread_life_of(&ascribe_cell);
  if (thread && host_clock_is_wanted()) host_clock_read(thread);
  return thread;
}

static uint32_t enter_host(ascribe_point callee, ascribe_point site) {
  struct thread_state *thread = thread_of_host();
  return thread ? hosts_enter(thread, callee, site) : 0;
}

static uint32_t go_on_in_host(ascribe_point callee) {
  struct thread_state *thread = thread_of_host();
  return thread ? hosts_go_on(thread, callee) : 0;
}

static uint32_t context_of_host(void) {
  return ascribe_host_context.context;
}

static void leave_host(uint32_t context) {
  thread_of_host();
  ascribe_host_context = (struct host_context){.context = context};
}

/* A child that was just forked, or that could not make a recording, leaves its parent's alone. */
static uint32_t define_world(const char *name) {
  return process_is_recording() ? hosts_world(name) : 0;
}

static uint32_t define_file(uint32_t world, const char *path) {
  return process_is_recording() ? hosts_file(world, path) : 0;
}

static ascribe_point define_function(uint32_t world, const char *name, uint32_t file,
                                     struct ascribe_range range) {
  return process_is_recording() ? hosts_function(world, name, file, range) : 0;
}

static ascribe_point define_place(ascribe_point within, uint32_t kind, struct ascribe_range range) {
  return process_is_recording() ? hosts_place(within, kind, range) : 0;
}

static void forget_points(const ascribe_point *points, uint32_t count) {
  if (process_is_recording()) hosts_forget(points, count);
}

static volatile uint64_t *make_counters(const ascribe_point *points, uint32_t count) {
  struct thread_state *thread = thread_life_of(&ascribe_cell);
  return thread ? point_counts_claim(thread, points, count) : NULL;
}

static ascribe_cost_centre define_centre(const char *label, const char *module, const char *path,
                                         uint32_t line) {
  return process_is_recording() ? scopes_define(label, module, path, line) : 0;
}

static uint32_t enter_centre(ascribe_cost_centre centre) {
  struct thread_state *thread = thread_of_host();
  uint32_t from = ascribe_centre;
  if (thread) ascribe_centre = scopes_enter_defined(thread, centre, from);
  return from;
}

static uint32_t current_centre(void) {
  return ascribe_centre;
}

static void put_centre(uint32_t centre) {
  thread_of_host();
  ascribe_centre = centre;
}

static ascribe_closure define_closure(uint32_t kind, const char *description, uint64_t bytes) {
  return process_is_recording() ? closures_define(kind, description, bytes) : 0;
}

static uint32_t count_allocated(ascribe_closure closure) {
  struct thread_state *thread = thread_of_host();
  if (thread) closures_allocated(thread, closure, ascribe_centre);
  return ascribe_centre;
}

static void begin_census(void) {
  struct thread_state *thread = thread_life_of(&ascribe_cell);
  if (thread) closures_census_begin(thread);
}

static void add_to_census(ascribe_closure closure, uint32_t centre) {
  struct thread_state *thread = thread_life_of(&ascribe_cell);
  if (thread) closures_census_add(thread, closure, centre);
}

static void end_census(void) {
  struct thread_state *thread = thread_life_of(&ascribe_cell);
  if (thread) closures_census_end(thread);
}

static void note_function_rule(uint32_t rule) {
  uint32_t hook = rule == ASCRIBE_LEXICAL ? HOOKS_LEXICAL : HOOKS_BY_CALLER;
  if (process_is_recording()) __atomic_fetch_or(&storage_header()->hooks, hook, __ATOMIC_RELAXED);
}

static void note_running(const volatile ascribe_point *word) {
  ascribe_host_word = word;
}

static void tell_stack(const ascribe_point *points, uint32_t count) {
  struct thread_state *thread = thread_life_of(&ascribe_cell);
  if (thread) host_stacks_tell(thread, points, count);
}

static uint32_t copy_memory(void *to, const void *from, uint32_t bytes) {
  if (!host_stacks_may_copy()) return 0;
  long copied = threads_copy(to, from, bytes);
  return system_failed(copied) ? 0 : (uint32_t)copied;
}

/* This runtime reads one version of the header. */
static bool is_known(const struct ascribe_host *host) {
  if (host->version == ASCRIBE_HOST_VERSION) return true;
  storage_note_lack(host->version < ASCRIBE_HOST_VERSION ? HINDRANCE_HOST_OLDER
                                                         : HINDRANCE_HOST_NEWER);
  return false;
}

__attribute__((visibility("default"))) void ascribe_host_core(uint32_t world, const char *text);

/* For hosts that Ascribe brings along (src/instrument/chez): core forms of the program that they
 * expanded, in pieces of up to 1000 bytes. Any thread. */
void ascribe_host_core(uint32_t world, const char *text) {
  if (process_is_recording()) hosts_core(world, text);
}

__attribute__((visibility("default"))) void ascribe_host_loaded(struct ascribe_host *host);

/* By the host, when it begins: whether this process records is known by then. */
void ascribe_host_loaded(struct ascribe_host *host) {
  if (!process_is_recording() || !is_known(host) || host->context) return;
  host->enter = enter_host;
  host->go_on = go_on_in_host;
  host->leave = leave_host;
  host->world = define_world;
  host->file = define_file;
  host->function = define_function;
  host->place = define_place;
  host->forget = forget_points;
  host->counters = make_counters;
  host->running = note_running;
  host->own_code = hosts_own_code;
  host->stack = host_stacks_set;
  host->stack_now = tell_stack;
  host->copy = copy_memory;
  host->clock = host_clock_set;
  host->thread_clock = host_clock_set_own;
  host->current = context_of_host;
  host->define_centre = define_centre;
  host->enter_centre = enter_centre;
  host->current_centre = current_centre;
  host->put_centre = put_centre;
  host->function_rule = note_function_rule;
  host->define_closure = define_closure;
  host->allocated = count_allocated;
  host->census_begin = begin_census;
  host->census_add = add_to_census;
  host->census_end = end_census;
  host->gate = thread_place(&ascribe_cell.gate);
  __atomic_fetch_or(&storage_header()->hooks, HOOKS_HOST, __ATOMIC_RELAXED);
  bool by_calls = host_clock_is_wanted();
  int64_t context = by_calls ? ASCRIBE_HOST_BY_CALLS : thread_place(&ascribe_host_context);
  host->centre = by_calls ? ASCRIBE_HOST_BY_CALLS : thread_place(&ascribe_centre);
  __atomic_store_n(&host->context, context, __ATOMIC_RELEASE);
}
