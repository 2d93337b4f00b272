#include "attribution/recorded/recorded_ticks.h"

#include <string.h>

#include "attribution/recorded/recorded_slices.h"
#include "profile/appended.h"
#include "recording/history.h"
#include "recording/system_call.h"

/* A century: sums of what a damaged recording claims stay far from overflowing. */
#define MOST_RAW_NS 3e18

/* `thread` is one of the process; thread_count: none. */
static struct amount tick_amount(const struct tick_adder *adder, uint32_t thread, uint64_t ticks,
                                 uint64_t weight) {
  const struct recording_header *header = &adder->places->process->header;
  double unit = header->tick_source == TICK_TSC && header->tsc_hz ? 1e9 / header->tsc_hz : 1;
  double raw_ns = weight * unit * adder->scales[thread].factor + 0.5;
  return (struct amount){ticks, raw_ns < MOST_RAW_NS ? (uint64_t)raw_ns : (uint64_t)MOST_RAW_NS};
}

static uint32_t line_of(struct tick_adder *adder, uint32_t function, const struct place *place) {
  return builder_line(adder->places->builder, function, place->file, place->line);
}

/* The function to charge: the one that the program counter is in.  Where no symbol says, and the
 * running function's object is the same and as mute, it is the running function. */
static uint32_t charged_function(struct tick_adder *adder, uint32_t running, uint32_t place_id) {
  const struct place *place = places_get(adder->places, place_id);
  const struct profile *profile = adder->places->profile;
  if (place->function == NOTHING && running != NOTHING &&
      profile->functions[running].kind == FUNCTION_COUNTED &&
      profile->functions[running].object == place->object && !profile->functions[running].linkage)
    return running;
  return places_function(adder->places, place_id, false);
}

/* With what of it was in its slice, if that is known. A tick of a known slice is one row with those
 * of other slices. */
static void add_to_series(struct tick_adder *adder, const struct tick_entry *recorded,
                          struct profile_tick tick, uint32_t instruction) {
  struct profile *profile = adder->places->profile;
  uint32_t metric = adder->metrics[recorded->measure];
  if (recorded->slice >= adder->places->process->slice_count) {
    builder_tick_apart(adder->places->builder, metric, tick);
    return;
  }
  uint32_t slice = adder->first_slice + recorded->slice;
  struct profile_slice_tick part = {slice, builder_tick(adder->places->builder, metric, tick),
                                    instruction, tick.amount};
  struct profile_metric *to = &profile->metrics[metric];
  (void)APPENDED(to->series, to->series_count, part);
  if (pc_is_in_kernel(recorded->pc) && !recorded->measure)
    profile->slices[slice].system_ns += tick.amount.raw_ns;
}

/* `inlined`: its line may be that of a call that was inlined there. */
static void charge(struct tick_adder *adder, const struct tick_entry *recorded,
                   struct profile_tick tick, uint32_t place_id, bool inlined) {
  uint32_t expansion = inlined ? places_expansion(adder->places, place_id) : NOTHING;
  uint32_t column = inlined ? places_column(adder->places, place_id)
                            : places_get(adder->places, place_id)->column;
  const struct place *place = places_get(adder->places, place_id);
  struct profile_instruction instruction = {.line = tick.line,
                                            .column = column,
                                            .object = place->object,
                                            .offset = place->offset,
                                            .self = tick.amount,
                                            .within = place->function,
                                            .expansion = expansion,
                                            .clone = place->clone};
  add_to_series(
      adder, recorded, tick,
      builder_instruction(adder->places->builder, adder->metrics[recorded->measure], instruction));
}

/* Cycles that were counted, not sampled: those of the running function and all code without hooks
 * that it called. */
static void add_cycles(struct tick_adder *adder, const struct tick_entry *recorded,
                       struct amount amount, uint32_t centre) {
  static const struct place nowhere = {.function = NOTHING};
  uint32_t context = recorded_contexts_find(adder->contexts, recorded->context);
  uint32_t running = context_running(&adder->places->profile->contexts[context]);
  if (running == NOTHING) running = places_outside(adder->places);
  context = recorded_contexts_below(adder->contexts, context, running);
  struct profile_tick tick = {context, line_of(adder, running, &nowhere), NOTHING, centre, NOTHING,
                              amount};
  add_to_series(adder, recorded, tick, NOTHING);
}

static struct profile_tick stack_tick(struct tick_adder *adder, const struct tick_entry *recorded,
                                      uint32_t place_id) {
  uint32_t thread =
      adder->contexts->first_thread + adder->places->process->contexts[recorded->context].thread;
  return stack_tick_find(&adder->stack_ticks, thread, recorded->stack, place_id);
}

/* Whether a language host ran its program. The native stack is then of the host, which the user
 * does not want to know; the context has both. */
static bool is_in_world(const struct process_recording *process, uint32_t context_id) {
  const struct context_entry *context = &process->contexts[context_id];
  for (uint32_t i = context->length; i-- > 0;)
    if (process->functions[history_function(context->history[i])].address & IN_WORLD) return true;
  return false;
}

/* Whether a language host told the stack: all of it is of its program. */
static bool is_told(const struct process_recording *process, uint32_t stack) {
  const struct context_entry *context = stack == NOTHING ? NULL : &process->contexts[stack];
  if (!context || !context->length) return false;
  uint32_t innermost = history_function(context->history[context->length - 1]);
  return process->functions[innermost].address & IN_WORLD;
}

static bool has_stack(const struct tick_adder *adder, const struct tick_entry *recorded) {
  const struct process_recording *process = adder->places->process;
  if (is_told(process, recorded->stack)) return true;
  return process->header.tick_flags & TICK_STACKS && !is_in_world(process, recorded->context);
}

/* Without stacks: the context of the hooks, and the function that the program counter is in. Where
 * none are sampled, a stack that is there all the same says that functions between them are not
 * known. */
static struct profile_tick context_tick(struct tick_adder *adder, const struct tick_entry *recorded,
                                        uint32_t place_id) {
  uint32_t context = recorded_contexts_find(adder->contexts, recorded->context);
  uint32_t running = context_running(&adder->places->profile->contexts[context]);
  uint32_t function = charged_function(adder, running, place_id);
  uint32_t line = line_of(adder, function, places_get(adder->places, place_id));
  if (recorded->stack != NOTHING && !(adder->places->process->header.tick_flags & TICK_STACKS))
    context = recorded_contexts_below(adder->contexts, context, places_cut(adder->places));
  return (struct profile_tick){recorded_contexts_at(adder->contexts, context, function), line,
                               NOTHING, NOTHING, NOTHING};
}

/* Of the process at hand. */
static struct profile_measure *measure_of(struct tick_adder *adder, uint32_t metric) {
  struct profile *profile = adder->places->profile;
  return metrics_measure(&profile->metrics[metric], (uint32_t)profile->process_count - 1);
}

static void add_tick(struct tick_adder *adder, const struct tick_entry *recorded) {
  struct profile *profile = adder->places->profile;
  uint32_t thread = adder->places->process->contexts[recorded->context].thread;
  uint32_t metric = adder->metrics[recorded->measure];
  struct amount amount = tick_amount(adder, thread, recorded->ticks, recorded->weight);
  uint32_t centre = recorded_centres_find(adder->centres, recorded->centre,
                                          adder->contexts->first_thread + thread);
  if (recorded->pc == PC_RUNNING) {
    add_cycles(adder, recorded, amount, centre);
    return;
  }
  uint32_t place_id = places_find(adder->places, recorded->pc, recorded->epoch);
  const struct place *place = places_get(adder->places, place_id);
  if (place->runtime && profile->functions[place->function].kind != FUNCTION_COUNTED) {
    struct amount *profiler = &measure_of(adder, metric)->profiler;
    *profiler = amount_sum(*profiler, amount);
    return;
  }
  bool stack = has_stack(adder, recorded);
  struct profile_tick tick =
      stack ? stack_tick(adder, recorded, place_id) : context_tick(adder, recorded, place_id);
  tick.amount = amount;
  tick.centre = centre;
  charge(adder, recorded, tick, place_id, stack);
}

static void add_measures(struct tick_adder *adder) {
  const struct process_recording *process = adder->places->process;
  for (size_t i = 0; i < process->measure_count; i++) {
    struct profile_measure *measure = measure_of(adder, adder->metrics[i]);
    measure->counted += process->measures[i].counted;
    measure->squares += process->measures[i].squares;
  }
  measure_of(adder, adder->metrics[0])->profiler =
      tick_amount(adder, process->thread_count, process->header.profiler_ticks,
                  process->header.profiler_weight);
}

void recorded_ticks_add(struct tick_adder *adder, const struct tick_scale *scales) {
  const struct process_recording *process = adder->places->process;
  struct profile *profile = adder->places->profile;
  adder->scales = scales;
  adder->first_slice = recorded_slices_add(profile, process);
  add_measures(adder);
  for (size_t i = 0; i < process->tick_count; i++)
    add_tick(adder, &process->ticks[i]);
}

static bool has_events(const struct process_recording *process) {
  uint32_t source = process->header.tick_source;
  return source == TICK_EVENT || (source == TICK_HOST && process->measures[0].event);
}

/* All processes of a run measure the same, but for those that could not. */
static const struct process_recording *with_events(const struct recording *recording) {
  const struct process_recording *found = NULL;
  for (size_t i = 0; i < recording->process_count; i++) {
    const struct process_recording *process = &recording->processes[i];
    if (!has_events(process)) continue;
    if (!found || process->measure_count > found->measure_count) found = process;
  }
  return found;
}

void recorded_ticks_open(struct tick_adder *adder, const struct recording *recording) {
  struct profile *profile = adder->places->profile;
  const struct process_recording *process = with_events(recording);
  memset(adder->metrics, 0, sizeof adder->metrics);
  if (process) metrics_free(profile);
  for (size_t i = 0; process && i < EVENTS_MOST; i++) {
    const char *event = process->measures[i].event ? process->measures[i].event : "events";
    const char *name = pool_string(profile->pool, event);
    if (i >= process->measure_count) break;
    adder->metrics[i] = metrics_add(profile, METRIC_EVENT, name, name);
    if (process->header.tick_source == TICK_HOST)
      profile->metrics[adder->metrics[i]].evidence = EVIDENCE_COUNTED;
  }
}

void recorded_ticks_close(struct tick_adder *adder) {
  stack_ticks_close(&adder->stack_ticks);
}
