#include "exchange/stack_profile.h"

#include <stdlib.h>
#include <string.h>

#include "profile/appended.h"
#include "recording/history.h"

/* So many entries the histories may have of contexts that stacks only passed through: a chain of n
 * functions has contexts of 1, 2, ... n entries.  Beyond, only contexts that ran are made. */
#define MOST_PASSED_ENTRIES (UINT64_C(1) << 24)

/* Sums stay far from overflowing. */
#define MOST_AMOUNT (UINT64_C(1) << 61)

void stack_profile_open(struct stack_profile *stacks, const char *format, const char *event) {
  *stacks = (struct stack_profile){.profile = profile_create()};
  struct profile *profile = stacks->profile;
  profile->origin.format = pool_string(profile->pool, format);
  profile->metrics[0].kind = METRIC_GIVEN;
  profile->metrics[0].name = pool_string(profile->pool, event);
  builder_open(&stacks->builder, profile);
  builder_stack(&stacks->builder, NOTHING, NOTHING);
}

/* Ticks of threads are those of the first metric, whichever that is by now. */
static void count_ticks(struct profile *profile) {
  const struct profile_metric *first = &profile->metrics[0];
  for (size_t i = 0; i < first->tick_count; i++) {
    uint32_t thread = profile->contexts[first->ticks[i].context].thread;
    profile->threads[thread].ticks += first->ticks[i].amount.ticks;
  }
}

struct profile *stack_profile_finish(struct stack_profile *stacks) {
  count_ticks(stacks->profile);
  metrics_charge(stacks->profile);
  builder_close(&stacks->builder);
  map_free(&stacks->processes);
  map_free(&stacks->threads);
  map_free(&stacks->steps);
  free(stacks->functions);
  free(stacks->before);
  free(stacks->line_stamps);
  free(stacks->function_stamps);
  return stacks->profile;
}

void stack_profile_discard(struct stack_profile *stacks) {
  profile_free(stack_profile_finish(stacks));
}

const char *stack_profile_text(struct stack_profile *stacks, const char *text) {
  return builder_text(&stacks->builder, text);
}

/* ---- things ---- */

uint32_t stack_profile_object(struct stack_profile *stacks, const char *path,
                              const char *build_id) {
  return builder_object(&stacks->builder,
                        (struct profile_object){.path = path, .build_id = build_id, .message = ""});
}

uint32_t stack_profile_process(struct stack_profile *stacks, uint32_t pid, const char *command) {
  struct profile *profile = stacks->profile;
  uint32_t id = map_find_or_add(&stacks->processes, pid, 0, profile->process_count);
  if (id != profile->process_count) return id;
  return profile_add_process(profile, (struct profile_process){.pid = pid,
                                                               .executable = "",
                                                               .command = command,
                                                               .directory = "",
                                                               .host = "",
                                                               .end = PROCESS_END_EXIT});
}

void stack_profile_date(struct stack_profile *stacks, uint32_t process, uint64_t date_ns) {
  struct profile_process *dated = &stacks->profile->processes[process];
  dated->started_ns = dated->updated_ns = date_ns;
}

uint32_t stack_profile_thread(struct stack_profile *stacks, uint32_t process, uint32_t tid,
                              const char *name) {
  struct profile *profile = stacks->profile;
  uint64_t key = (uint64_t)process << 32 | tid;
  name = stack_profile_text(stacks, name);
  uint32_t id = map_find_or_add(&stacks->threads, key, (uintptr_t)name, profile->thread_count);
  if (id != profile->thread_count) return id;
  return profile_add_thread(profile, (struct profile_thread){.process = process,
                                                             .tid = tid,
                                                             .owners = 1,
                                                             .start_function = NOTHING,
                                                             .spawned_in = NOTHING,
                                                             .name = name});
}

uint32_t stack_profile_function(struct stack_profile *stacks,
                                const struct profile_function *function, enum body body) {
  struct profile_function wanted = *function;
  wanted.kind = FUNCTION_SAMPLED;
  wanted.bodies = 0;
  uint32_t id = builder_function(&stacks->builder, wanted);
  stacks->profile->functions[id].bodies |= body;
  return id;
}

uint32_t stack_profile_line(struct stack_profile *stacks, uint32_t function, const char *file,
                            uint32_t line) {
  return builder_line(&stacks->builder, function, stack_profile_text(stacks, file), line);
}

/* ---- stacks ---- */

void stack_profile_begin(struct stack_profile *stacks, uint32_t thread) {
  stacks->thread = thread;
  stacks->context = context_intern(&stacks->builder.contexts, thread, NULL, 0);
  stacks->stack = 0;
  stacks->line = NOTHING;
  stacks->depth = 0;
  stacks->caller = stacks->context;
  stacks->caller_depth = 0;
  stacks->frame_count = 0;
  stacks->stamp++;
}

/* Those of what was not met before are 0. */
static void room_for_stamps(uint32_t **stamps, size_t *stamped, size_t count) {
  ARRAY_ROOM(*stamps, count);
  while (*stamped < count)
    (*stamps)[(*stamped)++] = 0;
}

/* Of a cycle of calling lines that stands three times in succession, two are left, as in recordings
 * (recording/history.h). */
static uint32_t without_cycle(const struct profile *profile, uint32_t stack) {
  uint32_t lines[3 * STACK_CYCLE_MOST], most = 3 * STACK_CYCLE_MOST, length = 0;
  for (uint32_t at = stack; at != NOTHING && length < most; at = profile->stacks[at].parent)
    lines[most - ++length] = profile->stacks[at].line;
  for (uint32_t calls = 1; calls <= STACK_CYCLE_MOST; calls++) {
    if (!stack_ends_with_cycles(lines + most - length, length, calls)) continue;
    while (calls--)
      stack = profile->stacks[stack].parent;
    break;
  }
  return stack;
}

/* Returns whether the line was not in the stack. */
static bool call_from_line(struct stack_profile *stacks, uint32_t line) {
  room_for_stamps(&stacks->line_stamps, &stacks->stamped_lines, stacks->profile->line_count);
  bool again = stacks->line_stamps[line] == stacks->stamp;
  stacks->line_stamps[line] = stacks->stamp;
  stacks->stack = builder_stack(&stacks->builder, stacks->stack, line);
  if (again) stacks->stack = without_cycle(stacks->profile, stacks->stack);
  return !again;
}

/* The context after a call that was not made before, NOTHING when there are too many. */
static uint32_t step(struct stack_profile *stacks, uint32_t from_id, uint32_t function) {
  const struct profile_context *from = &stacks->profile->contexts[from_id];
  if (stacks->entries + from->length > MOST_PASSED_ENTRIES) return NOTHING;
  uint32_t *history = memory_zeroed(from->length + 1, sizeof *history);
  uint32_t length = history_step(from->history, from->length, function, history);
  stacks->entries += length;
  uint32_t to = context_intern(&stacks->builder.contexts, stacks->thread, history, length);
  free(history);
  return to;
}

void stack_profile_return(struct stack_profile *stacks, size_t frames) {
  while (stacks->frame_count > frames) {
    const struct stack_before *before = &stacks->before[--stacks->frame_count];
    stacks->context = before->context;
    stacks->caller = before->caller;
    stacks->caller_depth = before->caller_depth;
    stacks->depth = before->depth;
    stacks->stack = before->stack;
    stacks->line = before->line;
    if (before->stamped != NOTHING) stacks->line_stamps[before->stamped] = 0;
  }
}

void stack_profile_frame(struct stack_profile *stacks, uint32_t function, uint32_t line) {
  struct stack_before before = {stacks->context,      stacks->caller, stacks->stack, stacks->line,
                                stacks->caller_depth, stacks->depth,  NOTHING};
  if (stacks->line != NOTHING && call_from_line(stacks, stacks->line))
    before.stamped = stacks->line;
  (void)APPENDED(stacks->before, stacks->frame_count, before);
  stacks->line = line;
  stacks->caller = stacks->context;
  stacks->caller_depth = stacks->depth;
  if (stacks->depth && stacks->functions[stacks->depth - 1] == function) return; /* rule A1 */
  ARRAY_GROW(stacks->functions, stacks->depth);
  stacks->functions[stacks->depth++] = function;
  if (stacks->context == NOTHING) return;
  uint64_t key = (uint64_t)stacks->context << 32 | function;
  uint32_t next = map_find(&stacks->steps, key, 0);
  if (next == UINT32_MAX) {
    next = step(stacks, stacks->context, function);
    if (next != NOTHING) map_find_or_add(&stacks->steps, key, 0, next);
  }
  stacks->context = next;
}

/* The history of the outer `depth` frames, at once: the most recent activation of each function is
 * marked (A3), and of the others those stay that have arcs to marked ones (A4, A5). */
static uint32_t whole_history(struct stack_profile *stacks, size_t depth, uint32_t *history) {
  uint32_t length = 0;
  room_for_stamps(&stacks->function_stamps, &stacks->stamped_functions,
                  stacks->profile->function_count);
  stacks->history_stamp++;
  for (size_t i = depth; i-- > 0;) {
    uint32_t function = stacks->functions[i];
    bool marked = stacks->function_stamps[function] != stacks->history_stamp;
    stacks->function_stamps[function] = stacks->history_stamp;
    history[i] = history_entry(function, marked);
  }
  for (size_t i = 0; i < depth; i++) {
    uint32_t entry = history[i];
    if (history_marked(entry))
      history[length++] = entry;
    else
      length = history_append_unmarked(history, length, entry);
  }
  return length;
}

/* `known`: the context of the outer `depth` frames, or NOTHING. */
static uint32_t context_of(struct stack_profile *stacks, uint32_t known, size_t depth) {
  if (known != NOTHING) return known;
  uint32_t *history = memory_zeroed(depth, sizeof *history);
  uint32_t length = whole_history(stacks, depth, history);
  uint32_t context = context_intern(&stacks->builder.contexts, stacks->thread, history, length);
  free(history);
  return context;
}

static void frame_without_stack(struct stack_profile *stacks) {
  struct profile_function nobody = {.name = "(no stack)", .object = NOTHING};
  uint32_t function = stack_profile_function(stacks, &nobody, BODY_OWN);
  stack_profile_frame(stacks, function, stack_profile_line(stacks, function, NULL, 0));
}

uint32_t stack_profile_tick(struct stack_profile *stacks, uint32_t metric) {
  if (!stacks->depth) frame_without_stack(stacks);
  struct profile_tick tick = {.line = stacks->line, .centre = NOTHING, .kind = NOTHING};
  tick.context = context_of(stacks, stacks->context, stacks->depth);
  tick.stack = stacks->stack;
  return builder_tick(&stacks->builder, metric, tick);
}

int stack_profile_charge_tick(struct stack_profile *stacks, uint32_t metric, uint32_t tick,
                              struct amount amount) {
  struct amount *all = &stacks->all[metric];
  struct amount *charged = &stacks->profile->metrics[metric].ticks[tick].amount;
  if (amount.ticks > MOST_AMOUNT - all->ticks || amount.raw_ns > MOST_AMOUNT - all->raw_ns)
    return -1;
  *all = amount_sum(*all, amount);
  *charged = amount_sum(*charged, amount);
  return 0;
}

int stack_profile_charge(struct stack_profile *stacks, uint32_t metric, struct amount amount) {
  return stack_profile_charge_tick(stacks, metric, stack_profile_tick(stacks, metric), amount);
}

int stack_profile_calls(struct stack_profile *stacks, uint64_t count) {
  struct profile *profile = stacks->profile;
  uint32_t callee = stacks->functions[stacks->depth - 1];
  profile->functions[callee].kind = FUNCTION_COUNTED;
  if (count > MOST_AMOUNT - stacks->calls) return -1;
  stacks->calls += count;
  if (!count) return 0;
  struct profile_transition calls = {.count = count};
  calls.from = context_of(stacks, stacks->caller, stacks->caller_depth);
  calls.to = context_of(stacks, stacks->context, stacks->depth);
  uint32_t caller = context_running(&profile->contexts[calls.from]);
  struct profile_site site = {.caller = caller,
                              .callee = callee,
                              .within = caller,
                              .object = NOTHING,
                              .expansion = NOTHING};
  calls.site = builder_site(&stacks->builder, site, 0);
  builder_transition(&stacks->builder, calls);
  return 0;
}
