#include "attribution/heap_sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/base_name.h"
#include "base/begins.h"
#include "base/memory.h"
#include "profile/builder.h"

static bool is_of_library(const struct profile_object *object) {
  static const char *const names[] = {
      "libc.so",      "libc-",      "ld-linux",       "libstdc++.so", "libc++.so",
      "libc++abi.so", "libasan.so", "libjemalloc.so", "libtcmalloc",  "libmimalloc.so"};
  return BEGINS_WITH_ANY(base_name(object->path), names);
}

/* Of namespace std, wherever it was compiled, and operators new. */
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

/* By function: whether a call in it is not the site that the programmer wrote. */
static bool *passed_over(const struct profile *profile, const bool *wrapper) {
  bool *passed = memory_zeroed(profile->function_count, sizeof *passed);
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct profile_function *function = &profile->functions[i];
    bool library =
        function->object != NOTHING && is_of_library(&profile->objects[function->object]);
    passed[i] =
        library || is_of_cxx(function) || is_inlined_libc(function) || (wrapper && wrapper[i]);
  }
  return passed;
}

/* Where nothing else was on the stack it is the innermost line all the same. */
static uint32_t site_of(const struct profile *profile, const struct profile_tick *tick,
                        const bool *passed) {
  if (!passed[profile->lines[tick->line].function]) return tick->line;
  for (uint32_t at = tick->stack; at != NOTHING; at = profile->stacks[at].parent) {
    uint32_t line = profile->stacks[at].line;
    if (line != NOTHING && !passed[profile->lines[line].function]) return line;
  }
  return tick->line;
}

uint32_t heap_metric_of(const struct profile *profile, enum heap_metric metric) {
  for (size_t i = 0; i < profile->metric_count; i++)
    if (profile->metrics[i].kind == METRIC_HEAP &&
        strcmp(profile->metrics[i].name, heap_metric_name(metric)) == 0)
      return (uint32_t)i;
  return NOTHING;
}

struct site_list {
  struct heap_site *sites;
  size_t count;
  struct map by_line;
};

static struct heap_site *site_at(struct site_list *list, uint32_t line) {
  uint32_t id = map_find_or_add(&list->by_line, line, 0, (uint32_t)list->count);
  if (id == list->count) {
    ARRAY_GROW(list->sites, list->count);
    list->sites[list->count++] = (struct heap_site){.line = line};
  }
  return &list->sites[id];
}

struct heap_site *heap_sites_make(const struct profile *profile, const struct selection *selection,
                                  size_t *count) {
  struct site_list list = {0};
  *count = 0;
  if (heap_metric_of(profile, HEAP_ALLOCATIONS) == NOTHING) return NULL;
  bool *passed = passed_over(profile, selection ? selection->wrappers : NULL),
       *selected = costs_select(profile, selection);
  for (int kind = 0; kind < HEAP_METRIC_COUNT; kind++) {
    uint32_t id = heap_metric_of(profile, kind);
    if (id == NOTHING) continue;
    const struct profile_metric *metric = &profile->metrics[id];
    for (size_t i = 0; i < metric->tick_count; i++) {
      const struct profile_tick *tick = &metric->ticks[i];
      if (!selected[tick->context]) continue;
      struct amount *cost = &site_at(&list, site_of(profile, tick, passed))->cost[kind];
      *cost = amount_sum(*cost, tick->amount);
    }
  }
  free(passed);
  free(selected);
  map_free(&list.by_line);
  *count = list.count;
  return list.sites;
}

struct estimate heap_estimate(const struct profile *profile, enum heap_metric metric) {
  uint32_t id = heap_metric_of(profile, metric);
  if (id == NOTHING) return (struct estimate){.uncertainty_ns = UNCERTAINTY_UNKNOWN};
  struct profile view = metric_view(profile, id);
  struct books books;
  books_make(&view, &books);
  return books_estimate(&books, books.all);
}

struct profile_heap heap_sums(const struct profile *profile, size_t *processes) {
  struct profile_heap sums = {.mean = heap_mean(profile)};
  *processes = 0;
  for (size_t i = 0; i < profile->process_count; i++) {
    const struct profile_heap *heap = &profile->processes[i].heap;
    if (!heap->recorded) continue;
    ++*processes;
    sums.recorded = true;
    sums.allocations += heap->allocations;
    sums.allocated += heap->allocated;
    sums.frees += heap->frees;
    sums.freed += heap->freed;
    sums.unknown_frees += heap->unknown_frees;
    sums.early_frees += heap->early_frees;
    sums.dropped += heap->dropped;
    sums.stackless += heap->stackless;
    sums.peak += heap->peak;
    sums.peak_within += heap->peak_within;
    if (!sums.peak_ns) sums.peak_ns = heap->peak_ns;
  }
  return sums;
}
