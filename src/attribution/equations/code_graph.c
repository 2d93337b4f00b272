#include "attribution/equations/code_graph.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/equations/code_names.h"
#include "attribution/equations/possible_calls.h"
#include "attribution/given.h"
#include "profile/builder.h"
#include "symbols/call_places.h"
#include "symbols/inlined_functions.h"

enum {
  DEEPEST_INLINED = 64,
  MOST_POSSIBLE_CALLS = 400000, /* beyond, pointers are not looked into */
};

struct graph {
  struct profile *profile;
  const char *path;
  struct symbol_file *file;
  struct text_symbols text;
  struct call_places places;
  struct code_names names;
  struct place_counts counts;
  uint32_t *functions;   /* by text symbol: of the profile, or NOTHING: it has no counts */
  bool *taken, *outside; /* by function: its address is taken; code without counts may call it */
  bool *inlined;         /* by function: somewhere its code stands in that of its caller */
  uint32_t *pointed;     /* the functions that were entered and whose address is taken */
  size_t pointed_count;
  bool pointers_to_others; /* pointers may lead to code without counts */
  bool pointers_by_others; /* code without counts may call through pointers */
  uint32_t object;
};

/* ---- functions ---- */

static bool was_entered(const struct graph *graph, uint32_t function) {
  return graph->profile->given->functions[function].calls > 0;
}

static size_t name_functions(struct graph *graph) {
  size_t found = 0;
  graph->functions = memory_zeroed(graph->text.count, sizeof *graph->functions);
  for (size_t i = 0; i < graph->text.count; i++) {
    struct symbol symbol;
    graph->functions[i] = NOTHING;
    if (symbol_file_function(graph->file, graph->text.list[i].address, &symbol) != 0) continue;
    uint32_t function = code_names_find(&graph->names, &symbol);
    graph->functions[i] = function;
    if (function == NOTHING) continue;
    graph->profile->functions[function].object = graph->object;
    found++;
  }
  return found;
}

/* The innermost counted function of whose code a call in inlined code is part.  Counts of lines
 * have code that was inlined before it was counted (always_inline) in the function around it. */
static uint32_t function_of_inlined(const struct graph *graph, const struct symbol_frame *frames,
                                    size_t count, uint32_t outermost) {
  for (size_t i = count; i-- > 0 && frames[i].inlined;) {
    uint32_t function = code_names_find(&graph->names, &frames[i].symbol);
    if (function != NOTHING || graph->counts.has_columns) return function;
  }
  return outermost;
}

/* The function whose source stands at the place, and where in it. False: it has no counts. */
static bool locate(const struct graph *graph, const struct call_place *call,
                   struct counted_place *place) {
  struct symbol_frame frames[DEEPEST_INLINED];
  size_t count = symbol_file_frames(graph->file, call->from, frames, DEEPEST_INLINED);
  *place = (struct counted_place){.function = graph->functions[call->symbol]};
  if (count) {
    const struct symbol_frame *inner = &frames[count - 1];
    place->inlined = inner->inlined;
    place->function = function_of_inlined(graph, frames, count, place->function);
    place->file = pool_string(graph->profile->pool, inner->position.file);
    place->line = inner->position.line;
    place->column = inner->position.column;
  }
  return place->function != NOTHING;
}

/* ---- what code without counts may do ---- */

/* What the C library calls back is given to it by these. */
static bool calls_back(const char *outside) {
  static const char *const names[] = {"qsort",
                                      "qsort_r",
                                      "bsearch",
                                      "lfind",
                                      "lsearch",
                                      "tsearch",
                                      "tfind",
                                      "tdelete",
                                      "twalk",
                                      "twalk_r",
                                      "tdestroy",
                                      "signal",
                                      "sigaction",
                                      "sigset",
                                      "bsd_signal",
                                      "sysv_signal",
                                      "__sysv_signal",
                                      "ssignal",
                                      "atexit",
                                      "__cxa_atexit",
                                      "on_exit",
                                      "at_quick_exit",
                                      "__cxa_at_quick_exit",
                                      "__cxa_thread_atexit_impl",
                                      "pthread_create",
                                      "thrd_create",
                                      "pthread_once",
                                      "call_once",
                                      "pthread_atfork",
                                      "__register_atfork",
                                      "pthread_key_create",
                                      "tss_create",
                                      "makecontext",
                                      "clone",
                                      "ftw",
                                      "ftw64",
                                      "nftw",
                                      "nftw64",
                                      "fts_open",
                                      "fts64_open",
                                      "scandir",
                                      "scandir64",
                                      "scandirat",
                                      "scandirat64",
                                      "glob",
                                      "glob64",
                                      "dl_iterate_phdr",
                                      "timer_create",
                                      "mq_notify",
                                      "getaddrinfo_a",
                                      "aio_read",
                                      "aio_write",
                                      "lio_listio",
                                      "fopencookie",
                                      "argp_parse",
                                      "register_printf_function",
                                      "register_printf_specifier",
                                      "_obstack_begin",
                                      "_obstack_begin_1",
                                      "pthread_cleanup_push",
                                      "_pthread_cleanup_push",
                                      "__libc_start_main",
                                      "dlsym",
                                      "dlvsym",
                                      "dlopen"};
  for (size_t i = 0; outside && i < sizeof names / sizeof *names; i++)
    if (strcmp(outside, names[i]) == 0) return true;
  return !outside;
}

static void mark_outside(struct graph *graph, uint32_t function) {
  if (function != NOTHING) graph->outside[function] = true;
}

static void take_inlined(void *context, const struct symbol *symbol) {
  struct graph *graph = context;
  uint32_t function = code_names_find(&graph->names, symbol);
  if (function != NOTHING) graph->inlined[function] = true;
}

static void take_symbols(struct graph *graph) {
  for (size_t i = 0; i < graph->text.count; i++) {
    uint32_t function = graph->functions[i];
    if (graph->places.from_outside[i]) mark_outside(graph, function);
    if (!graph->places.taken[i]) continue;
    if (function != NOTHING)
      graph->taken[function] = true;
    else if (!call_place_is_runtime(&graph->text.list[i]))
      graph->pointers_to_others = true;
  }
  symbol_file_inlined_functions(graph->file, take_inlined, graph);
}

static void take_others(struct graph *graph, const struct call_place *call, bool counted) {
  const struct text_symbol *symbol = &graph->text.list[call->symbol];
  if (call_place_is_runtime(symbol)) return;
  if (call->kind == CALLEE_OUTSIDE && calls_back(call->outside)) {
    graph->pointers_by_others = true;
    graph->pointers_to_others |= call->outside && strncmp(call->outside, "dl", 2) == 0;
  }
  if (counted) return;
  graph->pointers_by_others |= call->kind == CALLEE_POINTER;
  if (call->kind == CALLEE_HERE) mark_outside(graph, graph->functions[call->callee]);
}

static void look_at_others(struct graph *graph) {
  struct counted_place place;
  graph->pointers_to_others = graph->places.takes_outside || graph->places.foreign;
  graph->pointers_by_others = graph->places.foreign;
  take_symbols(graph);
  for (size_t i = 0; i < graph->places.count; i++)
    take_others(graph, &graph->places.list[i], locate(graph, &graph->places.list[i], &place));
}

/* ---- the profile ---- */

static uint32_t add_place(struct graph *graph, uint64_t most) {
  return profile_add_call_place(graph->profile, (struct profile_call_place){0, most});
}

static void add_call(struct graph *graph, uint32_t place, uint32_t site) {
  profile_add_possible_call(graph->profile, (struct profile_possible_call){
                                                .place = place, .site = site, .fixed = NOT_FIXED});
}

static void add_site(struct graph *graph, uint32_t place, struct profile_site site) {
  if (was_entered(graph, site.callee))
    add_call(graph, place, profile_add_site(graph->profile, site));
}

static void add_unknown_caller(struct graph *graph, uint32_t place, uint32_t object,
                               uint32_t callee) {
  add_site(graph, place,
           (struct profile_site){.caller = NOTHING,
                                 .callee = callee,
                                 .within = NOTHING,
                                 .object = object,
                                 .expansion = NOTHING});
}

static void add_calls_by_others(struct graph *graph) {
  uint32_t place = add_place(graph, UINT64_MAX);
  for (uint32_t i = 0; i < graph->profile->function_count; i++)
    if (graph->outside[i] || (graph->taken[i] && graph->pointers_by_others))
      add_unknown_caller(graph, place, NOTHING, i);
}

static void add_inlined_calls(struct graph *graph) {
  uint32_t place = add_place(graph, UINT64_MAX);
  for (uint32_t i = 0; i < graph->profile->function_count; i++)
    if (graph->inlined[i]) add_unknown_caller(graph, place, graph->object, i);
}

/* A function and a piece of it are one, as are the variants of a constructor where only one is
 * counted: between them there are no calls. */
static bool is_own_piece(const struct graph *graph, const struct call_place *call,
                         const struct counted_place *place) {
  const char *from = graph->text.list[call->symbol].linkage;
  const char *to = graph->text.list[call->callee].linkage;
  if (graph->functions[call->callee] != place->function || place->inlined) return false;
  return strstr(to, ".cold") || (call->callee != call->symbol && code_names_are_variants(from, to));
}

static void add_call_place(struct graph *graph, const struct call_place *call) {
  struct counted_place at;
  if (call->kind == CALLEE_OUTSIDE || !locate(graph, call, &at)) return;
  if (call->kind == CALLEE_HERE &&
      (graph->functions[call->callee] == NOTHING || is_own_piece(graph, call, &at)))
    return;
  uint64_t most = place_counts_most(&graph->counts, &at);
  if (!most) return;
  struct profile_site site = {.caller = at.function,
                              .within = at.function,
                              .object = graph->object,
                              .file = at.file,
                              .line = at.file ? at.line : 0,
                              .expansion = NOTHING};
  if (symbol_file_offset(graph->file, call->from, &site.offset) == 0) site.offset++;
  uint32_t place = add_place(graph, most);
  if (call->kind == CALLEE_HERE) {
    site.callee = graph->functions[call->callee];
    add_site(graph, place, site);
    return;
  }
  for (size_t i = 0; i < graph->pointed_count; i++) {
    site.callee = graph->pointed[i];
    add_site(graph, place, site);
  }
  if (graph->pointers_to_others) add_call(graph, place, NOTHING);
}

static void list_pointed(struct graph *graph) {
  graph->pointed = memory_zeroed(graph->profile->function_count, sizeof *graph->pointed);
  for (uint32_t i = 0; i < graph->profile->function_count; i++)
    if (graph->taken[i] && was_entered(graph, i)) graph->pointed[graph->pointed_count++] = i;
}

static int add_calls(struct graph *graph, struct error *error) {
  add_calls_by_others(graph);
  add_inlined_calls(graph);
  list_pointed(graph);
  for (size_t i = 0; i < graph->places.count; i++) {
    add_call_place(graph, &graph->places.list[i]);
    if (graph->profile->possible_call_count > MOST_POSSIBLE_CALLS)
      return error_set(error,
                       "%s: more than %d calls are possible, too many for equations: import the"
                       " counts without --executable",
                       graph->path, MOST_POSSIBLE_CALLS);
  }
  return 0;
}

/* What is certainly 0 is no call. Sites and possible calls are in the same order. */
static void drop_impossible(struct profile *profile) {
  size_t sites = 0, calls = 0;
  for (size_t i = 0; i < profile->possible_call_count; i++) {
    struct profile_possible_call call = profile->possible_calls[i];
    if (call.most == 0) continue;
    if (call.site != NOTHING) {
      profile->sites[sites] = profile->sites[call.site];
      profile->given->site_calls[sites] = profile->given->site_calls[call.site];
      call.site = sites++;
    }
    profile->possible_calls[calls++] = call;
  }
  profile->site_count = sites;
  profile->possible_call_count = calls;
}

/* ---- all ---- */

static int find_graph(struct graph *graph, struct error *error) {
  static const struct text_symbols_options functions = {.functions_only = true};
  struct profile *profile = graph->profile;
  if (text_symbols_read(graph->path, &functions, &graph->text, error) != 0) return -1;
  if (symbol_file_state(graph->file) != SYMBOLS_FULL)
    return error_set(error,
                     "%s has no debug information: its call sites are not known; compile"
                     " with -g",
                     graph->path);
  if (call_places_find(graph->file, &graph->text, &graph->places, error) != 0) return -1;
  graph->object = profile_add_object(
      profile, (struct profile_object){.path = graph->path, .build_id = "", .message = ""});
  if (!name_functions(graph))
    return error_set(error, "%s has none of the functions that were counted", graph->path);
  look_at_others(graph);
  if (add_calls(graph, error) != 0) return -1;
  struct call_conflict conflict; /* nothing is fixed yet, so there is no other than of sizes */
  free(profile->given->site_calls);
  profile->given->site_calls =
      memory_zeroed(profile->site_count, sizeof *profile->given->site_calls);
  if (possible_calls_solve(profile, &conflict) != 0)
    return error_set(error, "the counts are too large for equations");
  drop_impossible(profile);
  possible_calls_solve(profile, &conflict); /* arcs without those */
  return 0;
}

int code_graph_add(struct profile *profile, const char *path, const struct profile_expression *uses,
                   size_t use_count, struct error *error) {
  struct graph graph = {.profile = profile, .path = path};
  struct symbols *symbols = symbols_create();
  graph.file = symbols_file(symbols, path, NULL, 0);
  graph.taken = memory_zeroed(profile->function_count, sizeof *graph.taken);
  graph.outside = memory_zeroed(profile->function_count, sizeof *graph.outside);
  graph.inlined = memory_zeroed(profile->function_count, sizeof *graph.inlined);
  code_names_open(&graph.names, profile);
  place_counts_open(&graph.counts, profile, uses, use_count);
  int result = find_graph(&graph, error);
  place_counts_close(&graph.counts);
  code_names_close(&graph.names);
  call_places_free(&graph.places);
  text_symbols_free(&graph.text);
  free(graph.functions);
  free(graph.taken);
  free(graph.outside);
  free(graph.inlined);
  free(graph.pointed);
  symbols_free(symbols);
  return result;
}
