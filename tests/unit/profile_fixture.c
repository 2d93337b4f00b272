#include "profile_fixture.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "recording/history.h"

enum { PERIOD_NS = 1000000 };

void program_start(struct program *program) {
  *program = (struct program){0};
  struct profile *profile = program->profile = profile_create();
  profile->version = "test";
  profile->objects = memory_zeroed(2, sizeof *profile->objects);
  profile->objects[0] = (struct profile_object){"/tmp/fixture", "0123abcd", "", NULL};
  profile->objects[1] = (struct profile_object){"/lib/libfixture.so", "", "", NULL};
  profile->object_count = 2;
  profile->processes = memory_zeroed(1, sizeof *profile->processes);
  profile->processes[0] = (struct profile_process){.pid = 100,
                                                   .executable = "/tmp/fixture",
                                                   .command = "./fixture --quick",
                                                   .directory = "/tmp",
                                                   .host = "testhost",
                                                   .started_ns = 1000000000000000000,
                                                   .updated_ns = 1000000000000000000,
                                                   .end = PROCESS_END_EXIT,
                                                   .hooks = HOOKS_CONTEXTS_PLUGIN,
                                                   .tick_source = TICK_PERF,
                                                   .tick_flags = 1,
                                                   .rate_hz = 1000,
                                                   .period_ns = PERIOD_NS};
  profile->process_count = 1;
  context_table_open(&program->contexts, profile);
  program_thread(program, "fixture");
}

void program_thread(struct program *program, const char *name) {
  struct profile *profile = program->profile;
  profile->threads =
      memory_resized(profile->threads, profile->thread_count + 1, sizeof *profile->threads);
  program->thread = profile->thread_count++;
  profile->threads[program->thread] = (struct profile_thread){.tid = 100 + program->thread,
                                                              .owners = 1,
                                                              .start_function = NOTHING,
                                                              .spawned_in = NOTHING,
                                                              .name = name};
  program->stack[0] = context_intern(&program->contexts, program->thread, NULL, 0);
  program->depth = 1;
}

static uint32_t find_function(struct program *program, const char *name, enum function_kind kind) {
  struct profile *profile = program->profile;
  for (size_t i = 0; i < profile->function_count; i++)
    if (strcmp(profile->functions[i].name, name) == 0) return i;
  ARRAY_GROW(profile->functions, profile->function_count);
  uint32_t id = profile->function_count++;
  bool counted = kind == FUNCTION_COUNTED;
  profile->functions[id] = (struct profile_function){.name = pool_string(profile->pool, name),
                                                     .linkage = pool_string(profile->pool, name),
                                                     .file = counted ? "fixture.c" : NULL,
                                                     .line = counted ? 10 * (id + 1) : 0,
                                                     .object = !counted,
                                                     .kind = kind};
  return id;
}

uint32_t program_function(struct program *program, const char *name) {
  return find_function(program, name, FUNCTION_COUNTED);
}

uint32_t program_library(struct program *program, const char *name) {
  return find_function(program, name, FUNCTION_SAMPLED);
}

static uint32_t stepped(struct program *program, uint32_t from, uint32_t function) {
  const struct profile_context *context = &program->profile->contexts[from];
  if (history_is_running(context->history, context->length, function)) return from;
  uint32_t *history = memory_zeroed(context->length + 1, sizeof *history);
  uint32_t length = history_step(context->history, context->length, function, history);
  uint32_t to = context_intern(&program->contexts, program->thread, history, length);
  free(history);
  return to;
}

static uint32_t site_of(struct program *program, uint32_t caller, uint32_t callee) {
  struct profile *profile = program->profile;
  uint64_t arc = (uint64_t)caller << 32 | callee;
  uint32_t id = map_find_or_add(&program->sites, arc, program->place, profile->site_count);
  if (id != profile->site_count) return id;
  ARRAY_GROW(profile->sites, profile->site_count);
  bool spontaneous = caller == NOTHING;
  profile->sites[id] =
      (struct profile_site){.caller = caller,
                            .callee = callee,
                            .within = caller,
                            .offset = program->place ? program->place : 0x1000 + 16 * id,
                            .file = spontaneous ? NULL : "fixture.c",
                            .line = spontaneous ? 0 : 10 * (caller + 1) + 5,
                            .expansion = NOTHING};
  profile->site_count++;
  return id;
}

void program_call(struct program *program, uint32_t function) {
  struct profile *profile = program->profile;
  uint32_t from = program->stack[program->depth - 1];
  uint32_t to = stepped(program, from, function);
  uint32_t caller = context_running(&profile->contexts[from]);
  uint32_t site = site_of(program, caller, function);
  uint64_t step = (uint64_t)from << 32 | to;
  uint32_t id = map_find_or_add(&program->transitions, step, site, profile->transition_count);
  if (id == profile->transition_count) {
    ARRAY_GROW(profile->transitions, profile->transition_count);
    profile->transitions[profile->transition_count++] =
        (struct profile_transition){from, to, site, 0};
  }
  profile->transitions[id].count++;
  assert(program->depth < sizeof program->stack / sizeof *program->stack);
  program->stack[program->depth++] = to;
}

void program_return(struct program *program) {
  assert(program->depth > 1);
  program->depth--;
}

void program_jump(struct program *program, uint32_t function) {
  program_return(program);
  program_call(program, function);
}

void program_tick(struct program *program, uint64_t ticks) {
  struct profile *profile = program->profile;
  struct amount amount = {ticks, ticks * PERIOD_NS};
  uint32_t context = program->stack[program->depth - 1];
  uint32_t function = context_running(&profile->contexts[context]);
  profile->processes[0].cpu_user_ns += amount.raw_ns;
  profile->processes[0].updated_ns += amount.raw_ns;
  profile->threads[program->thread].ticks += ticks;
  uint32_t id = map_find_or_add(&program->ticks, context, 0, profile->metrics[0].tick_count);
  if (id < profile->metrics[0].tick_count) {
    profile->metrics[0].ticks[id].amount = amount_sum(profile->metrics[0].ticks[id].amount, amount);
    return;
  }
  ARRAY_GROW(profile->lines, profile->line_count);
  profile->lines[profile->line_count] = (struct profile_line){
      function, profile->functions[function].line, profile->functions[function].file};
  ARRAY_GROW(profile->metrics[0].ticks, profile->metrics[0].tick_count);
  profile->metrics[0].ticks[profile->metrics[0].tick_count++] =
      (struct profile_tick){context, profile->line_count++, NOTHING, NOTHING, NOTHING, amount};
}

void program_calls(struct program *program, const char *names) {
  char *copy = strdup(names), *rest = NULL;
  for (char *name = strtok_r(copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
    program_call(program, program_function(program, name));
  free(copy);
}

struct profile *program_so_far(struct program *program) {
  metrics_charge(program->profile);
  return program->profile;
}

struct profile *program_end(struct program *program) {
  context_table_close(&program->contexts);
  map_free(&program->transitions);
  map_free(&program->sites);
  map_free(&program->ticks);
  return program_so_far(program);
}
