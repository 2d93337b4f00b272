#include "instrument/wrapper/wrapper.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "instrument/wrapper/compiler_probe.h"
#include "instrument/wrapper/support_files.h"
#include "instrument/wrapper/version_script.h"
#include "instrument/wrapper/wrapper_request.h"

/* Instrumented shared libraries take these symbols from the executable: it exports them even if
 * no library is linked with it, and a library does not bind to its own inert ones (-Bsymbolic). */
#define EXPORT ",--export-dynamic-symbol="
#define SHARED_SYMBOLS                                                                             \
  "-Wl" EXPORT "ascribe.row" EXPORT "ascribe.frames" EXPORT "ascribe_inert_row" EXPORT             \
  "ascribe_inert_gate" EXPORT "ascribe_counts_loaded" EXPORT "ascribe_row_enter" EXPORT            \
  "ascribe_row_call" EXPORT "ascribe_row_call_pointer" EXPORT "ascribe_row_jump" EXPORT            \
  "ascribe_row_jump_pointer" EXPORT "ascribe_enter" EXPORT "ascribe_frames_grow" EXPORT            \
  "ascribe_object_loaded" EXPORT "ascribe_read_clock" EXPORT "ascribe_scopes_loaded" EXPORT        \
  "ascribe_host_loaded" EXPORT "__cyg_profile_func_enter" EXPORT "__cyg_profile_func_exit" EXPORT  \
  "ascribe_runtime_linked" EXPORT "ascribe_allocator" EXPORT "ascribe_messages"

/* The same for a version script. */
#define SHARED_NAMES                                                                               \
  "ascribe.row; ascribe.frames; ascribe_inert_row; ascribe_inert_gate; ascribe_row_enter; "        \
  "ascribe_row_call; ascribe_row_call_pointer; ascribe_row_jump; ascribe_row_jump_pointer; "       \
  "ascribe_enter; ascribe_frames_grow; "                                                           \
  "ascribe_object_loaded; ascribe_read_clock; ascribe_counts_loaded; ascribe_scopes_loaded; "      \
  "ascribe_host_loaded;"

/* Where static programs begin, unless the user says where: then ifunc resolvers may have hooks. */
#define STATIC_START "-Wl,--entry=ascribe_static_start"

/* And how they make threads: by the runtime. */
#define STATIC_THREADS                                                                             \
  "-Wl,--wrap=pthread_create,--wrap=thrd_create,--undefined=pthread_create,--undefined=thrd_"      \
  "create"

/* How calls of malloc come to the object of --heap. */
#define HEAP_CALLS                                                                                 \
  "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=free,--wrap="         \
  "memalign,--wrap=aligned_alloc,--wrap=posix_memalign,--wrap=valloc,--wrap=pvalloc,--wrap=mmap,-" \
  "-wrap=mmap64,--wrap=munmap,--wrap=mremap,--wrap=brk,--wrap=sbrk"

/* Called hooks know a frame by its frame pointer. */
#define KEEP_FRAME_POINTER "-fno-omit-frame-pointer"
#define AFTER_INLINING "-finstrument-functions-after-inlining"

/* The command as the user gave it is all there is to run. */
static bool is_left_alone(const struct wrapper_request *request, struct wrapper_plan *plan) {
  const struct command_line *line = &request->line;
  const char *reason = NULL;
  if (!line->has_input)
    reason = "no input: only a question to the compiler";
  else if (line->preprocess_only)
    reason = "preprocessing only";
  else if (line->foreign_machine)
    reason = "-m32, -mx32 or -m16: the hooks are for 64-bit code";
  else if (line->freestanding)
    reason = "-ffreestanding: there may be no thread-local storage";
  else if (line->no_start_files && line->static_program && line->links)
    reason = "-nostdlib or -nostartfiles with -static: there is no thread-local storage";
  else if (!line->has_source && !line->links)
    reason = "nothing to compile and nothing to link";
  if (!reason) return false;
  snprintf(plan->hooks_reason, sizeof(plan->hooks_reason), "%s", reason);
  snprintf(plan->runtime_reason, sizeof(plan->runtime_reason), "%s", reason);
  plan->is_second_best = line->foreign_machine;
  return true;
}

#define PLUGIN_ARGUMENT "-fplugin-arg-%s-"

static void add_plugin(const struct wrapper_request *request, struct words *command,
                       const char *plugin, const char *path) {
  words_add_format(command, "-fplugin=%s", path);
  if (!wrapper_request_contexts(request))
    words_add_format(command, PLUGIN_ARGUMENT "way=counts", plugin);
  if (request->without_gs) words_add_format(command, PLUGIN_ARGUMENT "without-gs", plugin);
  if (request->expressions && !wrapper_request_contexts(request)) {
    words_add_format(command, PLUGIN_ARGUMENT "expressions", plugin);
    /* Else GCC makes one test of `a || b` as it parses, and `b` would be executed with `a`. */
    words_add(command, "--param=logical-op-non-short-circuit=0");
  }
  for (int i = 0; i < WRAPPER_CHOICES; i++)
    if (request->chosen[i])
      words_add_format(command, PLUGIN_ARGUMENT "%s=%s", plugin, wrapper_choices[i].key,
                       request->chosen[i]);
}

static void note(struct wrapper_plan *plan, const char *text) {
  size_t length = strlen(plan->hooks_reason);
  snprintf(plan->hooks_reason + length, sizeof(plan->hooks_reason) - length, "%s", text);
}

/* Patterns that stock -finstrument-functions understands are substrings, not globs. */
static void note_unused_choices(const struct wrapper_request *request, struct wrapper_plan *plan) {
  if (request->expressions) note(plan, "; --expressions needs the plugin and is ignored");
  size_t length = strlen(plan->hooks_reason);
  for (int i = 0; i < WRAPPER_CHOICES; i++) {
    if (!request->chosen[i]) continue;
    snprintf(plan->hooks_reason + length, sizeof(plan->hooks_reason) - length,
             "; %s (%s) needs the plugin and is ignored", wrapper_choices[i].option,
             wrapper_choices[i].variable);
    return;
  }
}

static void plan_stock_gcc(const struct wrapper_request *request, const struct compiler *compiler,
                           const char *because, struct wrapper_plan *plan) {
  char hooks[PATH_MAX];
  bool fortran = strcmp(request->language, "fc") == 0;
  words_add(&plan->command, "-finstrument-functions");
  plan->is_second_best = true;
  if (!fortran && support_file_find(SUPPORT_HOOKS, hooks, sizeof(hooks)) == 0) {
    plan->hooks = WRAPPER_HEADER;
    words_add(&plan->command, "-include");
    words_add(&plan->command, hooks);
  } else {
    plan->hooks = WRAPPER_CALLED;
    words_add(&plan->command, KEEP_FRAME_POINTER);
  }
  snprintf(plan->hooks_reason, sizeof(plan->hooks_reason), "%s (%s)", because, compiler->version);
  note_unused_choices(request, plan);
}

static void plan_called_hooks(const struct wrapper_request *request,
                              const struct compiler *compiler, const char *because,
                              struct wrapper_plan *plan) {
  plan->hooks = WRAPPER_CALLED;
  plan->is_second_best = true;
  words_add(&plan->command, AFTER_INLINING);
  words_add(&plan->command, KEEP_FRAME_POINTER);
  char hooks[PATH_MAX];
  if (support_file_find(SUPPORT_CALLED_HOOKS, hooks, sizeof(hooks)) == 0) {
    words_add(&plan->command, "-include");
    words_add(&plan->command, hooks);
  }
  snprintf(plan->hooks_reason, sizeof(plan->hooks_reason), "%s (%s)", because, compiler->version);
  note_unused_choices(request, plan);
}

/* The plugin knows a function that may have counters by the hooks that clang would call there; and
 * lines by debug information, which it removes again if nobody else asked for it. */
static void add_pass(const struct wrapper_request *request, struct words *command,
                     const char *path) {
  words_add(command, "--start-no-unused-arguments");
  words_add_format(command, "-fpass-plugin=%s", path);
  words_add(command, AFTER_INLINING);
  if (!request->line.debug) {
    static const char *const lines[] = {"-gline-tables-only",
                                        "-fdebug-info-for-profiling",
                                        "-Xclang",
                                        "-dwarf-debug-flags",
                                        "-Xclang",
                                        "ascribe-lines"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
      words_add(command, lines[i]);
  }
  struct words options = {0};
  if (request->without_gs) words_add(&options, "-ascribe-without-gs");
  for (int i = 0; i < WRAPPER_CHOICES; i++)
    if (request->chosen[i] && wrapper_choices[i].in_pass)
      words_add_format(&options, "-ascribe-%s=%s", wrapper_choices[i].key, request->chosen[i]);
  /* clang knows a plugin's options only once it is loaded: as one of its front end, too. */
  if (options.count) {
    words_add(command, "-Xclang");
    words_add(command, "-load");
    words_add(command, "-Xclang");
    words_add(command, path);
  }
  for (size_t i = 0; i < options.count; i++) {
    words_add(command, "-mllvm");
    words_add(command, options.items[i]);
  }
  words_free(&options);
  words_add(command, "--end-no-unused-arguments");
}

static void plan_pass(const struct wrapper_request *request, const struct compiler *compiler,
                      const char *path, struct wrapper_plan *plan) {
  plan->hooks = WRAPPER_PASS;
  if (request->line.has_source) add_pass(request, &plan->command, path);
  snprintf(plan->hooks_reason, sizeof(plan->hooks_reason), "the plugin fits this compiler (%s)",
           compiler->version);
  plan->is_second_best = request->expressions;
  if (request->expressions) note(plan, "; --expressions needs gcc and is ignored");
}

static void plan_clang(const struct wrapper_request *request, const struct compiler *compiler,
                       struct wrapper_plan *plan) {
  char file[64], path[PATH_MAX];
  snprintf(file, sizeof(file), "%s.so", compiler->plugin ? compiler->plugin : "");
  const char *because = NULL;
  if (wrapper_request_contexts(request))
    because = "contexts at the cost of the plugin need gcc";
  else if (request->line.link_time)
    because = "the plugin for clang does not work with -flto";
  else if (request->line.intercepts)
    because = "clang's sanitizers make threads that counters cannot tell apart";
  else if (!compiler->plugin)
    because = "Ascribe was built without a plugin for this clang";
  else if (support_file_find(file, path, sizeof(path)) != 0)
    because = "the plugin for this clang is not installed";
  if (because)
    plan_called_hooks(request, compiler, because, plan);
  else
    plan_pass(request, compiler, path, plan);
}

static void plan_plugin(const struct wrapper_request *request, const struct compiler *compiler,
                        const char *path, struct wrapper_plan *plan) {
  plan->hooks = wrapper_request_contexts(request) ? WRAPPER_PLUGIN : WRAPPER_COUNTERS;
  plan->expressions = request->expressions && plan->hooks == WRAPPER_COUNTERS;
  add_plugin(request, &plan->command, compiler->plugin, path);
  snprintf(plan->hooks_reason, sizeof(plan->hooks_reason), "the plugin fits this compiler (%s)",
           compiler->version);
  if (request->expressions && plan->hooks == WRAPPER_PLUGIN)
    note(plan, "; --expressions needs counters (--counts) and is ignored");
}

static void plan_gcc(const struct wrapper_request *request, const struct compiler *compiler,
                     struct wrapper_plan *plan) {
  char file[64], path[PATH_MAX];
  snprintf(file, sizeof(file), "%s.so", compiler->plugin ? compiler->plugin : "");
  if (!compiler->plugin)
    plan_stock_gcc(request, compiler, "Ascribe was built without a plugin for this gcc", plan);
  else if (support_file_find(file, path, sizeof(path)) != 0)
    plan_stock_gcc(request, compiler, "the plugin for this gcc is not installed", plan);
  else
    plan_plugin(request, compiler, path, plan);
}

static void plan_hooks(const struct wrapper_request *request, const struct compiler *compiler,
                       struct wrapper_plan *plan) {
  switch (compiler->kind) {
  case COMPILER_GCC:
    plan_gcc(request, compiler, plan);
    return;
  case COMPILER_CLANG:
    plan_clang(request, compiler, plan);
    return;
  case COMPILER_UNKNOWN:
    plan->is_second_best = true;
    snprintf(plan->hooks_reason, sizeof(plan->hooks_reason),
             "this compiler is neither gcc nor clang: nothing is instrumented");
  }
}

/* The runtime goes into executables; shared libraries use the executable's. */
static const char *why_no_runtime(const struct command_line *line) {
  if (!line->links) return "nothing is linked";
  if (line->version_script)
    return "a shared library uses the runtime of the executable; if its version script makes "
           "ascribe_* local, it is not recorded";
  if (line->shared) return "a shared library uses the runtime of the executable";
  if (line->relocatable) return "-r: the runtime is linked when the executable is";
  if (line->no_start_files) return "-nostdlib or -nostartfiles: the hooks stay inert";
  return NULL;
}

static int add_support(const char *name, struct words *command, struct error *error) {
  char path[PATH_MAX];
  if (support_file_find(name, path, sizeof(path)) != 0)
    return error_set(error,
                     "%s is not found; reinstall Ascribe, or set ASCRIBE_SUPPORT_DIR to "
                     "the directory that holds it",
                     name);
  words_add(command, path);
  return 0;
}

static int plan_runtime(const struct wrapper_request *request, struct wrapper_plan *plan,
                        struct error *error) {
  const char *reason = why_no_runtime(&request->line);
  snprintf(plan->runtime_reason, sizeof(plan->runtime_reason), "%s",
           reason ? reason : "an executable is linked");
  if (reason) return 0;
  const char *name = request->line.static_program ? SUPPORT_RUNTIME_STATIC : SUPPORT_RUNTIME;
  /* Before the user's words: a -x among them would make the object a source file. */
  if (add_support(name, &plan->command, error) != 0) return -1;
  plan->runtime = true;
  if (request->heap) {
    if (add_support(SUPPORT_HEAP_LINKED, &plan->command, error) != 0) return -1;
    words_add(&plan->command, HEAP_CALLS);
  }
  if (request->line.static_program) {
    words_add(&plan->command, STATIC_START);
    words_add(&plan->command, STATIC_THREADS);
  }
  return 0;
}

/* No library can look into a static program, and in a static PIE an exported thread-local would be
 * relocated before there is thread-local storage. */
static void plan_shared_symbols(struct wrapper_request *request, struct wrapper_plan *plan) {
  const struct command_line *line = &request->line;
  if (!(line->shared ? line->links : plan->runtime && !line->static_program)) return;
  words_add(&plan->command, SHARED_SYMBOLS);
  if (version_script_replace(&request->real, SHARED_NAMES) && line->shared)
    snprintf(plan->runtime_reason, sizeof(plan->runtime_reason),
             "a shared library uses the runtime of the executable; its version script is read with "
             "the names of the hooks added");
}

/* Where <ascribe/ascribe.h> is, behind all directories of the user's and the compiler's. */
static void plan_include(const struct wrapper_request *request, struct wrapper_plan *plan) {
  char directory[PATH_MAX];
  if (!request->line.has_source || strcmp(request->language, "fc") == 0) return;
  if (support_include_find(directory, sizeof(directory)) != 0) return;
  words_add(&plan->command, "-idirafter");
  words_add(&plan->command, directory);
}

static int plan_for_request(struct wrapper_request *request, struct wrapper_plan *plan,
                            struct error *error) {
  struct compiler compiler = {.kind = COMPILER_UNKNOWN};
  for (size_t i = 0; i < request->compiler.count; i++)
    words_add(&plan->command, request->compiler.items[i]);
  bool alone = is_left_alone(request, plan), asks = !alone || request->line.preprocess_only;
  if (asks && compiler_probe(&request->compiler, &compiler, error) != 0 && !alone) return -1;
  if (compiler.kind != COMPILER_UNKNOWN) plan_include(request, plan);
  if (!alone) {
    plan_hooks(request, &compiler, plan);
    if (plan_runtime(request, plan, error) != 0) return -1;
    plan_shared_symbols(request, plan);
  }
  for (size_t i = 0; i < request->real.count; i++)
    words_add(&plan->command, request->real.items[i]);
  return 0;
}

int wrapper_plan_make(int count, char *const *arguments, const struct option *known,
                      struct wrapper_plan *plan, struct error *error) {
  struct wrapper_request request;
  *plan = (struct wrapper_plan){0};
  int result = wrapper_request_read(count, arguments, known, &request, error);
  plan->explain = request.explain;
  plan->compiler_from = request.compiler_from;
  if (result == 0) result = plan_for_request(&request, plan, error);
  wrapper_request_free(&request);
  return result;
}

void wrapper_plan_free(struct wrapper_plan *plan) {
  words_free(&plan->command);
}

const char *wrapper_plan_counts(const struct wrapper_plan *plan) {
  if (plan->expressions)
    return "calls and executions of the source, before it is optimized, of each function, call "
           "site and line (inlined calls count too); times come from sampled stacks";
  switch (plan->hooks) {
  case WRAPPER_COUNTERS:
  case WRAPPER_PASS:
    return "calls of the optimized program, of each function and at each call site (inlined calls "
           "are part of their caller); times come from sampled stacks";
  case WRAPPER_PLUGIN:
    return "calls of the optimized program, in every context (inlined calls are part of their "
           "caller)";
  case WRAPPER_HEADER:
    return "calls as the source has them, in every context (inlined calls count too)";
  case WRAPPER_CALLED:
    return "calls that reach the hooks, in every context, at a higher cost";
  case WRAPPER_NO_HOOKS:
    break;
  }
  return "nothing";
}
