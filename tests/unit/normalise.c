/* Recordings to profiles.  This program's own functions are the recorded ones. */
#include "attribution/recorded/normalise.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <unistd.h>

#include "attribution/books.h"
#include "attribution/costs.h"
#include "check.h"

#define M(function) ((uint32_t)(function) << 1 | 1)

extern const char __executable_start[], etext[];

/* Functions to be found. Their pieces are made by hand: a compiler makes them as it likes. */
void outer(void);
void inner(void);
void library(void);
void outer(void) {
  __asm__ volatile("");
}
void inner(void) {
  __asm__ volatile("");
}
void library(void) {
  __asm__ volatile("");
}
__asm__(".text\n"
        ".type outer.part.0, @function\nouter.part.0: nop\nnop\n.size outer.part.0, 2\n"
        ".type outer.constprop.0, @function\nouter.constprop.0: nop\nnop\n"
        ".size outer.constprop.0, 2\n"
        ".type ascribe_runtime_part, @function\nascribe_runtime_part: nop\nnop\n"
        ".size ascribe_runtime_part, 2\n");
extern const char outer_part[] __asm__("outer.part.0");
extern const char outer_clone[] __asm__("outer.constprop.0");
extern const char runtime_part[] __asm__("ascribe_runtime_part");

enum { OUTER, INNER, PART, CLONE, MUTE, FUNCTIONS };
enum { MUTE_OBJECT = 1, MUTE_START = 0x1000 };

static struct object_entry objects[2];
static struct function_entry functions[FUNCTIONS];
static struct thread_entry threads[1];

static struct process_recording process_of(struct context_entry *contexts, size_t context_count,
                                           struct transition_entry *transitions,
                                           size_t transition_count, struct tick_entry *ticks,
                                           size_t tick_count) {
  static char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  CHECK(length > 0);
  objects[0] = (struct object_entry){.start = MUTE_START,
                                     .end = 0x3000,
                                     .unloaded = UINT64_MAX,
                                     .path = "/nowhere/libmute.so",
                                     .reach = 0x3000};
  objects[1] = (struct object_entry){.start = (uintptr_t)__executable_start,
                                     .end = (uintptr_t)etext,
                                     .unloaded = UINT64_MAX,
                                     .path = path,
                                     .reach = (uintptr_t)etext};
  const uint64_t addresses[FUNCTIONS] = {[OUTER] = (uintptr_t)outer,
                                         [INNER] = (uintptr_t)inner,
                                         [PART] = (uintptr_t)outer_part,
                                         [CLONE] = (uintptr_t)outer_clone,
                                         [MUTE] = MUTE_START + 0x10};
  for (int i = 0; i < FUNCTIONS; i++)
    functions[i] = (struct function_entry){.address = addresses[i], .object = i != MUTE};
  threads[0] = (struct thread_entry){
      .tid = 7, .owners = 1, .start_function = OUTER, .spawned_in = NOTHING, .name = "first"};
  return (struct process_recording){.header = {.pid = 7,
                                               .tick_source = TICK_PERF,
                                               .tick_flags = 1,
                                               .period_ns = 1000000,
                                               .cpu_user_ns = 50000000},
                                    .end = PROCESS_END_EXIT,
                                    .executable = path,
                                    .command = "self",
                                    .directory = "/",
                                    .host = "here",
                                    .objects = objects,
                                    .object_count = 2,
                                    .functions = functions,
                                    .function_count = FUNCTIONS,
                                    .contexts = contexts,
                                    .context_count = context_count,
                                    .transitions = transitions,
                                    .transition_count = transition_count,
                                    .ticks = ticks,
                                    .tick_count = tick_count,
                                    .threads = threads,
                                    .thread_count = 1};
}

static struct profile *profile_of(struct process_recording *processes, size_t count) {
  struct recording recording = {processes, count};
  struct profile *profile = NULL;
  struct error error = {""};
  CHECK_EQUAL(profile_from_recording(&recording, &profile, &error), 0);
  CHECK_TEXT(error.text, "");
  if (!profile) exit(1);
  return profile;
}

static uint32_t named(const struct profile *profile, const char *name) {
  for (size_t i = 0; i < profile->function_count; i++)
    if (strcmp(profile->functions[i].name, name) == 0) return i;
  printf("no function %s\n", name);
  checks_failed++;
  return 0;
}

static const struct function_cost *cost_of(const struct profile *profile, const struct costs *costs,
                                           const char *name) {
  return &costs->functions[named(profile, name)];
}

/* outer -> inner; ticks in inner, in a library function below it, in the runtime, and in outer
 * on its way out, when the context is its caller's already. */
static void ticks_follow_the_counter(void) {
  static const uint32_t at_outer[] = {M(OUTER)}, at_inner[] = {M(OUTER), M(INNER)};
  struct context_entry contexts[] = {{.flags = CONTEXT_ROOT}, {at_outer, 1}, {at_inner, 2}};
  uint64_t site = (uintptr_t)outer + 1;
  struct transition_entry transitions[] = {{0, 1, 0x5, 1}, {1, 2, site, 10}, {2, 2, site, 3}};
  struct tick_entry ticks[] = {
      {2, NOTHING, NOTHING, (uintptr_t)inner, UINT64_MAX, 4, 5000000},
      {2, NOTHING, NOTHING, (uintptr_t)library, UINT64_MAX, 6, 6000000},
      {0, NOTHING, NOTHING, (uintptr_t)outer, UINT64_MAX, 1, 1000000},
      {2, NOTHING, NOTHING, (uintptr_t)runtime_part, UINT64_MAX, 2, 2000000}};
  struct process_recording process = process_of(contexts, 3, transitions, 3, ticks, 4);
  struct profile *profile = profile_of(&process, 1);
  struct costs *costs = costs_compute(profile, NULL);
  CHECK_EQUAL(cost_of(profile, costs, "inner")->calls, 10);
  CHECK_EQUAL(cost_of(profile, costs, "inner")->recursive, 3);
  CHECK_EQUAL(cost_of(profile, costs, "inner")->self.ticks, 4);
  CHECK_EQUAL(cost_of(profile, costs, "inner")->self.raw_ns, 5000000);
  CHECK_EQUAL(cost_of(profile, costs, "inner")->total.ticks, 10);
  CHECK_EQUAL(cost_of(profile, costs, "library")->self.ticks, 6);
  CHECK_EQUAL(cost_of(profile, costs, "outer")->self.ticks, 1);
  CHECK_EQUAL(cost_of(profile, costs, "outer")->total.ticks, 11);
  CHECK_EQUAL(profile->functions[named(profile, "library")].kind, FUNCTION_SAMPLED);
  CHECK_EQUAL(profile->functions[named(profile, "inner")].kind, FUNCTION_COUNTED);
  CHECK_EQUAL(profile->metrics[0].measures[0].profiler.ticks, 2);
  CHECK_EQUAL(profile->threads[0].start_function, named(profile, "outer"));
  CHECK_EQUAL(profile->sites[1].within, named(profile, "outer"));
  CHECK_EQUAL(profile->sites[1].offset, site - (uintptr_t)__executable_start);
  costs_free(costs);
  profile_free(profile);
}

/* Calling a clone or a part that was moved out of line is calling the function. */
static void pieces_and_clones_are_their_function(void) {
  static const uint32_t at_outer[] = {M(OUTER)}, at_part[] = {M(OUTER), M(PART)},
                        at_inner[] = {M(OUTER), M(PART), M(INNER)},
                        at_clone[] = {M(OUTER), M(PART), M(INNER), M(CLONE)};
  struct context_entry contexts[] = {
      {.flags = CONTEXT_ROOT}, {at_outer, 1}, {at_part, 2}, {at_inner, 3}, {at_clone, 4}};
  uint64_t site = (uintptr_t)outer + 1;
  struct transition_entry transitions[] = {
      {0, 1, 0x5, 1}, {1, 2, site, 2}, {2, 3, site, 20}, {3, 4, site, 5}};
  struct tick_entry ticks[] = {{2, NOTHING, NOTHING, (uintptr_t)outer_part, UINT64_MAX, 3, 3},
                               {4, NOTHING, NOTHING, (uintptr_t)outer_clone, UINT64_MAX, 7, 7}};
  struct process_recording process = process_of(contexts, 5, transitions, 4, ticks, 2);
  struct profile *profile = profile_of(&process, 1);
  struct costs *costs = costs_compute(profile, NULL);
  CHECK_EQUAL(cost_of(profile, costs, "outer")->calls, 6);
  CHECK_EQUAL(cost_of(profile, costs, "outer")->recursive, 2);
  CHECK_EQUAL(cost_of(profile, costs, "outer")->self.ticks, 10);
  CHECK_EQUAL(cost_of(profile, costs, "outer")->total.ticks, 10);
  CHECK_EQUAL(cost_of(profile, costs, "inner")->calls, 20);
  CHECK_EQUAL(cost_of(profile, costs, "inner")->total.ticks, 7);
  CHECK_EQUAL(profile->context_count, 4);
  costs_free(costs);
  profile_free(profile);
}

static void functions_without_symbols(void) {
  static const uint32_t at_mute[] = {M(MUTE)};
  struct context_entry contexts[] = {{.flags = CONTEXT_ROOT}, {at_mute, 1}};
  struct transition_entry transitions[] = {{0, 1, 0x5, 1}};
  struct tick_entry ticks[] = {{1, NOTHING, NOTHING, MUTE_START + 0x18, UINT64_MAX, 4, 4},
                               {0, NOTHING, NOTHING, MUTE_START + 0x800, UINT64_MAX, 2, 2},
                               {0, NOTHING, NOTHING, 0x7fff00000000, UINT64_MAX, 1, 1}};
  struct process_recording process = process_of(contexts, 2, transitions, 1, ticks, 3);
  struct profile *profile = profile_of(&process, 1);
  struct costs *costs = costs_compute(profile, NULL);
  CHECK_EQUAL(cost_of(profile, costs, "0x10 in libmute.so")->self.ticks, 4);
  CHECK_EQUAL(cost_of(profile, costs, "(no symbol) in libmute.so")->self.ticks, 2);
  CHECK_EQUAL(cost_of(profile, costs, "(code outside of any object)")->self.ticks, 1);
  CHECK(
      profile->objects[profile->functions[named(profile, "0x10 in libmute.so")].object].message[0]);
  costs_free(costs);
  profile_free(profile);
}

/* With the cycle counter, cycles are the running function's. */
static void cycles_of_the_running_function(void) {
  static const uint32_t at_outer[] = {M(OUTER)};
  struct context_entry contexts[] = {{.flags = CONTEXT_ROOT}, {at_outer, 1}};
  struct transition_entry transitions[] = {{0, 1, 0x5, 1}};
  struct tick_entry ticks[] = {{1, NOTHING, NOTHING, PC_RUNNING, UINT64_MAX, 2, 3000},
                               {0, NOTHING, NOTHING, PC_RUNNING, UINT64_MAX, 2, 500}};
  struct process_recording process = process_of(contexts, 2, transitions, 1, ticks, 2);
  process.header.tick_source = TICK_TSC;
  process.header.tsc_hz = 2000000000;
  struct profile *profile = profile_of(&process, 1);
  struct costs *costs = costs_compute(profile, NULL);
  struct books books;
  books_make(profile, &books);
  struct estimate self = books_estimate(&books, cost_of(profile, costs, "outer")->self);
  CHECK_EQUAL(self.ns, 1500);
  CHECK_EQUAL(self.uncertainty_ns, 0);
  CHECK_EQUAL(books.sampled_ns, 1750);
  CHECK_EQUAL(cost_of(profile, costs, "(outside of functions with hooks)")->self.raw_ns, 250);
  costs_free(costs);
  profile_free(profile);
}

static void calls_without_room(void) {
  static const uint32_t at_outer[] = {M(OUTER)};
  struct context_entry contexts[] = {
      {.flags = CONTEXT_ROOT}, {at_outer, 1}, {.flags = CONTEXT_OVERFLOW}};
  struct transition_entry transitions[] = {{0, 1, 0x5, 1}, {1, 2, 0x5, 40}, {2, 2, 0x5, 2}};
  struct tick_entry ticks[] = {{2, NOTHING, NOTHING, (uintptr_t)inner, UINT64_MAX, 9, 9}};
  struct process_recording process = process_of(contexts, 3, transitions, 3, ticks, 1);
  struct profile *profile = profile_of(&process, 1);
  struct costs *costs = costs_compute(profile, NULL);
  CHECK_EQUAL(cost_of(profile, costs, "(not recorded)")->calls, 40);
  CHECK_EQUAL(cost_of(profile, costs, "(not recorded)")->recursive, 2);
  CHECK_EQUAL(cost_of(profile, costs, "(not recorded)")->total.ticks, 9);
  CHECK_EQUAL(cost_of(profile, costs, "inner")->self.ticks, 9);
  costs_free(costs);
  profile_free(profile);
}

/* The functions of two processes of one program are one; their threads are not. */
static void processes_add_up(void) {
  static const uint32_t at_outer[] = {M(OUTER)};
  struct context_entry contexts[] = {{.flags = CONTEXT_ROOT}, {at_outer, 1}, {at_outer, 1}};
  struct transition_entry transitions[] = {{0, 1, 0x5, 2}};
  struct process_recording processes[] = {process_of(contexts, 3, transitions, 1, NULL, 0),
                                          process_of(contexts, 3, transitions, 1, NULL, 0)};
  struct profile *profile = profile_of(processes, 2);
  struct costs *costs = costs_compute(profile, NULL);
  CHECK_EQUAL(cost_of(profile, costs, "outer")->calls, 4);
  CHECK_EQUAL(profile->thread_count, 2);
  CHECK_EQUAL(profile->threads[1].process, 1);
  CHECK_EQUAL(profile->object_count, 2);
  CHECK_EQUAL(profile->context_count, 4); /* those that nothing happened in are left out */
  costs_free(costs);
  profile_free(profile);
}

int main(void) {
  ticks_follow_the_counter();
  pieces_and_clones_are_their_function();
  functions_without_symbols();
  cycles_of_the_running_function();
  calls_without_room();
  processes_add_up();
  return check_result();
}
