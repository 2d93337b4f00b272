#include "attribution/allocation_place.h"

#include <string.h>

#include "base/base_name.h"
#include "base/begins.h"
#include "base/memory.h"
#include "recording/history.h"

static bool is_of_library(const struct profile_object *object) {
  static const char *const names[] = {
      "libc.so",      "libc-",      "ld-linux",       "libstdc++.so", "libc++.so",
      "libc++abi.so", "libasan.so", "libjemalloc.so", "libtcmalloc",  "libmimalloc.so"};
  return BEGINS_WITH_ANY(base_name(object->path), names);
}

/* Whether it is operator new or of namespace std: templates are compiled into the program, too. */
static bool is_of_cxx(const struct profile_function *function) {
  static const char *const mangled[] = {"_ZNSt",         "_ZNKSt",        "_ZSt", "_ZNSa",
                                        "_ZNSs",         "_ZNKSs",        "_Znw", "_Zna",
                                        "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx"};
  static const char *const names[] = {"std::", "operator new", "__gnu_cxx::"};
  if (function->linkage && begins(function->linkage, "_Z"))
    return BEGINS_WITH_ANY(function->linkage, mangled);
  return BEGINS_WITH_ANY(function->name, names);
}

/* glibc's headers have functions of their own names, which call the library's. */
static bool is_inlined_libc(const struct profile_function *function) {
  return function->file && begins(function->file, "/usr/include/") &&
         strstr(function->file, "/bits/");
}

/* A linker's --wrap gives it the calls of malloc and its relatives: `ascribe cc --heap` does so. */
static bool is_wrapped(const struct profile_function *function) {
  static const char *const names[] = {
      "__wrap_malloc", "__wrap_calloc",  "__wrap_realloc",       "__wrap_memalign",
      "__wrap_valloc", "__wrap_pvalloc", "__wrap_aligned_alloc", "__wrap_posix_memalign",
      "__wrap_mmap",   "__wrap_mremap",  "__wrap_brk",           "__wrap_sbrk"};
  return BEGINS_WITH_ANY(function->name, names);
}

bool allocation_passes_over(const struct profile *profile, uint32_t id) {
  const struct profile_function *function = &profile->functions[id];
  bool library = function->object != NOTHING && is_of_library(&profile->objects[function->object]);
  return library || is_of_cxx(function) || is_inlined_libc(function) || is_wrapped(function);
}

bool *allocation_passes(const struct profile *profile, const struct selection *selection) {
  const bool *wrappers = selection ? selection->wrappers : NULL;
  bool *passed = memory_zeroed(profile->function_count, sizeof *passed);
  for (size_t i = 0; i < profile->function_count; i++)
    passed[i] = allocation_passes_over(profile, (uint32_t)i) || (wrappers && wrappers[i]);
  return passed;
}

static bool is_passed(const struct profile *profile, uint32_t line, const bool *passed) {
  return profile->lines[line].function != NOTHING && passed[profile->lines[line].function];
}

struct profile_tick allocation_place(const struct profile *profile, const struct profile_tick *tick,
                                     const bool *passed) {
  struct profile_tick place = *tick;
  if (!is_passed(profile, tick->line, passed)) return place;
  for (uint32_t at = tick->stack; at != NOTHING; at = profile->stacks[at].parent) {
    uint32_t line = profile_stack_line(profile, at);
    if (line == NOTHING || is_passed(profile, line, passed)) continue;
    place.line = line;
    place.stack = profile->stacks[at].parent;
    break;
  }
  return place;
}

struct profile_context allocation_context(struct profile_context context, const bool *passed) {
  uint32_t length = context.length;
  while (length && passed[history_function(context.history[length - 1])])
    length--;
  if (length) context.length = length;
  return context;
}

struct profile_tick *allocation_places(const struct profile *profile, const bool *passed) {
  const struct profile_metric *metric = profile_metric(profile);
  struct profile_tick *ticks = memory_zeroed(metric->tick_count + 1, sizeof *ticks);
  for (size_t i = 0; i < metric->tick_count; i++)
    ticks[i] = allocation_place(profile, &metric->ticks[i], passed);
  return ticks;
}
