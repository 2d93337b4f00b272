/* From a recording to a profile: addresses become functions, and code without hooks is stepped
 * below the context in which ticks found it. */
#include <stdlib.h>
#include <string.h>

#include "attribution/context_order.h"
#include "attribution/context_table.h"
#include "attribution/counters.h"
#include "attribution/expansion.h"
#include "attribution/fold.h"
#include "attribution/places.h"
#include "attribution/tail_calls.h"
#include "attribution/tail_code.h"
#include "attribution/tick_scales.h"
#include "attribution/uncounted.h"
#include "attribution/waits.h"
#include "recording/history.h"

struct normalisation {
  struct profile *profile;
  struct places places;
  struct context_table contexts;
  struct expansion expansion;
  struct stack_ticks stack_ticks;
  struct wait_adder waits;
  struct counter_adder counters;
  struct map sites, instructions;
  size_t process_room, thread_room, site_room, transition_room, tick_room, instruction_room;
  uint32_t *scratch; /* a history being made */
  size_t scratch_room;
  struct profile_process *figures; /* by process, without names */
  double *scales;
  /* of the process at hand */
  double scale;
  const struct process_recording *process;
  uint32_t first_thread;
  uint32_t *functions; /* recorded function -> function */
  bool *apart;         /* by recorded context: it only stands for a pointer that was called */
  bool *piece;         /* by recorded function */
  bool *shared;        /* by recorded function: another one became the same function */
  /* (recorded context and function, return address) that entered whole functions with pieces */
  struct map whole_calls;
  uint32_t *context_ids; /* recorded context -> context, or NOTHING */
};

static uint32_t *scratch(struct normalisation *work, size_t length) {
  if (length > work->scratch_room) {
    work->scratch_room = 2 * length;
    work->scratch = memory_resized(work->scratch, work->scratch_room, sizeof *work->scratch);
  }
  return work->scratch;
}

/* ---- functions ---- */

/* Calls through pointers in code with counters (counters.h) have contexts of the callee alone,
 * which say nothing of where it ran. */
static void find_apart(struct normalisation *work) {
  const struct process_recording *process = work->process;
  work->apart = memory_zeroed(process->context_count, sizeof *work->apart);
  for (size_t i = 0; i < process->transition_count; i++)
    if (process->transitions[i].indirect) work->apart[process->transitions[i].to] = true;
  for (size_t i = 0; i < process->transition_count; i++)
    if (!process->transitions[i].indirect)
      work->apart[process->transitions[i].from] = work->apart[process->transitions[i].to] = false;
  for (size_t i = 0; i < process->tick_count; i++)
    work->apart[process->ticks[i].context] = false;
}

/* By recorded function: whether no other context has it, no thread began with it, and -pg did
 * not count it. */
static bool *find_apart_only(const struct normalisation *work) {
  const struct process_recording *process = work->process;
  bool *only = memory_zeroed(process->function_count, sizeof *only);
  for (int apart = 1; apart >= 0; apart--)
    for (size_t i = 0; i < process->context_count; i++)
      for (uint32_t k = 0; work->apart[i] == apart && k < process->contexts[i].length; k++)
        only[history_function(process->contexts[i].history[k])] = apart;
  for (size_t i = 0; i < process->thread_count; i++)
    if (process->threads[i].start_function != NOTHING)
      only[process->threads[i].start_function] = false;
  for (size_t i = 0; i < process->call_count; i++)
    only[process->calls[i].function] = false;
  return only;
}

static void map_functions(struct normalisation *work) {
  const struct process_recording *process = work->process;
  size_t count = process->function_count;
  bool *apart_only = find_apart_only(work);
  struct map first = {0}; /* function -> the first recorded one that became it */
  work->functions = memory_zeroed(count, sizeof *work->functions);
  work->piece = memory_zeroed(count, sizeof *work->piece);
  work->shared = memory_zeroed(count, sizeof *work->shared);
  for (size_t i = 0; i < count; i++) {
    const struct function_entry *entry = &process->functions[i];
    if (entry->kind != ENTRY_FUNCTION || apart_only[i]) continue;
    uint32_t place = places_find(&work->places, entry->address, entry->event);
    uint32_t function = places_function(&work->places, place, true);
    work->functions[i] = function;
    work->piece[i] = places_get(&work->places, place)->piece;
    uint32_t other = map_find_or_add(&first, function, 0, i);
    work->shared[other] |= other != i;
    work->shared[i] |= other != i;
  }
  map_free(&first);
  free(apart_only);
}

/* A function is counted if a hook was met in it; a thread's first function may have none. */
static void mark_counted(struct normalisation *work) {
  const struct process_recording *process = work->process;
  for (size_t i = 0; i < process->context_count; i++) {
    const struct context_entry *context = &process->contexts[i];
    if (!context->length || context->flags & CONTEXT_STACK || work->apart[i]) continue;
    uint32_t function = work->functions[history_function(context->history[context->length - 1])];
    work->profile->functions[function].kind = FUNCTION_COUNTED;
  }
}

/* ---- contexts ---- */

static uint32_t translate_history(struct normalisation *work, const struct context_entry *recorded,
                                  uint32_t *history) {
  bool fold = false;
  for (uint32_t i = 0; i < recorded->length; i++) {
    uint32_t function = history_function(recorded->history[i]);
    fold |= work->shared[function];
    history[i] = history_entry(work->functions[function], history_marked(recorded->history[i]));
  }
  return fold ? history_fold(history, recorded->length) : recorded->length;
}

/* The context that a recorded one became.  Only contexts that something happened in are kept:
 * forked children carry all of their parent's. */
static uint32_t context_of(struct normalisation *work, uint32_t recorded_id) {
  uint32_t *id = &work->context_ids[recorded_id];
  if (*id != NOTHING) return *id;
  const struct context_entry *recorded = &work->process->contexts[recorded_id];
  uint32_t *history = scratch(work, recorded->length + 2);
  uint32_t length = translate_history(work, recorded, history);
  if (recorded->flags & CONTEXT_OVERFLOW) {
    history[0] = history_entry(places_overflow(&work->places), true);
    length = 1;
  }
  *id = context_intern(&work->contexts, work->first_thread + recorded->thread, history, length);
  return *id;
}

/* The context below `context` in which `function` runs, by the same rules as any call. */
static uint32_t step_leaf(struct normalisation *work, uint32_t context_id, uint32_t function) {
  const struct profile_context *context = &work->profile->contexts[context_id];
  if (history_is_running(context->history, context->length, function)) return context_id;
  uint32_t *history = scratch(work, context->length + 1);
  uint32_t length = history_step(context->history, context->length, function, history);
  return context_intern(&work->contexts, context->thread, history, length);
}

/* ---- calls ---- */

static uint32_t site_of(struct normalisation *work, uint32_t caller, uint32_t callee,
                        uint64_t address) {
  struct profile *profile = work->profile;
  uint32_t place_id = places_find(&work->places, address - 1, UINT64_MAX);
  uint64_t arc = (uint64_t)caller << 32 | callee;
  uint32_t id = map_find_or_add(&work->sites, arc, place_id, profile->site_count);
  if (id != profile->site_count) return id;
  const struct place *place = places_get(&work->places, place_id);
  MEMORY_GROW(profile->sites, profile->site_count, work->site_room);
  profile->sites[profile->site_count++] = (struct profile_site){.caller = caller,
                                                                .callee = callee,
                                                                .within = place->function,
                                                                .object = place->object,
                                                                .offset = place->offset + 1,
                                                                .file = place->file,
                                                                .line = place->line};
  return id;
}

static uint32_t recorded_running(const struct context_entry *context) {
  return context->length ? history_function(context->history[context->length - 1]) : NOTHING;
}

/* The compiler moved a part of the function out of line: going there is no call in the program. */
static bool enters_own_piece(const struct normalisation *work, const struct context_entry *from,
                             const struct context_entry *to) {
  uint32_t caller = recorded_running(from), callee = recorded_running(to);
  return caller != NOTHING && callee != NOTHING && work->piece[callee] && !work->piece[caller] &&
         work->functions[caller] == work->functions[callee];
}

static uint64_t call_key(const struct normalisation *work,
                         const struct transition_entry *recorded) {
  uint32_t callee = recorded_running(&work->process->contexts[recorded->to]);
  return (uint64_t)recorded->from << 32 | work->functions[callee];
}

static void note_whole_calls(struct normalisation *work) {
  const struct process_recording *process = work->process;
  for (size_t i = 0; i < process->transition_count; i++) {
    const struct transition_entry *recorded = &process->transitions[i];
    uint32_t callee = recorded_running(&process->contexts[recorded->to]);
    if (recorded->count && !recorded->indirect && callee != NOTHING && work->shared[callee] &&
        !work->piece[callee])
      map_find_or_add(&work->whole_calls, call_key(work, recorded), recorded->site, 0);
  }
}

/* The same by a jump, before which the function put its caller's context back: to the hooks the
 * piece is called by the function's caller, from where the function itself was called. */
static bool jumps_to_own_piece(const struct normalisation *work,
                               const struct transition_entry *recorded) {
  uint32_t callee = recorded_running(&work->process->contexts[recorded->to]);
  return callee != NOTHING && work->piece[callee] &&
         map_find(&work->whole_calls, call_key(work, recorded), recorded->site) != NOTHING;
}

static void add_transition(struct normalisation *work, const struct transition_entry *recorded) {
  struct profile *profile = work->profile;
  const struct context_entry *contexts = work->process->contexts;
  if (!recorded->count ||
      enters_own_piece(work, &contexts[recorded->from], &contexts[recorded->to]) ||
      jumps_to_own_piece(work, recorded))
    return;
  uint32_t from = context_of(work, recorded->from);
  uint32_t to = context_of(work, recorded->to);
  if (context_running(&profile->contexts[to]) == NOTHING)
    to = step_leaf(work, from, places_overflow(&work->places));
  uint32_t caller = context_running(&profile->contexts[from]);
  uint32_t callee = context_running(&profile->contexts[to]);
  uint32_t site = site_of(work, caller, callee, recorded->site);
  MEMORY_GROW(profile->transitions, profile->transition_count, work->transition_room);
  profile->transitions[profile->transition_count++] =
      (struct profile_transition){from, to, site, recorded->count};
}

/* The caller is the function that holds the site: nothing else is known.  What starts main and
 * threads is nobody, as in stacks. */
static uint32_t caller_at(const struct normalisation *work, const struct place *from,
                          uint32_t callee) {
  const struct profile_function *function = &work->profile->functions[callee];
  bool starts = strcmp(function->name, "main") == 0 && from->object != function->object;
  return from->runtime || starts ? NOTHING : from->function;
}

static void add_count(struct normalisation *work, const struct call_entry *call) {
  struct profile *profile = work->profile;
  uint32_t from = places_find(&work->places, call->site - 1, UINT64_MAX);
  uint32_t callee = work->functions[call->function];
  uint32_t caller = caller_at(work, places_get(&work->places, from), callee);
  bool from_piece = places_get(&work->places, from)->piece;
  profile->functions[callee].kind = FUNCTION_COUNTED;
  if (caller == callee && work->piece[call->function] && !from_piece)
    return; /* no call: see above */
  MEMORY_GROW(profile->counts, profile->count_count, work->counters.count_room);
  profile->counts[profile->count_count++] =
      (struct profile_count){.process = profile->process_count - 1,
                             .site = site_of(work, caller, callee, call->site),
                             .calls = call->count};
}

/* ---- ticks ---- */

/* A century: sums of what a damaged recording claims stay far from overflowing. */
#define MOST_RAW_NS 3e18

static struct amount tick_amount(const struct normalisation *work, uint64_t ticks,
                                 uint64_t weight) {
  const struct recording_header *header = &work->process->header;
  double period = header->period_ns;
  if (header->tick_source == TICK_TSC && header->tsc_hz) period = 1e9 / header->tsc_hz;
  double raw_ns = weight * period * work->scale + 0.5;
  return (struct amount){ticks, raw_ns < MOST_RAW_NS ? (uint64_t)raw_ns : (uint64_t)MOST_RAW_NS};
}

static uint32_t line_of(struct normalisation *work, uint32_t function, const struct place *place) {
  return expansion_line(&work->expansion, function, place->file, place->line);
}

/* The function to charge: the one that the program counter is in.  Where no symbol says, and the
 * running function's object is the same and as mute, it is the running function. */
static uint32_t charged_function(struct normalisation *work, uint32_t running, uint32_t place_id) {
  const struct place *place = places_get(&work->places, place_id);
  const struct profile *profile = work->profile;
  if (place->function == NOTHING && running != NOTHING &&
      profile->functions[running].kind == FUNCTION_COUNTED &&
      profile->functions[running].object == place->object && !profile->functions[running].linkage)
    return running;
  return places_function(&work->places, place_id, false);
}

static void charge(struct normalisation *work, uint32_t context, uint32_t line, uint32_t stack,
                   struct amount amount) {
  struct profile *profile = work->profile;
  profile->contexts[context].self = amount_sum(profile->contexts[context].self, amount);
  MEMORY_GROW(profile->ticks, profile->tick_count, work->tick_room);
  profile->ticks[profile->tick_count++] = (struct profile_tick){context, line, stack, amount};
}

static void charge_instruction(struct normalisation *work, const struct place *place, uint32_t line,
                               uint32_t column, struct amount amount) {
  struct profile *profile = work->profile;
  uint64_t object = (uint64_t)place->object << 32 | line;
  uint32_t id =
      map_find_or_add(&work->instructions, object, place->offset, profile->instruction_count);
  if (id == profile->instruction_count) {
    MEMORY_GROW(profile->instructions, profile->instruction_count, work->instruction_room);
    profile->instructions[profile->instruction_count++] = (struct profile_instruction){
        .line = line, .column = column, .object = place->object, .offset = place->offset};
  }
  struct amount *self = &profile->instructions[id].self;
  *self = amount_sum(*self, amount);
}

/* Cycles that were counted, not sampled: those of the running function and all code without hooks
 * that it called. */
static void add_cycles(struct normalisation *work, uint32_t recorded_context,
                       struct amount amount) {
  static const struct place nowhere = {.function = NOTHING};
  uint32_t context = context_of(work, recorded_context);
  uint32_t running = context_running(&work->profile->contexts[context]);
  if (running == NOTHING) running = places_outside(&work->places);
  context = step_leaf(work, context, running);
  charge(work, context, line_of(work, running, &nowhere), NOTHING, amount);
}

static void add_stack_tick(struct normalisation *work, const struct tick_entry *recorded,
                           uint32_t place_id, struct amount amount) {
  uint32_t thread = work->first_thread + work->process->contexts[recorded->context].thread;
  struct stack_tick tick = stack_tick_find(&work->stack_ticks, thread, recorded->stack, place_id);
  charge(work, tick.context, tick.line, tick.stack, amount);
  charge_instruction(work, places_get(&work->places, place_id), tick.line, tick.column, amount);
}

/* Without stacks: the context of the hooks, and the function that the program counter is in. */
static void add_context_tick(struct normalisation *work, const struct tick_entry *recorded,
                             uint32_t place_id, struct amount amount) {
  uint32_t context = context_of(work, recorded->context);
  uint32_t running = context_running(&work->profile->contexts[context]);
  uint32_t function = charged_function(work, running, place_id);
  const struct place *place = places_get(&work->places, place_id);
  uint32_t line = line_of(work, function, place);
  charge(work, step_leaf(work, context, function), line, NOTHING, amount);
  charge_instruction(work, place, line, 0, amount);
}

static void add_tick(struct normalisation *work, const struct tick_entry *recorded) {
  struct profile *profile = work->profile;
  struct amount amount = tick_amount(work, recorded->ticks, recorded->weight);
  if (recorded->pc == PC_RUNNING) {
    add_cycles(work, recorded->context, amount);
    return;
  }
  uint32_t place_id = places_find(&work->places, recorded->pc, recorded->event);
  const struct place *place = places_get(&work->places, place_id);
  if (place->runtime && profile->functions[place->function].kind != FUNCTION_COUNTED) {
    struct profile_process *process = &profile->processes[profile->process_count - 1];
    process->profiler = amount_sum(process->profiler, amount);
    return;
  }
  if (work->process->header.tick_flags & TICK_STACKS)
    add_stack_tick(work, recorded, place_id, amount);
  else
    add_context_tick(work, recorded, place_id, amount);
}

/* ---- processes ---- */

/* The counter runs as the clock does, which both were read at two moments. */
static uint64_t handler_ns(const struct recording_header *header) {
  double cycles = (double)header->tsc_updated - header->tsc_started;
  double ns = (double)header->updated_ns - header->started_ns;
  if (cycles <= 0 || ns <= 0) return 0;
  double handlers = header->handler_cycles * ns / cycles;
  double most = (double)header->cpu_user_ns + header->cpu_system_ns;
  return handlers < most ? handlers : most;
}

/* Without names. */
static struct profile_process figures_of(const struct process_recording *recorded) {
  const struct recording_header *header = &recorded->header;
  struct profile_process process = {
      .pid = header->pid,
      .parent_pid = header->parent_pid,
      .sequence = recorded->sequence,
      .started_ns = header->started_ns,
      .updated_ns = header->updated_ns,
      .cpu_user_ns = header->cpu_user_ns,
      .cpu_system_ns = header->cpu_system_ns,
      .paused_user_ns = header->paused_user_ns,
      .paused_system_ns = header->paused_system_ns,
      .finished = header->finished,
      .truncated = recorded->truncated,
      .ways = header->ways,
      .tick_source = header->tick_source,
      .tick_errno = header->tick_errno,
      .tick_flags = header->tick_flags,
      .rate_hz = header->rate_hz,
      .period_ns = header->period_ns,
      .events_counted = header->events_counted,
      .handler_ns = handler_ns(header),
      .recorder_ns = header->recorder_ns,
      .unknown_ns = recorded->unknown_ns,
      .hook_ps = header->hook_ps,
      .slow_steps = recorded->slow_steps,
      .rebuilds = header->rebuilds,
      .overflow_calls = header->overflow_calls,
      .threads_started = header->threads_started,
  };
  memcpy(process.drops, header->drops, sizeof process.drops);
  return process;
}

static void make_figures(struct normalisation *work, const struct recording *recording) {
  work->figures = memory_zeroed(recording->process_count, sizeof *work->figures);
  for (size_t i = 0; i < recording->process_count; i++)
    work->figures[i] = figures_of(&recording->processes[i]);
  work->scales = tick_scales_make(recording, work->figures);
}

static void add_process(struct normalisation *work) {
  struct profile *profile = work->profile;
  struct pool *pool = profile->pool;
  const struct process_recording *recorded = work->process;
  uint64_t profiler_ticks = recorded->header.profiler_ticks;
  size_t index = profile->process_count;
  work->scale = work->scales[index];
  MEMORY_GROW(profile->processes, profile->process_count, work->process_room);
  struct profile_process *process = &profile->processes[profile->process_count++];
  *process = work->figures[index];
  process->executable = pool_string(pool, recorded->executable);
  process->command = pool_string(pool, recorded->command ? recorded->command : "");
  process->directory = pool_string(pool, recorded->directory ? recorded->directory : "");
  process->host = pool_string(pool, recorded->host ? recorded->host : "");
  process->profiler = tick_amount(work, profiler_ticks, profiler_ticks);
}

/* All processes of a run measure the same. */
static void note_event(struct normalisation *work) {
  struct profile_origin *origin = &work->profile->origin;
  const struct process_recording *recorded = work->process;
  if (recorded->header.tick_source != TICK_EVENT || origin->unit) return;
  origin->event = pool_string(work->profile->pool, recorded->event ? recorded->event : "events");
  origin->unit = origin->event;
}

static void add_threads(struct normalisation *work) {
  struct profile *profile = work->profile;
  const struct process_recording *process = work->process;
  work->first_thread = profile->thread_count;
  for (size_t i = 0; i < process->thread_count; i++) {
    const struct thread_entry *recorded = &process->threads[i];
    MEMORY_GROW(profile->threads, profile->thread_count, work->thread_room);
    struct profile_thread *thread = &profile->threads[profile->thread_count++];
    *thread = (struct profile_thread){
        .process = profile->process_count - 1,
        .tid = recorded->tid,
        .owners = recorded->owners,
        .start_function = NOTHING,
        .spawned_in = NOTHING,
        .ticks = recorded->ticks,
        .lost = recorded->lost,
        .cpu_ns = recorded->cpu_ns,
        .name = pool_string(profile->pool, recorded->name),
    };
    if (recorded->start_function != NOTHING)
      thread->start_function = work->functions[recorded->start_function];
  }
}

/* Of a sampled stack, which no tick is in. */
static uint32_t context_of_stack(struct normalisation *work, uint32_t recorded_id) {
  const struct expanded *stack = expansion_of(&work->expansion, recorded_id);
  uint32_t *history = scratch(work, stack->length);
  if (stack->length) memcpy(history, stack->entries, stack->length * sizeof *history);
  uint32_t thread = work->first_thread + work->process->contexts[recorded_id].thread;
  return context_intern(&work->contexts, thread, history, history_fold(history, stack->length));
}

static void link_spawners(struct normalisation *work) {
  for (size_t i = 0; i < work->process->thread_count; i++) {
    uint32_t spawned_in = work->process->threads[i].spawned_in;
    if (spawned_in == NOTHING) continue;
    bool stack = work->process->contexts[spawned_in].flags & CONTEXT_STACK;
    work->profile->threads[work->first_thread + i].spawned_in =
        stack ? context_of_stack(work, spawned_in) : context_of(work, spawned_in);
  }
}

static void normalise_process(struct normalisation *work, const struct process_recording *process) {
  work->process = process;
  places_enter(&work->places, process);
  add_process(work);
  note_event(work);
  find_apart(work);
  map_functions(work);
  mark_counted(work);
  add_threads(work);
  expansion_enter(&work->expansion, process);
  work->context_ids = memory_resized(NULL, process->context_count, sizeof *work->context_ids);
  memset(work->context_ids, 0xff, process->context_count * sizeof *work->context_ids);
  note_whole_calls(work);
  for (size_t i = 0; i < process->transition_count; i++)
    if (!process->transitions[i].indirect) add_transition(work, &process->transitions[i]);
  for (size_t i = 0; i < process->call_count; i++)
    add_count(work, &process->calls[i]);
  for (size_t i = 0; i < process->tick_count; i++)
    add_tick(work, &process->ticks[i]);
  link_spawners(work);
  expansion_leave(&work->expansion);
  free(work->context_ids);
  free(work->functions);
  free(work->apart);
  free(work->piece);
  free(work->shared);
  map_free(&work->whole_calls);
  work->whole_calls = (struct map){0};
  counters_add(&work->counters, process, &work->site_room);
  if (process->waits) waits_add(&work->waits, process, work->first_thread);
}

static void put_back_tail_calls(struct normalisation *work) {
  struct tail_code_reader reader;
  tail_code_open(&reader, &work->places);
  tail_calls_put_back(work->profile, &reader.code);
  tail_code_close(&reader);
}

int profile_from_recording(const struct recording *recording, struct profile **result,
                           struct error *error) {
  struct symbols *symbols;
  if (symbols_create(&symbols, error) != 0) return -1;
  struct normalisation work = {0};
  work.profile = memory_zeroed(1, sizeof *work.profile);
  work.profile->pool = pool_create();
  work.profile->version = ASCRIBE_VERSION;
  places_open(&work.places, work.profile, symbols);
  expansion_open(&work.expansion, &work.places);
  context_table_open(&work.contexts, work.profile);
  work.stack_ticks = (struct stack_ticks){&work.expansion, &work.contexts, NULL, 0};
  work.waits = (struct wait_adder){.profile = work.profile,
                                   .places = &work.places,
                                   .expansion = &work.expansion,
                                   .ticks = &work.stack_ticks};
  work.counters = (struct counter_adder){.places = &work.places};
  make_figures(&work, recording);
  for (size_t i = 0; i < recording->process_count; i++)
    normalise_process(&work, &recording->processes[i]);
  context_table_close(&work.contexts);
  put_back_tail_calls(&work);
  uncounted_find(&work.places, recording);
  contexts_order(work.profile);
  places_close(&work.places);
  expansion_close(&work.expansion);
  stack_ticks_close(&work.stack_ticks);
  counter_adder_close(&work.counters);
  waits_adder_close(&work.waits);
  map_free(&work.instructions);
  map_free(&work.sites);
  free(work.scratch);
  free(work.scales);
  free(work.figures);
  symbols_free(symbols);
  *result = work.profile;
  return 0;
}
