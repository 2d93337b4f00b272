#include "outside/stack_machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "recording/history.h"

#define PIECE 16384u                  /* entries of histories that are allocated at once */
#define HISTORIES_MOST (512ull << 20) /* bytes of all of them */
enum { CONTEXTS_MOST = 1 << 24, RECURRING_MOST = 1 << 16 };

void stack_machine_close(struct stack_machine *machine) {
  free(machine->functions);
  free(machine->contexts);
  free(machine->ticks);
  free(machine->steps);
  hash_index_free(&machine->by_address);
  hash_index_free(&machine->by_history);
  hash_index_free(&machine->by_step);
  hash_index_free(&machine->by_tick);
  arena_free(&machine->histories);
  *machine = (struct stack_machine){0};
}

/* ---- functions ---- */

static int is_function(const void *functions, uint32_t index, const void *key) {
  const struct function_entry *known = (const struct function_entry *)functions + index;
  const struct function_entry *wanted = key;
  return known->address == wanted->address && known->kind == wanted->kind &&
         known->object == wanted->object;
}

uint32_t stack_machine_function(struct stack_machine *machine, const struct function_entry *entry) {
  uint64_t hash = hash_mix(entry->address ^ (uint64_t)entry->kind << 62);
  uint32_t known =
      hash_index_find(&machine->by_address, hash, is_function, machine->functions, entry);
  if (known != HASH_INDEX_NONE) return known;
  uint32_t index = (uint32_t)machine->function_count++;
  ARRAY_GROW(machine->functions, index);
  machine->functions[index] = *entry;
  hash_index_add(&machine->by_address, hash, index);
  return index;
}

/* ---- contexts ---- */

static uint32_t add_context(struct stack_machine *machine, const struct context_entry *context) {
  size_t count = machine->context_count;
  if (count >= CONTEXTS_MOST) return NOTHING;
  ARRAY_GROW(machine->contexts, count);
  machine->contexts[machine->context_count++] = *context;
  return (uint32_t)count;
}

uint32_t stack_machine_start(struct stack_machine *machine, uint32_t thread, uint32_t flag) {
  return add_context(machine,
                     &(struct context_entry){.thread = thread, .flags = CONTEXT_READY | flag});
}

static int has_history(const void *contexts, uint32_t index, const void *key) {
  const struct context_entry *known = (const struct context_entry *)contexts + index;
  const struct context_entry *wanted = key;
  return known->thread == wanted->thread && known->length == wanted->length &&
         memcmp(known->history, wanted->history, known->length * sizeof *known->history) == 0;
}

static uint64_t history_hash(const struct context_entry *context) {
  uint64_t hash = context->thread + 1;
  for (uint32_t i = 0; i < context->length; i++)
    hash = (hash ^ context->history[i]) * 0x9e3779b97f4a7c15u;
  return hash_mix(hash);
}

/* Room for a history of this length at machine->free, which is not taken yet. */
static int reserve_history(struct stack_machine *machine, uint32_t length) {
  if ((size_t)(machine->limit - machine->free) >= length) return 0;
  size_t entries = length > PIECE ? length : PIECE;
  if (machine->history_bytes + entries * sizeof(uint32_t) > HISTORIES_MOST) return -1;
  uint32_t *piece = arena_take(&machine->histories, entries * sizeof *piece);
  machine->history_bytes += entries * sizeof *piece;
  machine->free = piece;
  machine->limit = piece + entries;
  return 0;
}

/* A call that is not active yet only lengthens the history: where there is room right behind it,
 * both contexts share it.  So a new deep stack takes memory as it is deep, not as its square. */
static int write_history(struct stack_machine *machine, const struct context_entry *from,
                         uint32_t function, struct context_entry *to) {
  bool recurs = from->flags & CONTEXT_RECURS || history_has(from->history, from->length, function);
  if (recurs) to->flags |= CONTEXT_RECURS;
  if (!recurs && from->length && from->history + from->length == machine->free &&
      machine->free < machine->limit) {
    *machine->free = history_entry(function, true);
    to->history = from->history;
    to->length = from->length + 1;
    return 0;
  }
  if (reserve_history(machine, from->length + 1)) return -1;
  to->history = machine->free;
  bool whole =
      stack_stays_whole(from->history, from->length, recurs, machine->recurring < RECURRING_MOST);
  to->length = stack_step(from->history, from->length, function, whole, machine->free);
  return 0;
}

static uint32_t new_context(struct stack_machine *machine, uint32_t from, uint32_t function) {
  struct context_entry context = {.thread = machine->contexts[from].thread,
                                  .flags = CONTEXT_READY | CONTEXT_STACK};
  if (write_history(machine, &machine->contexts[from], function, &context)) return NOTHING;
  uint64_t hash = history_hash(&context);
  uint32_t known =
      hash_index_find(&machine->by_history, hash, has_history, machine->contexts, &context);
  if (known != HASH_INDEX_NONE) return known;
  uint32_t id = add_context(machine, &context);
  if (id == NOTHING) return NOTHING;
  machine->recurring += (context.flags & CONTEXT_RECURS) != 0;
  hash_index_add(&machine->by_history, hash, id);
  machine->free = (uint32_t *)context.history + context.length;
  return id;
}

/* ---- steps ---- */

static int is_step(const void *steps, uint32_t index, const void *key) {
  const struct step *known = (const struct step *)steps + index;
  const struct step *wanted = key;
  return known->from == wanted->from && known->function == wanted->function;
}

uint32_t stack_machine_step(struct stack_machine *machine, uint32_t context, uint32_t function) {
  struct step step = {.from = context, .function = function};
  uint64_t hash = hash_mix((uint64_t)context << 32 | function);
  uint32_t known = hash_index_find(&machine->by_step, hash, is_step, machine->steps, &step);
  if (known != HASH_INDEX_NONE) return machine->steps[known].to;
  step.to = new_context(machine, context, function);
  if (step.to == NOTHING) return NOTHING;
  ARRAY_GROW(machine->steps, machine->step_count);
  hash_index_add(&machine->by_step, hash, (uint32_t)machine->step_count);
  machine->steps[machine->step_count++] = step;
  return step.to;
}

/* ---- ticks ---- */

static int is_tick(const void *ticks, uint32_t index, const void *key) {
  const struct tick_entry *known = (const struct tick_entry *)ticks + index;
  const struct tick_entry *wanted = key;
  return known->pc == wanted->pc && known->epoch == wanted->epoch &&
         known->stack == wanted->stack && known->context == wanted->context &&
         known->slice == wanted->slice;
}

void stack_machine_charge(struct stack_machine *machine, const struct tick_entry *tick) {
  uint64_t hash = hash_mix(tick->pc ^ hash_mix(tick->stack + ((uint64_t)tick->slice << 32)));
  uint32_t known = hash_index_find(&machine->by_tick, hash, is_tick, machine->ticks, tick);
  if (known != HASH_INDEX_NONE) {
    machine->ticks[known].ticks += tick->ticks;
    machine->ticks[known].weight += tick->weight;
    return;
  }
  ARRAY_GROW(machine->ticks, machine->tick_count);
  hash_index_add(&machine->by_tick, hash, (uint32_t)machine->tick_count);
  machine->ticks[machine->tick_count++] = *tick;
}
