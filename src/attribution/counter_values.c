#include "attribution/counter_values.h"

#include <stdlib.h>

#include "attribution/pool.h"

static uint64_t counter(const struct counted_code *code, uint32_t number,
                        const struct counter_memory *memory) {
  if (code->counters < memory->start) return 0;
  uint64_t index = (code->counters - memory->start) / sizeof(uint64_t) + number;
  return index < memory->count ? memory->counts[index] : 0;
}

uint64_t counter_passes(const struct counted_code *code, const struct unit_point *point,
                        uint64_t entries, const struct counter_memory *memory) {
  return point->counter == NO_COUNTER ? entries : counter(code, point->counter, memory);
}

bool counter_callee(const struct counted_code *code, const struct unit_point *point,
                    const struct counter_memory *memory, uint64_t *address, uint64_t *calls) {
  if (point->kind != POINT_INDIRECT || point->counter == NO_COUNTER) return false;
  *address = counter(code, point->counter, memory);
  *calls = counter(code, point->counter + 1, memory);
  return *address && *calls;
}

static const struct unit_point *entry_of(const struct counted_code *code) {
  for (uint32_t i = 0; i < code->point_count; i++)
    if (code->points[i].kind == POINT_ENTRY) return &code->points[i];
  return NULL;
}

static bool has_counter(const struct counted_code *code) {
  const struct unit_point *entry = entry_of(code);
  return !entry || entry->counter != NO_COUNTER;
}

/* The function of the same unit at an address. */
static size_t callee_of(const struct counted_code *code, size_t count,
                        const struct counted_code *caller, const struct unit_point *point) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    const struct counted_code *at = &code[middle];
    if (at->address < point->callee ||
        (at->address == point->callee && at->counters < caller->counters))
      low = middle + 1;
    else
      high = middle;
  }
  bool found =
      low < count && code[low].address == point->callee && code[low].counters == caller->counters;
  return found ? low : SIZE_MAX;
}

/* Functions whose entries are known tell of those that they call. */
struct telling {
  const struct counted_code *code;
  size_t count;
  uint64_t *entries;
  uint32_t *missing; /* by function: calls of it that are not known yet */
  size_t *known;     /* functions to be told from */
  size_t known_count;
};

/* Hands `take` each call of `from` that counts a function's entries. */
static void for_each_call(struct telling *telling, size_t from, const struct counter_memory *memory,
                          void (*take)(struct telling *telling, size_t from, size_t to,
                                       const struct unit_point *point,
                                       const struct counter_memory *memory)) {
  const struct counted_code *caller = &telling->code[from];
  for (uint32_t i = 0; i < caller->point_count; i++) {
    const struct unit_point *point = &caller->points[i];
    if (point->kind != POINT_CALL || !point->callee) continue;
    size_t to = callee_of(telling->code, telling->count, caller, point);
    if (to != SIZE_MAX && !has_counter(&telling->code[to])) take(telling, from, to, point, memory);
  }
}

static void take_counted(struct telling *telling, size_t from, size_t to,
                         const struct unit_point *point, const struct counter_memory *memory) {
  if (point->counter == NO_COUNTER)
    telling->missing[to]++;
  else
    telling->entries[to] += counter(&telling->code[from], point->counter, memory);
}

static void take_derived(struct telling *telling, size_t from, size_t to,
                         const struct unit_point *point, const struct counter_memory *memory) {
  (void)memory;
  if (point->counter != NO_COUNTER) return;
  telling->entries[to] += telling->entries[from];
  if (--telling->missing[to] == 0) telling->known[telling->known_count++] = to;
}

uint64_t *counter_entries(const struct counted_code *code, size_t count,
                          const struct counter_memory *memory) {
  struct telling telling = {.code = code,
                            .count = count,
                            .entries = memory_zeroed(count, sizeof *telling.entries),
                            .missing = memory_zeroed(count, sizeof *telling.missing),
                            .known = memory_zeroed(count, sizeof *telling.known)};
  for (size_t i = 0; i < count; i++) {
    const struct unit_point *entry = entry_of(&code[i]);
    if (entry && has_counter(&code[i]))
      telling.entries[i] = counter(&code[i], entry->counter, memory);
    for_each_call(&telling, i, memory, take_counted);
  }
  for (size_t i = 0; i < count; i++)
    if (has_counter(&code[i]) || !telling.missing[i]) telling.known[telling.known_count++] = i;
  for (size_t i = 0; i < telling.known_count; i++)
    for_each_call(&telling, telling.known[i], memory, take_derived);
  free(telling.missing);
  free(telling.known);
  return telling.entries;
}
