#include "attribution/recorded/normalise.h"

#include <stdlib.h>

#include "attribution/counts/copies.h"
#include "attribution/counts/counted_points.h"
#include "attribution/counts/inlined_only.h"
#include "attribution/counts/line_counts.h"
#include "attribution/equations/possible_calls.h"
#include "attribution/recorded/process_figures.h"
#include "attribution/recorded/recorded_calls.h"
#include "attribution/recorded/recorded_centres.h"
#include "attribution/recorded/recorded_heap.h"
#include "attribution/recorded/recorded_messages.h"
#include "attribution/recorded/recorded_ticks.h"
#include "attribution/recorded/recorded_waits.h"
#include "attribution/recorded/tick_scales.h"
#include "attribution/recorded/uncounted.h"
#include "attribution/tail_calls/tail_calls.h"
#include "attribution/tail_calls/tail_code.h"
#include "profile/context_order.h"

struct normalisation {
  struct profile *profile;
  struct profile_builder builder;
  struct places places;
  struct stack_frames frames;
  struct recorded_contexts contexts;
  struct recorded_centres centres;
  struct call_adder calls;
  struct tick_adder ticks;
  struct wait_adder waits;
  struct heap_adder heap;
  struct message_adder messages;
  struct profile_process *figures; /* by process, without names */
  struct tick_scale **scales;
};

static void add_process(struct normalisation *work, const struct process_recording *recorded) {
  struct profile_process process = work->figures[work->profile->process_count];
  process.executable = recorded->executable;
  process.command = recorded->command ? recorded->command : "";
  process.directory = recorded->directory ? recorded->directory : "";
  process.host = recorded->host ? recorded->host : "";
  profile_add_process(work->profile, process);
}

static void add_threads(struct normalisation *work, const struct process_recording *process,
                        const struct recorded_functions *functions,
                        const struct tick_scale *scales) {
  struct profile *profile = work->profile;
  for (size_t i = 0; i < process->thread_count; i++) {
    const struct thread_entry *recorded = &process->threads[i];
    struct profile_thread thread = {
        .process = profile->process_count - 1,
        .tid = recorded->tid,
        .owners = recorded->owners,
        .start_function = NOTHING,
        .spawned_in = NOTHING,
        .ticks = recorded->ticks,
        .lost = recorded->lost,
        .cpu_ns = recorded->cpu_ns,
        .unsampled_ns = scales[i].unsampled_ns,
        .name = recorded->name,
    };
    if (recorded->start_function != NOTHING)
      thread.start_function = functions->functions[recorded->start_function];
    profile_add_thread(profile, thread);
  }
}

static void link_spawners(struct normalisation *work, const struct process_recording *process,
                          uint32_t first_thread) {
  for (size_t i = 0; i < process->thread_count; i++) {
    uint32_t spawned_in = process->threads[i].spawned_in;
    if (spawned_in == NOTHING || context_is_of_centres(process, spawned_in)) continue;
    bool stack = process->contexts[spawned_in].flags & CONTEXT_STACK;
    work->profile->threads[first_thread + i].spawned_in =
        stack ? recorded_contexts_of_stack(&work->contexts, spawned_in)
              : recorded_contexts_find(&work->contexts, spawned_in);
  }
}

static void normalise_process(struct normalisation *work, const struct process_recording *process) {
  struct recorded_functions functions;
  uint32_t first_thread = work->profile->thread_count;
  const struct tick_scale *scales = work->scales[work->profile->process_count];
  places_enter(&work->places, process);
  add_process(work, process);
  recorded_functions_make(&functions, &work->places);
  add_threads(work, process, &functions, scales);
  stack_frames_enter(&work->frames, process);
  recorded_contexts_enter(&work->contexts, &functions, first_thread);
  recorded_centres_enter(&work->centres, process, &functions, first_thread);
  recorded_calls_add(&work->calls, &functions);
  recorded_ticks_add(&work->ticks, scales);
  recorded_heap_add(&work->heap, process, first_thread, work->ticks.first_slice);
  recorded_messages_add(&work->messages, process, first_thread);
  recorded_centres_add_slices(&work->centres, work->ticks.first_slice);
  link_spawners(work, process, first_thread);
  recorded_centres_leave(&work->centres);
  recorded_contexts_leave(&work->contexts);
  stack_frames_leave(&work->frames);
  recorded_functions_free(&functions);
  counters_add(&work->calls.counters, process);
  counted_points_add(&work->places, process);
  if (process->waits) waits_add(&work->waits, process, first_thread, work->ticks.first_slice);
}

static void put_back_tail_calls(struct normalisation *work) {
  struct tail_code_reader reader;
  tail_code_open(&reader, &work->places);
  tail_calls_put_back(work->profile, &reader.code);
  tail_code_close(&reader);
}

static void open_adders(struct normalisation *work, struct symbols *symbols) {
  struct places *places = &work->places;
  struct stack_frames *frames = &work->frames;
  builder_open(&work->builder, work->profile);
  places_open(places, &work->builder, symbols);
  stack_frames_open(frames, places);
  recorded_contexts_open(&work->contexts, places, frames);
  work->calls = (struct call_adder){
      .places = places, .contexts = &work->contexts, .counters = {.places = places}};
  recorded_centres_open(&work->centres, work->profile);
  work->ticks = (struct tick_adder){.places = places,
                                    .contexts = &work->contexts,
                                    .centres = &work->centres,
                                    .stack_ticks = {.frames = frames}};
  work->waits = (struct wait_adder){.profile = work->profile,
                                    .places = places,
                                    .frames = frames,
                                    .ticks = &work->ticks.stack_ticks};
  work->heap = (struct heap_adder){.profile = work->profile,
                                   .places = places,
                                   .stack_ticks = &work->ticks.stack_ticks,
                                   .centres = &work->centres,
                                   .types = {.frames = frames}};
  work->messages =
      (struct message_adder){.stack_ticks = &work->ticks.stack_ticks, .centres = &work->centres};
}

static void close_adders(struct normalisation *work) {
  recorded_heap_close(&work->heap);
  recorded_ticks_close(&work->ticks);
  recorded_calls_close(&work->calls);
  recorded_centres_close(&work->centres);
  recorded_contexts_close(&work->contexts);
  stack_frames_close(&work->frames);
  places_close(&work->places);
  builder_close(&work->builder);
}

void profile_from_live_recording(const struct recording *recording, struct symbols *symbols,
                                 struct profile **result) {
  struct normalisation work = {.profile = profile_create()};
  open_adders(&work, symbols);
  recorded_ticks_open(&work.ticks, recording);
  work.figures = process_figures_make(recording);
  work.scales = tick_scales_make(recording, work.figures);
  for (size_t i = 0; i < recording->process_count; i++)
    normalise_process(&work, &recording->processes[i]);
  put_back_tail_calls(&work);
  uncounted_find(&work.places, recording);
  contexts_order(work.profile);
  metrics_charge(work.profile);
  struct call_conflict conflict; /* nobody has fixed anything */
  if (work.profile->possible_call_count && possible_calls_solve(work.profile, &conflict) != 0)
    work.profile->possible_call_count = work.profile->call_place_count =
        0; /* too large to be true */
  inlined_only_find(work.profile);
  line_counts_make(work.profile);
  copies_find(&work.builder);
  close_adders(&work);
  tick_scales_free(work.scales, recording->process_count);
  free(work.figures);
  *result = work.profile;
}

int profile_from_recording(const struct recording *recording, struct profile **result,
                           struct error *error) {
  (void)error;
  struct symbols *symbols = symbols_create();
  profile_from_live_recording(recording, symbols, result);
  symbols_free(symbols);
  return 0;
}
