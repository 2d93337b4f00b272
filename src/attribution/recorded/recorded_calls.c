#include "attribution/recorded/recorded_calls.h"

#include <stdlib.h>
#include <string.h>

#include "recording/history.h"

static uint32_t site_of(struct call_adder *adder, uint32_t caller, uint32_t callee,
                        uint64_t address, uint32_t expansion, const struct place_frame *jump) {
  uint64_t from = CALLING_BYTE(address);
  uint32_t place_id = places_find(adder->places, from, UINT64_MAX);
  const struct place *place = places_get(adder->places, place_id);
  struct profile_site site = {.caller = caller,
                              .callee = callee,
                              .within = place->function,
                              .object = place->object,
                              .offset = place->offset + (address - from),
                              .file = place->file,
                              .line = place->line,
                              .column = place->column,
                              .expansion = expansion};
  if (jump)
    site = (struct profile_site){.caller = caller,
                                 .callee = callee,
                                 .within = caller,
                                 .object = NOTHING,
                                 .file = jump->file,
                                 .line = jump->line,
                                 .tail = true,
                                 .expansion = NOTHING};
  return builder_site(adder->places->builder, site, place_id);
}

static void add_transition(struct call_adder *adder, const struct transition_entry *recorded) {
  struct profile *profile = adder->places->profile;
  if (!recorded->count) return;
  uint32_t from = recorded_contexts_find(adder->contexts, recorded->from);
  uint32_t to = recorded_contexts_find(adder->contexts, recorded->to);
  if (context_running(&profile->contexts[to]) == NOTHING)
    to = recorded_contexts_below(adder->contexts, from, places_overflow(adder->places));
  uint32_t caller = context_running(&profile->contexts[from]);
  uint32_t callee = context_running(&profile->contexts[to]);
  uint32_t site = site_of(adder, caller, callee, recorded->site, NOTHING, NULL);
  profile_add_transition(profile, (struct profile_transition){from, to, site, recorded->count});
}

/* The caller is the function that holds the site: nothing else is known.  What starts main and
 * threads is nobody, as in stacks. */
static uint32_t caller_at(const struct call_adder *adder, const struct place *from,
                          uint32_t callee) {
  const struct profile_function *function = &adder->places->profile->functions[callee];
  bool starts = strcmp(function->name, "main") == 0 && from->object != function->object;
  return from->runtime || starts ? NOTHING : from->function;
}

/* The innermost frame that stacks have at the call's place: of what was inlined there, or of the
 * last that left by tail calls (`*tail`). */
static struct place_frame innermost_caller(const struct call_adder *adder, uint32_t from,
                                           const struct call_entry *call, bool *tail) {
  const struct function_entry *entered = &adder->places->process->functions[call->function];
  uint32_t to = places_find(adder->places, entered->address, entered->epoch), count;
  const struct place_frame *frames =
      stack_frames_skipped(adder->contexts->frames, from, to, &count);
  *tail = count;
  if (!count) frames = places_frames(adder->places, from, &count);
  bool piece = adder->functions->piece[call->function];
  uint32_t callee = adder->functions->functions[call->function];
  while (piece && count > 1 && frames[count - 1].function == callee)
    count--;
  return frames[count - 1];
}

/* Returns the call site, or NOTHING: no call. */
static uint32_t add_count(struct call_adder *adder, const struct call_entry *call) {
  struct profile *profile = adder->places->profile;
  uint32_t from = places_find(adder->places, CALLING_BYTE(call->site), UINT64_MAX);
  uint32_t callee = adder->functions->functions[call->function];
  uint32_t caller = caller_at(adder, places_get(adder->places, from), callee);
  bool from_piece = places_get(adder->places, from)->piece, tail = false;
  struct place_frame frame = {.function = caller};
  profile->functions[callee].kind = FUNCTION_COUNTED;
  if (caller == callee && adder->functions->piece[call->function] && !from_piece)
    return NOTHING; /* see above */
  if (caller != NOTHING) frame = innermost_caller(adder, from, call, &tail);
  uint32_t expansion = caller == NOTHING || tail ? NOTHING : places_expansion(adder->places, from);
  uint32_t site =
      site_of(adder, frame.function, callee, call->site, expansion, tail ? &frame : NULL);
  profile_add_count(profile, (struct profile_count){profile->process_count - 1, site, call->count});
  return site;
}

/* ---- calls that other functions may have made, by tail calls ---- */

struct counted_call {
  const struct call_entry *call;
  uint32_t site;
};

static int by_address(const void *left, const void *right) {
  uint64_t a = ((const struct counted_call *)left)->call->site;
  uint64_t b = ((const struct counted_call *)right)->call->site;
  return a < b ? -1 : a > b;
}

static uint32_t place_entered(const struct call_adder *adder, const struct counted_call *counted) {
  const struct function_entry *entered =
      &adder->places->process->functions[counted->call->function];
  return places_find(adder->places, entered->address, entered->epoch);
}

/* Calls from one return address. Its instruction names one function; the others were reached from
 * there by tail calls, and may have led back to it. */
static void doubt_calls(struct call_adder *adder, const struct counted_call *calls, size_t count) {
  struct skipped_frames *skipped = &adder->contexts->frames->skipped;
  uint32_t from = places_find(adder->places, CALLING_BYTE(calls->call->site), UINT64_MAX);
  for (size_t i = 0; i < count; i++) {
    uint32_t to = place_entered(adder, &calls[i]);
    if (calls[i].site == NOTHING || !skipped_frames_names(skipped, from, to)) continue;
    for (size_t k = 0; k < count; k++)
      if (k != i && skipped_frames_may_lead(skipped, place_entered(adder, &calls[k]), to))
        adder->places->profile->sites[calls[i].site].in_doubt = true;
  }
}

static void add_counts(struct call_adder *adder) {
  const struct process_recording *process = adder->places->process;
  struct counted_call *calls = memory_zeroed(process->call_count, sizeof *calls);
  for (size_t i = 0; i < process->call_count; i++)
    calls[i] = (struct counted_call){&process->calls[i], add_count(adder, &process->calls[i])};
  if (process->call_count) qsort(calls, process->call_count, sizeof *calls, by_address);
  for (size_t first = 0, end; first < process->call_count; first = end) {
    for (end = first + 1; end < process->call_count; end++)
      if (by_address(&calls[first], &calls[end]) != 0) break;
    if (end - first > 1) doubt_calls(adder, calls + first, end - first);
  }
  free(calls);
}

/* Entries of cost centres are no calls. */
static bool is_of_centres(const struct recorded_functions *functions,
                          const struct transition_entry *transition) {
  return functions->centres[transition->to] || functions->centres[transition->from];
}

void recorded_calls_add(struct call_adder *adder, const struct recorded_functions *functions) {
  const struct process_recording *process = adder->places->process;
  adder->functions = functions;
  for (size_t i = 0; i < process->transition_count; i++)
    if (!process->transitions[i].indirect && !is_of_centres(functions, &process->transitions[i]))
      add_transition(adder, &process->transitions[i]);
  add_counts(adder);
}

void recorded_calls_close(struct call_adder *adder) {
  counter_adder_close(&adder->counters);
}
