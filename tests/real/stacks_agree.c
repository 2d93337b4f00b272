/* Two witnesses of one run: the context that hooks kept when a tick fell, and the stack that the
 * tick found.  stacks_agree RECORDING-DIRECTORY: compares them tick by tick, after the stack was
 * projected onto functions with hooks, and prints how many
 *
 *   agree     the histories are equal
 *   outside   the tick fell into a function before its hook had run or after it had put the
 *             caller's context back, or it calls nothing, so that its hook only counts: the
 *             program counter tells, and a tick without a stack is charged by it too
 *   around    the tick fell into the caller next to a call, while the hooks had the callee's
 * context cut       the stack did not reach its outermost frame differ    anything else
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/fold.h"
#include "base/map.h"
#include "base/pool.h"
#include "recording/history.h"
#include "recording/reader.h"
#include "symbols/symbols.h"

enum { MOST_FRAMES = 4096, SHOWN = 5 };

static struct pool *names;
static struct symbols *symbols;
static struct map hooked; /* names of functions with hooks */
static struct map ids;    /* name -> id, for histories */
static uint32_t id_count;

static const char *name_at(const struct process_recording *process, uint64_t address,
                           uint64_t event) {
  struct symbol symbol;
  uint32_t object = recording_object_at(process, address, event);
  if (object == NOTHING) return NULL;
  const struct object_entry *entry = &process->objects[object];
  struct symbol_file *file =
      symbols_file(symbols, entry->path, entry->build_id, entry->build_id_bytes);
  uint64_t place = symbol_file_address(file, address - entry->start + entry->offset);
  if (!place || symbol_file_function(file, place, &symbol)) return NULL;
  return pool_string(names, symbol.name);
}

static uint32_t id_of(const char *name) {
  uint32_t id = map_find_or_add(&ids, (uintptr_t)name, 0, id_count);
  if (id == id_count) id_count++;
  return id;
}

/* The functions with hooks of a stack and the place of its tick. Returns their number; *cut. */
static uint32_t project(const struct process_recording *process, const struct tick_entry *tick,
                        uint32_t *history, bool *cut) {
  uint32_t length = 0;
  *cut = false;
  const struct context_entry none = {0};
  const struct context_entry *stack =
      tick->stack == NOTHING ? &none : &process->contexts[tick->stack];
  for (uint32_t i = 0; i <= stack->length && length < MOST_FRAMES; i++) {
    const char *name;
    if (i < stack->length) {
      const struct function_entry *entry = &process->functions[history_function(stack->history[i])];
      *cut |= entry->kind == ENTRY_CUT;
      name = name_at(process, entry->address - 1, entry->epoch);
    } else {
      name = name_at(process, tick->pc, UINT64_MAX);
    }
    if (name && map_find(&hooked, (uintptr_t)name, 0) != NOTHING)
      history[length++] = history_entry(id_of(name), true);
  }
  return history_fold(history, length);
}

static uint32_t kept_by_hooks(const struct process_recording *process,
                              const struct tick_entry *tick, uint32_t *history) {
  const struct context_entry *context = &process->contexts[tick->context];
  uint32_t length = context->length < MOST_FRAMES ? context->length : MOST_FRAMES;
  for (uint32_t i = 0; i < length; i++) {
    const struct function_entry *entry = &process->functions[history_function(context->history[i])];
    const char *name = name_at(process, entry->address, entry->epoch);
    history[i] = history_entry(name ? id_of(name) : id_of("?"), true);
  }
  return history_fold(history, length);
}

static bool equal(const uint32_t *a, uint32_t length_a, const uint32_t *b, uint32_t length_b) {
  return length_a == length_b && (!length_a || !memcmp(a, b, length_a * sizeof *a));
}

/* `longer` is `shorter` after one more call. */
static bool one_call_apart(const uint32_t *shorter, uint32_t length, const uint32_t *longer,
                           uint32_t length_longer) {
  static uint32_t stepped[MOST_FRAMES + 2];
  if (!length_longer) return false;
  uint32_t function = history_function(longer[length_longer - 1]);
  uint32_t n = history_step(shorter, length, function, stepped);
  return equal(stepped, n, longer, length_longer);
}

static const char *name_of(uint32_t id) {
  for (size_t i = 0; i < ids.room; i++)
    if (ids.entries[i].used && ids.entries[i].value == id)
      return (const char *)(uintptr_t)ids.entries[i].first;
  return "?";
}

static void show(const char *what, const uint32_t *history, uint32_t length) {
  printf("  %s:", what);
  for (uint32_t i = 0; i < length; i++)
    printf(" %s%s", name_of(history_function(history[i])), history_marked(history[i]) ? "" : "'");
  putchar('\n');
}

struct verdicts {
  uint64_t agree, outside, around, cut, differ;
};

static void judge(const struct process_recording *process, const struct tick_entry *tick,
                  struct verdicts *verdicts) {
  static uint32_t seen[MOST_FRAMES + 2], kept[MOST_FRAMES + 2];
  bool cut;
  uint32_t seen_length = project(process, tick, seen, &cut);
  uint32_t kept_length = kept_by_hooks(process, tick, kept);
  if (cut) {
    verdicts->cut += tick->ticks;
  } else if (equal(seen, seen_length, kept, kept_length)) {
    verdicts->agree += tick->ticks;
  } else if (one_call_apart(kept, kept_length, seen, seen_length)) {
    verdicts->outside += tick->ticks;
  } else if (one_call_apart(seen, seen_length, kept, kept_length)) {
    verdicts->around += tick->ticks;
  } else {
    if (verdicts->differ < SHOWN) {
      show("stack", seen, seen_length);
      show("hooks", kept, kept_length);
    }
    verdicts->differ += tick->ticks;
  }
}

static void find_hooked(const struct process_recording *process) {
  for (size_t i = 0; i < process->context_count; i++) {
    const struct context_entry *context = &process->contexts[i];
    if (context->flags & CONTEXT_STACK || !context->length) continue;
    const struct function_entry *entry =
        &process->functions[history_function(context->history[context->length - 1])];
    const char *name = name_at(process, entry->address, entry->epoch);
    if (name) map_find_or_add(&hooked, (uintptr_t)name, 0, 0);
  }
}

int main(int count, char **arguments) {
  struct recording *recording;
  struct error error;
  struct verdicts verdicts = {0};
  if (count != 2 || recording_open(arguments[1], &recording, NULL, &error)) {
    fprintf(stderr, "stacks_agree: %s\n", count == 2 ? error.text : "want one directory");
    return 2;
  }
  symbols = symbols_create();
  names = pool_create();
  for (size_t i = 0; i < recording->process_count; i++)
    find_hooked(&recording->processes[i]);
  for (size_t i = 0; i < recording->process_count; i++)
    for (size_t k = 0; k < recording->processes[i].tick_count; k++)
      judge(&recording->processes[i], &recording->processes[i].ticks[k], &verdicts);
  printf("%llu agree, %llu outside, %llu around, %llu cut, %llu differ\n",
         (unsigned long long)verdicts.agree, (unsigned long long)verdicts.outside,
         (unsigned long long)verdicts.around, (unsigned long long)verdicts.cut,
         (unsigned long long)verdicts.differ);
  return 0;
}
