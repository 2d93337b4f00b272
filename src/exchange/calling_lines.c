#include "exchange/calling_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "recording/history.h"

/* The line of a function in the stack that is being looked at. */
struct seen {
  size_t stack; /* its number, from 1; else what stands here is of another stack */
  struct source_line line;
  bool several;
};

struct call_lines {
  const struct profile *profile;
  struct map arcs; /* caller, callee -> index in `lines` */
  struct source_line *lines;
  size_t count;
  struct seen *seen; /* by function */
  size_t stacks;
};

static bool same_line(struct source_line a, struct source_line b) {
  bool same_file = a.file == b.file || (a.file && b.file && strcmp(a.file, b.file) == 0);
  return a.line == b.line && same_file;
}

/* Where code without hooks called back, the line is of that code, not of the caller. */
struct source_line call_lines_of_site(const struct profile_site *site) {
  bool called_back = site->within != site->caller && site->expansion == NOTHING;
  if (called_back || !site->line) return (struct source_line){0};
  return (struct source_line){site->file, site->line};
}

static void add_site(struct call_lines *calls, const struct profile_site *site) {
  struct source_line line = call_lines_of_site(site);
  uint64_t arc = (uint64_t)site->caller << 32 | site->callee;
  uint32_t id = map_find_or_add(&calls->arcs, arc, 0, calls->count);
  if (id == calls->count) {
    ARRAY_GROW(calls->lines, calls->count);
    calls->lines[calls->count++] = line;
  } else if (!same_line(calls->lines[id], line)) {
    calls->lines[id] = (struct source_line){0};
  }
}

struct call_lines *call_lines_open(const struct profile *profile) {
  struct call_lines *calls = memory_zeroed(1, sizeof *calls);
  calls->profile = profile;
  calls->seen = memory_zeroed(profile->function_count, sizeof *calls->seen);
  for (size_t i = 0; i < profile->site_count; i++)
    add_site(calls, &profile->sites[i]);
  return calls;
}

void call_lines_close(struct call_lines *calls) {
  map_free(&calls->arcs);
  free(calls->lines);
  free(calls->seen);
  free(calls);
}

struct source_line call_lines_of_arc(const struct call_lines *calls, uint32_t caller,
                                     uint32_t callee) {
  uint32_t id = map_find(&calls->arcs, (uint64_t)caller << 32 | callee, 0);
  return id == UINT32_MAX ? (struct source_line){0} : calls->lines[id];
}

struct source_line call_lines_of_profile(const struct profile *profile, uint32_t id) {
  const struct profile_line *line = &profile->lines[id];
  return line->line ? (struct source_line){line->file, line->line} : (struct source_line){0};
}

static void see_stack(struct call_lines *calls, uint32_t stack) {
  const struct profile *profile = calls->profile;
  calls->stacks++;
  for (; stack != NOTHING; stack = profile->stacks[stack].parent) {
    uint32_t id = profile_stack_line(profile, stack);
    if (id == NOTHING) continue;
    struct source_line line = call_lines_of_profile(profile, id);
    struct seen *seen = &calls->seen[profile->lines[id].function];
    if (seen->stack != calls->stacks)
      *seen = (struct seen){.stack = calls->stacks, .line = line};
    else if (!same_line(seen->line, line))
      seen->several = true;
  }
}

void call_lines_of(struct call_lines *calls, const struct export_sample *sample,
                   struct source_line *lines) {
  const struct profile_context *context = &calls->profile->contexts[sample->context];
  uint32_t last = context->length - 1;
  see_stack(calls, sample->stack);
  for (uint32_t i = 0; i < last; i++) {
    uint32_t caller = history_function(context->history[i]);
    const struct seen *seen = &calls->seen[caller];
    if (seen->stack == calls->stacks && !seen->several)
      lines[i] = seen->line;
    else
      lines[i] = call_lines_of_arc(calls, caller, history_function(context->history[i + 1]));
  }
  lines[last] = sample->line == NOTHING ? (struct source_line){0}
                                        : call_lines_of_profile(calls->profile, sample->line);
}
