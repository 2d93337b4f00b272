/* The event log of a Haskell program: samples of its time by stack of cost centres, and of its heap
 * by whatever the profile was broken down by, at the moments when they were taken.
 * Source: GHC User's Guide, "Eventlog encodings"; rts/EventLogFormat.h. */
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "exchange/eventlog.h"
#include "exchange/ghc_run.h"
#include "exchange/import_formats.h"
#include "profile/appended.h"

enum {
  ROOM_FOR_MORE = 64,    /* bytes that newer events of stacks may have beyond those known */
  WHOLE_STACK = 0xff,    /* stacks that have so many cost centres may have been cut off */
  BY_INFO_TABLE = 8,     /* breakdown of the heap */
  MOST_COMMAND = 1 << 12 /* bytes of a command line */
};

#define MOST_TICK_NS (UINT64_C(1) << 50)

/* A stack of cost centres: their numbers, innermost first, as the log has them. */
struct log_stack {
  size_t at; /* in `numbers` */
  uint32_t depth;
  uint32_t time_tick, live_tick; /* NOTHING: not met with such a sample */
};

struct log_import {
  struct eventlog log;
  struct ghc_run *run;
  struct map centres; /* by number: functions */
  struct map tables;  /* by the address of an info table: functions */
  struct log_stack *stacks;
  uint32_t *numbers;
  size_t stack_count, number_count;
  struct hash_index index; /* of the stacks */
  uint32_t root, cut;      /* functions of MAIN and of what is above a stack, or NOTHING */
  /* the run */
  char *command;
  uint32_t pid;
  uint64_t started_ns;
  uint32_t breakdown;
  bool in_sample, has_bands; /* of the heap */
};

/* ---- the run ---- */

static void take_arguments(struct log_import *import) {
  struct eventlog *log = &import->log;
  char *command = memory_text("");
  eventlog_number(log, 4);
  while (log->left && !log->is_short && strlen(command) < MOST_COMMAND) {
    char *longer = memory_printed("%s%s%s", command, *command ? " " : "", eventlog_text(log));
    free(command);
    command = longer;
  }
  free(import->command);
  import->command = command;
}

static void take_clock(struct log_import *import) {
  struct eventlog *log = &import->log;
  eventlog_number(log, 4);
  uint64_t seconds = eventlog_number(log, 8), ns = eventlog_number(log, 4);
  if (seconds < INT32_MAX && ns < 1000000000)
    import->started_ns = seconds * 1000000000 + ns - (log->time_ns < ns ? log->time_ns : 0);
}

/* ---- cost centres and their stacks ---- */

static void take_centre(struct log_import *import) {
  struct eventlog *log = &import->log;
  uint64_t number = eventlog_number(log, 4);
  const char *label = eventlog_text(log), *module = eventlog_text(log);
  const char *location = eventlog_text(log);
  if (log->is_short) return;
  uint32_t function = cost_centres_function(&import->run->centres, label, module, location);
  map_find_or_add(&import->centres, number, 0, function);
  if (strcmp(label, "MAIN") == 0 && strcmp(module, "MAIN") == 0) import->root = function;
}

static uint32_t centre_numbered(struct log_import *import, uint32_t number) {
  uint32_t function = map_find(&import->centres, number, 0);
  if (function != UINT32_MAX) return function;
  char *name = memory_printed("(cost centre %u)", number);
  function = cost_centres_function(&import->run->centres, name, "", "");
  free(name);
  return map_find_or_add(&import->centres, number, 0, function);
}

struct stack_key {
  const struct log_import *import;
  const uint32_t *numbers;
  uint32_t depth;
};

static int stack_is(const void *array, uint32_t index, const void *key) {
  const struct log_stack *stack = (const struct log_stack *)array + index;
  const struct stack_key *wanted = key;
  return stack->depth == wanted->depth &&
         memcmp(wanted->import->numbers + stack->at, wanted->numbers,
                wanted->depth * sizeof *wanted->numbers) == 0;
}

/* The stack that the rest of the event has. Its id, or NOTHING: the event is damaged. */
static uint32_t take_stack(struct log_import *import) {
  struct eventlog *log = &import->log;
  uint32_t depth = (uint32_t)eventlog_number(log, 1), numbers[WHOLE_STACK];
  uint64_t hash = depth;
  for (uint32_t i = 0; i < depth; i++) {
    numbers[i] = (uint32_t)eventlog_number(log, 4);
    hash = hash_mix(hash ^ numbers[i]);
  }
  if (log->is_short || log->left > ROOM_FOR_MORE) return NOTHING;
  struct stack_key key = {import, numbers, depth};
  uint32_t id = hash_index_find(&import->index, hash, stack_is, import->stacks, &key);
  if (id != HASH_INDEX_NONE) return id;
  struct log_stack stack = {import->number_count, depth, NOTHING, NOTHING};
  ARRAY_ROOM(import->numbers, import->number_count + depth);
  if (depth) memcpy(import->numbers + stack.at, numbers, depth * sizeof *numbers);
  import->number_count += depth;
  id = APPENDED(import->stacks, import->stack_count, stack);
  hash_index_add(&import->index, hash, id);
  return id;
}

static uint32_t root_of(struct log_import *import) {
  if (import->root == NOTHING)
    import->root = cost_centres_function(&import->run->centres, "MAIN", "MAIN", "<built-in>");
  return import->root;
}

/* GHC leaves out outer cost centres beyond the 255th. */
static uint32_t cut_of(struct log_import *import) {
  if (import->cut == NOTHING)
    import->cut = cost_centres_function(&import->run->centres, CUT_STACK, "", "");
  import->run->centres.stacks.profile->functions[import->cut].kind = FUNCTION_CUT;
  return import->cut;
}

/* Makes it the stack at hand. MAIN is the root of all, which the log does not say. */
static void push_stack(struct log_import *import, const struct log_stack *stack) {
  struct cost_centres *centres = &import->run->centres;
  cost_centres_push(centres, 0, root_of(import));
  if (stack->depth == WHOLE_STACK) cost_centres_add(centres, cut_of(import));
  for (uint32_t i = stack->depth; i-- > 0;)
    cost_centres_add(centres, centre_numbered(import, import->numbers[stack->at + i]));
}

/* ---- samples of time ---- */

static int take_time(struct log_import *import) {
  struct eventlog *log = &import->log;
  struct ghc_run *run = import->run;
  eventlog_number(log, 4); /* the capability */
  eventlog_number(log, 8); /* the number of the tick */
  uint32_t id = take_stack(import);
  if (id == NOTHING) return eventlog_damaged(log);
  if (!import->run->log.tick_ns)
    return eventlog_error(log, "the length of a tick was not said before");
  struct log_stack *stack = &import->stacks[id];
  uint32_t metric = ghc_run_time(run);
  if (stack->time_tick == NOTHING) {
    push_stack(import, stack);
    stack->time_tick = stack_profile_tick(&run->centres.stacks, metric);
  }
  struct amount tick = {.ticks = 1, .raw_ns = import->run->log.tick_ns};
  if (stack_profile_charge_tick(&run->centres.stacks, metric, stack->time_tick, tick) != 0)
    return eventlog_error(log, "the sum of all time is too large");
  run->log.ticks++;
  uint32_t innermost =
      stack->depth ? centre_numbered(import, import->numbers[stack->at]) : root_of(import);
  run->log.program_ticks += !cost_centres_is_runtime(&run->centres, innermost);
  time_series_add(&run->log.times, log->time_ns, stack->time_tick);
  return 0;
}

/* ---- samples of the heap ---- */

/* Nothing is live when the program begins. */
static void open_levels(struct log_import *import) {
  if (import->run->live != NOTHING) return;
  ghc_run_levels(import->run, "bytes");
  level_series_begin(&import->run->levels, 0);
  level_series_end(&import->run->levels, true);
}

static int begin_sample(struct log_import *import, bool has_time) {
  struct eventlog *log = &import->log;
  eventlog_number(log, 8);
  uint64_t time_ns = has_time ? eventlog_number(log, 8) : log->time_ns;
  if (log->is_short) return 0;
  if (import->in_sample) return eventlog_error(log, "a sample of the heap within another");
  open_levels(import);
  if (time_ns > log->last_ns || level_series_begin(&import->run->levels, time_ns) != 0)
    return eventlog_error(log, "a sample of the heap is earlier than the one before");
  import->in_sample = true;
  import->has_bands = false;
  return 0;
}

static int end_sample(struct log_import *import) {
  struct ghc_run *run = import->run;
  if (!import->in_sample) return eventlog_error(&import->log, "the end of no sample of the heap");
  import->in_sample = false;
  level_series_end(&run->levels, true);
  if (run->levels.sum) (void)APPENDED(run->log.sums, run->log.sum_count, run->levels.sum);
  return 0;
}

static int add_level(struct log_import *import, uint32_t tick, uint64_t bytes) {
  import->has_bands = true;
  if (level_series_add_to(&import->run->levels, tick, bytes)) return 0;
  return eventlog_error(&import->log, "the sum of a sample of the heap is too large");
}

static int take_heap_stack(struct log_import *import) {
  struct eventlog *log = &import->log;
  struct ghc_run *run = import->run;
  eventlog_number(log, 1);
  uint64_t bytes = eventlog_number(log, 8);
  uint32_t id = take_stack(import);
  if (id == NOTHING) return eventlog_damaged(log);
  if (!import->in_sample) return eventlog_error(log, "a part of no sample of the heap");
  struct log_stack *stack = &import->stacks[id];
  if (stack->live_tick == NOTHING) {
    push_stack(import, stack);
    stack->live_tick = stack_profile_tick(&run->centres.stacks, run->live);
  }
  return add_level(import, stack->live_tick, bytes);
}

/* A band's function: with -hi its text is the address of an info table, which may have a name. */
static uint32_t band_function(const struct log_import *import, const char *text) {
  char *end;
  if (import->breakdown == BY_INFO_TABLE && strncmp(text, "0x", 2) == 0) {
    uint64_t address = strtoull(text, &end, 16);
    uint32_t function = *end ? UINT32_MAX : map_find(&import->tables, address, 0);
    if (function != UINT32_MAX) return function;
  }
  return ghc_run_band(import->run, text);
}

static int take_heap_text(struct log_import *import) {
  struct eventlog *log = &import->log;
  struct ghc_run *run = import->run;
  eventlog_number(log, 1);
  uint64_t bytes = eventlog_number(log, 8);
  const char *text = eventlog_text(log);
  if (log->is_short) return 0;
  if (!import->in_sample) return eventlog_error(log, "a part of no sample of the heap");
  ghc_run_push_band(run, band_function(import, text));
  return add_level(import, stack_profile_tick(&run->centres.stacks, run->live), bytes);
}

/* What code made such closures: with -finfo-table-map. */
static void take_info_table(struct log_import *import) {
  struct eventlog *log = &import->log;
  uint64_t address = eventlog_number(log, 8);
  const char *name = eventlog_text(log);
  eventlog_text(log); /* the kind of closure */
  eventlog_text(log); /* its type */
  const char *label = eventlog_text(log), *module = eventlog_text(log);
  const char *location = eventlog_text(log);
  if (log->is_short) return;
  if (log->left == 1) eventlog_give_back(log); /* GHC up to 9.6 says one byte too many */
  if (!*module) return;
  uint32_t function =
      cost_centres_place(&import->run->centres, *label ? label : name, module, location);
  map_find_or_add(&import->tables, address, 0, function);
}

/* ---- the file ---- */

static void take_marker(const struct log_import *import) {
  const struct eventlog *log = &import->log;
  ghc_run_mark(import->run, log->time_ns, (const char *)log->payload, log->left);
}

static int take_event(struct log_import *import) {
  struct eventlog *log = &import->log;
  switch (log->type) {
  case EVENTLOG_PROGRAM_ARGUMENTS:
    take_arguments(import);
    return 0;
  case EVENTLOG_PROCESS:
    eventlog_number(log, 4);
    import->pid = (uint32_t)eventlog_number(log, 4);
    break;
  case EVENTLOG_WALL_CLOCK:
    take_clock(import);
    break;
  case EVENTLOG_COST_CENTRE:
    take_centre(import);
    break;
  case EVENTLOG_MARKER:
    take_marker(import);
    break;
  case EVENTLOG_INFO_TABLE:
    take_info_table(import);
    return 0;
  case EVENTLOG_TIME_BEGIN:
    import->run->log.tick_ns = eventlog_number(log, 8);
    if (import->run->log.tick_ns > MOST_TICK_NS) return eventlog_error(log, "ticks are too long");
    break;
  case EVENTLOG_TIME_SAMPLE:
    if (take_time(import) != 0) return -1;
    break;
  case EVENTLOG_HEAP_BEGIN:
    eventlog_number(log, 1);
    eventlog_number(log, 8);
    import->breakdown = (uint32_t)eventlog_number(log, 4);
    break;
  case EVENTLOG_SAMPLE_BEGIN:
  case EVENTLOG_BIOGRAPHY_BEGIN:
    if (begin_sample(import, log->type == EVENTLOG_BIOGRAPHY_BEGIN) != 0) return -1;
    break;
  case EVENTLOG_SAMPLE_STACK:
    if (take_heap_stack(import) != 0) return -1;
    break;
  case EVENTLOG_SAMPLE_TEXT:
    if (take_heap_text(import) != 0) return -1;
    break;
  case EVENTLOG_SAMPLE_END:
    if (end_sample(import) != 0) return -1;
    break;
  default:
    return 0;
  }
  return log->is_short ? eventlog_error(log, "an event is shorter than its kind") : 0;
}

static int read_events(struct log_import *import) {
  struct eventlog *log = &import->log;
  int got;
  while ((got = eventlog_next(log)) > 0)
    if (take_event(import) != 0) return -1;
  import->run->log.last_ns = log->last_ns;
  return got;
}

/* ---- the profile ---- */

static int describe(struct log_import *import) {
  struct ghc_run *run = import->run;
  const struct eventlog *log = &import->log;
  ghc_run_identify_log(run, log->input->name, import->command ? import->command : "", import->pid,
                       import->started_ns);
  run->log.has_end = log->has_end;
  if (!log->has_end) ghc_run_note(run, "the log has no end: it was cut off, or is still written");
  if (run->live != NOTHING) level_series_stop(&run->levels, run->log.last_ns);
  if (import->in_sample) ghc_run_note(run, "the last sample of the heap, in which the log ends");
  if (run->log.ticks || run->log.sum_count) return 0;
  return error_set(log->error,
                   "%s has no samples: compile with -prof and run with +RTS -p -l, or with a heap "
                   "profile such as +RTS -hT -l",
                   log->input->name);
}

static void free_import(struct log_import *import) {
  eventlog_close(&import->log);
  map_free(&import->centres);
  map_free(&import->tables);
  hash_index_free(&import->index);
  free(import->stacks);
  free(import->numbers);
  free(import->command);
}

static int add_ghc_eventlog(struct input *input, struct ghc_run *run, struct error *error) {
  struct log_import import = {.run = run, .root = NOTHING, .cut = NOTHING};
  ghc_run_format(run, "event log");
  int result = eventlog_open(&import.log, input, error);
  if (result == 0) result = read_events(&import);
  if (result == 0) result = describe(&import);
  free_import(&import);
  return result;
}

static int read_ghc_eventlog(struct input *input, const struct import_options *options,
                             struct profile **profile, struct error *error) {
  return ghc_run_read(add_ghc_eventlog, input, options, profile, error);
}

const struct import_format import_ghc_eventlog = {.name = "ghc-eventlog",
                                                  .words = "GHC's event log (+RTS -l)",
                                                  .matches = eventlog_matches,
                                                  .read = read_ghc_eventlog,
                                                  .run_part = RUN_OF_LOG,
                                                  .add = add_ghc_eventlog};
