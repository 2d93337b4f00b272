/* gmon.out, with the executable that wrote it: samples and calls of functions.  What a function's
 * callees took is not in it, nor are stacks: it is shared among callers by their calls, as gprof
 * does, and no samples stand behind it, so that nobody takes it for measured.
 * Source: Waddell and Ashley, "Visualizing the performance of higher-order programs", section 3
 * (the ratio of calls); Graham, Kessler, McKusick, "gprof: a call graph execution profiler",
 * section 4. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/given.h"
#include "exchange/gmon.h"
#include "exchange/gmon_graph.h"
#include "exchange/import_formats.h"
#include "exchange/stack_profile.h"

enum { MOST_FILE_BYTES = 1 << 30, NOTE_BYTES = 600 };
#define MOST_AMOUNT 0x1p61

/* What is read, and what of it becomes the profile. */
struct gmon_import {
  struct gmon gmon;
  struct text_symbols text;
  struct symbols *symbols;
  struct symbol_file *file; /* the executable */
  struct gmon_places places;
  struct gmon_graph graph;
  struct stack_profile stacks;
  uint32_t *functions; /* by place; NOTHING: without samples and calls */
};

/* ---- in ---- */

static int read_file(struct gmon_import *import, struct input *input, const char *executable,
                     struct error *error) {
  static const struct text_symbols_options all;
  struct gmon_form form = {0};
  const unsigned char *bytes;
  size_t count;
  if (text_symbols_read(executable, &all, &import->text, error) != 0) return -1;
  form.pointer_bytes = import->text.pointer_bytes;
  if (input_rest(input, MOST_FILE_BYTES, &bytes, &count, error) != 0 ||
      gmon_add(&import->gmon, input->name, bytes, count, &form, error) != 0)
    return -1;
  gmon_sum(&import->gmon);
  import->symbols = symbols_create();
  import->file = symbols_file(import->symbols, executable, NULL, 0);
  return 0;
}

/* The wrong executable would give the samples to functions that never ran. */
static int charge(struct gmon_import *import, const char *name, const char *executable,
                  struct error *error) {
  static const struct gmon_graph_options everything;
  const struct gmon_graph *graph = &import->graph;
  gmon_places_of_functions(&import->text, true, &import->places);
  gmon_graph_make(&import->gmon, &import->places, &everything, &import->graph);
  uint64_t calls = graph->unplaced;
  for (size_t i = 0; i < import->gmon.arc_count; i++)
    calls = calls > UINT64_MAX - import->gmon.arcs[i].calls ? UINT64_MAX
                                                            : calls + import->gmon.arcs[i].calls;
  if (graph->sampled == 0 && calls == 0)
    return error_set(error, "%s: no samples and no calls in it", name);
  if (graph->outside > graph->sampled / 2 || graph->unplaced > calls / 2)
    return error_set(error,
                     "%s: most of it is outside the functions of %s: is it the program that ran?",
                     name, executable);
  return 0;
}

/* ---- out ---- */

static uint64_t rounded(double value) {
  if (!(value > 0)) return 0; /* nor a number at all, where calls of hostile files meet */
  return value > MOST_AMOUNT ? (uint64_t)MOST_AMOUNT : (uint64_t)llround(value);
}

/* Bins that several functions share give parts of samples. */
static struct amount amount_of(const struct gmon_import *import, double samples) {
  double ns = import->gmon.rate ? samples * 1e9 / import->gmon.rate : 0;
  return (struct amount){rounded(samples), rounded(ns)};
}

/* As it stands in recorded profiles; where the file's symbols are not read there (of another
 * machine), by its name alone. */
static struct profile_function function_of(struct gmon_import *import,
                                           const struct graph_node *node, uint32_t object) {
  struct symbol symbol;
  if (symbol_file_function(import->file, node->address, &symbol) != 0 ||
      symbol.address != node->address)
    return (struct profile_function){
        .name = node->name, .linkage = node->linkage, .object = object};
  return (struct profile_function){.name = symbol.name,
                                   .linkage = symbol.linkage,
                                   .file = symbol.file,
                                   .line = symbol.line,
                                   .object = object};
}

static void add_functions(struct gmon_import *import, const char *executable) {
  const struct call_graph *graph = &import->graph.graph;
  uint32_t object = stack_profile_object(&import->stacks, executable, "");
  import->functions = memory_zeroed(graph->function_count, sizeof *import->functions);
  bool *active = memory_zeroed(graph->function_count, sizeof *active);
  for (size_t i = 0; i < graph->arc_count; i++)
    active[graph->arcs[i].caller] = active[graph->arcs[i].callee] = true;
  for (size_t i = 0; i < graph->function_count; i++) {
    const struct graph_node *node = &graph->nodes[i];
    import->functions[i] = NOTHING;
    if (!active[i] && amount_of(import, node->self).raw_ns == 0) continue;
    struct profile_function function = function_of(import, node, object);
    uint32_t id = stack_profile_function(&import->stacks, &function, BODY_OWN);
    if (node->calls) import->stacks.profile->functions[id].kind = FUNCTION_COUNTED;
    import->functions[i] = id;
  }
  free(active);
}

static void add_amount(struct amount *sum, struct amount amount) {
  if (sum->raw_ns < (uint64_t)MOST_AMOUNT) *sum = amount_sum(*sum, amount);
}

/* Time that was shared by calls: no samples. */
static struct amount shared(const struct gmon_import *import, double samples) {
  return (struct amount){0, amount_of(import, samples).raw_ns};
}

/* In a cycle times of members overlap; symbols that are one function may call each other. */
static void give_times(const struct gmon_import *import, struct costs *given) {
  const struct call_graph *graph = &import->graph.graph;
  for (size_t i = 0; i < graph->function_count; i++) {
    uint32_t id = import->functions[i];
    if (id == NOTHING) continue;
    const struct graph_node *node = &graph->nodes[i];
    struct amount self = amount_of(import, node->self);
    bool first = !given->functions[id].total.raw_ns;
    add_amount(&given->functions[id].self, self);
    add_amount(&given->functions[id].total,
               node->child > 0 ? shared(import, node->self + node->child) : self);
    add_amount(&given->self, self);
    given->total_known[id] = first && !node->cycle;
  }
  given->thread_self[0] = given->self;
  /* Shares of a time are rounded, each for itself. */
  for (size_t i = 0; i < import->stacks.profile->function_count; i++)
    if (given->functions[i].total.raw_ns > given->self.raw_ns)
      given->functions[i].total.raw_ns = given->self.raw_ns;
}

/* As of other files, the callee's own part is not told apart. */
static struct arc_cost arc_of(const struct gmon_import *import, const struct graph_arc *arc) {
  const struct graph_node *nodes = import->graph.graph.nodes;
  struct amount passed = shared(import, arc->self + arc->child);
  uint32_t cycle = nodes[arc->caller].cycle;
  return (struct arc_cost){.caller = import->functions[arc->caller],
                           .callee = import->functions[arc->callee],
                           .calls = arc->calls,
                           .out_child = passed,
                           .in_child = passed,
                           .cost_unknown = cycle && cycle == nodes[arc->callee].cycle};
}

/* Hostile files may say anything. */
static void add_calls(uint64_t *sum, uint64_t calls) {
  const uint64_t most = (uint64_t)MOST_AMOUNT;
  *sum = calls > most || *sum > most - calls ? most : *sum + calls;
}

static void give_calls(const struct gmon_import *import, struct costs *given) {
  const struct call_graph *graph = &import->graph.graph;
  given->arcs = memory_zeroed(graph->arc_count, sizeof *given->arcs);
  for (size_t i = 0; i < graph->arc_count; i++) {
    const struct graph_arc *arc = &graph->arcs[i];
    uint32_t caller = import->functions[arc->caller], callee = import->functions[arc->callee];
    struct function_cost *cost = &given->functions[callee];
    add_calls(&given->calls, arc->calls);
    add_calls(caller == callee ? &cost->recursive : &cost->calls, arc->calls);
    if (caller == callee) continue;
    given->arcs[given->arc_count++] = arc_of(import, arc);
  }
}

static const char *note_of(struct gmon_import *import) {
  const struct gmon_graph *graph = &import->graph;
  char text[NOTE_BYTES];
  snprintf(text, sizeof text,
           "times of callees, which are not in the file: totals and times of calls are shared by "
           "calls, as gprof does, where no +- stands beside them; %.0f of %.0f samples and %" PRIu64
           " calls in no function of the executable",
           graph->outside, graph->sampled, graph->unplaced);
  return stack_profile_text(&import->stacks, text);
}

static struct profile *make_profile(struct gmon_import *import, const char *executable) {
  stack_profile_open(&import->stacks, "gmon.out", "time");
  uint32_t process = stack_profile_process(&import->stacks, 0, executable);
  stack_profile_thread(&import->stacks, process, 0, "");
  add_functions(import, executable);
  call_graph_propagate(&import->graph.graph, NULL);
  const char *note = note_of(import);
  struct profile *profile = stack_profile_finish(&import->stacks);
  profile->stack_count = 0;
  profile->origin.note = note;
  struct costs *given = given_create(profile);
  give_times(import, given);
  give_calls(import, given);
  given_sums(profile);
  return profile;
}

static int read_gmon(struct input *input, const struct import_options *options,
                     struct profile **profile, struct error *error) {
  struct gmon_import import = {0};
  if (!options->executable)
    return error_set(
        error,
        "%s: it has addresses but no names: name the program that wrote it with --executable",
        input->name);
  int result = read_file(&import, input, options->executable, error);
  if (result == 0) result = charge(&import, input->name, options->executable, error);
  if (result == 0) *profile = make_profile(&import, options->executable);
  free(import.functions);
  call_graph_free(&import.graph.graph);
  gmon_places_free(&import.places);
  gmon_free(&import.gmon);
  text_symbols_free(&import.text);
  symbols_free(import.symbols);
  return result;
}

static bool matches(const char *start, size_t count) {
  return count > 4 && memcmp(start, "gmon", 4) == 0;
}

const struct import_format import_gmon = {.name = "gmon",
                                          .words = "gmon.out of a -pg program",
                                          .takes_executable = true,
                                          .matches = matches,
                                          .read = read_gmon};
