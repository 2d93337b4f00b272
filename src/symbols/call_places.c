#include "symbols/call_places.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/begins.h"
#include "base/memory.h"
#include "symbols/call_sites.h"
#include "symbols/code_pointers.h"
#include "symbols/code_walk.h"
#include "symbols/symbol_file.h"

struct finding {
  struct symbol_file *file;
  const struct text_symbols *text;
  struct call_places *places;
  struct code_pointers pointers;
  size_t slots;  /* the first so many of the pointers, by their place */
  size_t symbol; /* whose tail calls are at hand; SIZE_MAX: none yet */
  struct tail_call *tails;
  size_t tail_count;
};

bool call_place_is_runtime(const struct text_symbol *symbol) {
  static const char *const files[] = {"crtstuff.c", "InstrProfiling"};
  static const char *const beginnings[] = {"__gcov_",
                                           "gcov_",
                                           "__llvm_",
                                           "lprof",
                                           "getValueProf",
                                           "serializeValueProf",
                                           "__libc_csu_",
                                           "getFirstValueProf",
                                           "_GLOBAL__sub_I_InstrProfiling"};
  static const char *const names[] = {"_start",
                                      "_init",
                                      "_fini",
                                      "mangle_path",
                                      "atexit",
                                      "deregister_tm_clones",
                                      "register_tm_clones",
                                      "__do_global_dtors_aux",
                                      "frame_dummy"};
  if (symbol->file && BEGINS_WITH_ANY(symbol->file, files)) return true;
  if (BEGINS_WITH_ANY(symbol->linkage, beginnings)) return true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(symbol->linkage, names[i]) == 0) return true;
  return false;
}

static size_t function_at(const struct finding *finding, uint64_t address) {
  size_t found = address ? text_symbols_find(finding->text, address) : SIZE_MAX;
  return found != SIZE_MAX && finding->text->list[found].address == address ? found : SIZE_MAX;
}

/* ---- data ---- */

static void take_pointers(struct finding *finding) {
  struct call_places *places = finding->places;
  for (size_t i = 0; i < finding->pointers.count; i++) {
    const struct code_pointer *pointer = &finding->pointers.list[i];
    size_t function = function_at(finding, pointer->address);
    if (pointer->use == POINTER_SLOT) continue;
    /* What stands for missing functions of C++ classes never returns. */
    if (pointer->outside && strcmp(pointer->outside, "__cxa_pure_virtual") != 0)
      places->takes_outside = true;
    if (function == SIZE_MAX) continue;
    if (pointer->use == POINTER_LISTED)
      places->from_outside[function] = true;
    else
      places->taken[function] = true;
  }
}

static int slots_first(const void *left, const void *right) {
  const struct code_pointer *a = left, *b = right;
  if ((a->use == POINTER_SLOT) != (b->use == POINTER_SLOT)) return a->use == POINTER_SLOT ? -1 : 1;
  return (a->place > b->place) - (a->place < b->place);
}

static void sort_slots(struct finding *finding) {
  struct code_pointers *pointers = &finding->pointers;
  if (pointers->count) qsort(pointers->list, pointers->count, sizeof *pointers->list, slots_first);
  while (finding->slots < pointers->count && pointers->list[finding->slots].use == POINTER_SLOT)
    finding->slots++;
}

static const struct code_pointer *slot_at(const struct finding *finding, uint64_t place) {
  struct code_pointer key = {.use = POINTER_SLOT, .place = place};
  return finding->slots
             ? bsearch(&key, finding->pointers.list, finding->slots, sizeof key, slots_first)
             : NULL;
}

/* ---- calls ---- */

static void add(struct finding *finding, const struct code_step *step, struct call_place place) {
  struct call_places *places = finding->places;
  ARRAY_GROW(places->list, places->count);
  place.from = step->next - 1;
  place.symbol = step->symbol;
  places->list[places->count++] = place;
}

/* "name@plt" is a stub that calls "name". */
static const char *stub_name(struct finding *finding, uint64_t address) {
  const struct table_symbol *symbol = symbol_table_find(&finding->file->table, address);
  const char *at = symbol && symbol->address == address ? strchr(symbol->linkage, '@') : NULL;
  if (!at || strcmp(at, "@plt") != 0) return NULL;
  return arena_text(&finding->file->arena, symbol->linkage, (size_t)(at - symbol->linkage));
}

static void take_direct(struct finding *finding, const struct code_step *step) {
  bool inside = step->target >= step->start && step->target < step->end;
  if (step->kind == CODE_JUMP && inside) return;
  size_t callee = function_at(finding, step->target);
  if (callee != SIZE_MAX)
    add(finding, step, (struct call_place){.kind = CALLEE_HERE, .callee = callee});
  else if (!inside)
    add(finding, step,
        (struct call_place){.kind = CALLEE_OUTSIDE, .outside = stub_name(finding, step->target)});
}

static void take_through_slot(struct finding *finding, const struct code_step *step,
                              const struct code_pointer *slot) {
  size_t callee = function_at(finding, slot->address);
  if (callee != SIZE_MAX)
    add(finding, step, (struct call_place){.kind = CALLEE_HERE, .callee = callee});
  else
    add(finding, step, (struct call_place){.kind = CALLEE_OUTSIDE, .outside = slot->outside});
}

/* Most jumps through registers are branches of a switch. */
static bool is_tail_call(struct finding *finding, const struct code_step *step) {
  if (step->to == CODE_MEMORY) return true;
  if (finding->symbol != step->symbol) {
    free(finding->tails);
    finding->tails = NULL;
    finding->tail_count = 0;
    finding->symbol = step->symbol;
    symbol_file_tail_calls(finding->file, step->start, &finding->tails, &finding->tail_count);
  }
  for (size_t i = 0; i < finding->tail_count; i++)
    if (finding->tails[i].end == step->next) return true;
  return false;
}

static void take_branch(struct finding *finding, const struct code_step *step) {
  const struct code_pointer *slot = step->to == CODE_MEMORY ? slot_at(finding, step->target) : NULL;
  if (step->to == CODE_ADDRESS)
    take_direct(finding, step);
  else if (slot)
    take_through_slot(finding, step, slot);
  else if (step->kind == CODE_CALL || is_tail_call(finding, step))
    add(finding, step, (struct call_place){.kind = CALLEE_POINTER});
}

static void take_value(struct finding *finding, const struct code_step *step) {
  const struct code_pointer *slot = step->to == CODE_MEMORY ? slot_at(finding, step->target) : NULL;
  uint64_t address = step->to == CODE_ADDRESS ? step->target : slot ? slot->address : 0;
  size_t function = function_at(finding, address);
  bool outside = (slot && slot->outside) ||
                 (step->to == CODE_ADDRESS && function == SIZE_MAX && stub_name(finding, address));
  if (function == SIZE_MAX && !outside) return;
  struct call_places *places = finding->places;
  bool by_runtime = call_place_is_runtime(&finding->text->list[step->symbol]);
  if (outside)
    places->takes_outside |= !by_runtime;
  else if (by_runtime)
    places->from_outside[function] = true; /* as _start has main's for the C library */
  else
    places->taken[function] = true;
}

static void take(void *context, const struct code_step *step) {
  if (step->kind == CODE_VALUE)
    take_value(context, step);
  else
    take_branch(context, step);
}

int call_places_find(struct symbol_file *file, const struct text_symbols *text,
                     struct call_places *places, struct error *error) {
  struct finding finding = {.file = file, .text = text, .places = places, .symbol = SIZE_MAX};
  if (text->machine != EM_X86_64)
    return error_set(error, "%s is not code of x86-64: its calls cannot be read", file->path);
  places->taken = memory_zeroed(text->count, sizeof *places->taken);
  places->from_outside = memory_zeroed(text->count, sizeof *places->from_outside);
  code_pointers_find(file, &finding.pointers);
  places->foreign = finding.pointers.foreign;
  take_pointers(&finding);
  sort_slots(&finding);
  int result = code_walk(file, text, take, &finding, error);
  code_pointers_free(&finding.pointers);
  free(finding.tails);
  return result;
}

void call_places_free(struct call_places *places) {
  free(places->list);
  free(places->taken);
  free(places->from_outside);
  *places = (struct call_places){0};
}
