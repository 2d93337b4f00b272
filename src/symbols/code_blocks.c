#include "symbols/code_blocks.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/count_before.h"
#include "base/memory.h"

/* Compilers nest blocks and inlined calls some dozen deep; a damaged file could exhaust the stack.
 */
enum { DEEPEST_BLOCK = 500 };

/* ---- reading ---- */

struct reading {
  struct code_blocks *blocks;
  struct code_range *spans; /* as the entries have them: nested */
  size_t span_count;
  bool types_hold_code;    /* in the language of the unit */
  unsigned functions_open; /* being read; local types hold code in any language */
};

static uint64_t hash_of(const void *origin) {
  return hash_mix((uintptr_t)origin);
}

static int has_origin(const void *array, uint32_t index, const void *origin) {
  return ((const struct code_block *)array)[index].origin == origin;
}

static const void *origin_of(Dwarf_Die *die) {
  Dwarf_Attribute attribute;
  Dwarf_Die origin;
  if (!dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &attribute), &origin)) return NULL;
  return origin.addr;
}

static void add_block(struct code_blocks *blocks, Dwarf_Die *die, uint32_t outer) {
  ARRAY_GROW(blocks->blocks, blocks->count);
  const void *origin = outer == NO_BLOCK ? origin_of(die) : NULL;
  if (origin && code_blocks_instance(blocks, origin) == NO_BLOCK)
    hash_index_add(&blocks->by_origin, hash_of(origin), (uint32_t)blocks->count);
  blocks->blocks[blocks->count++] =
      (struct code_block){.die = *die, .origin = origin, .outer = outer};
}

/* Linkers leave what they dropped at address 0. Returns whether there is code. */
static bool add_spans(struct reading *reading, Dwarf_Die *die) {
  size_t before = reading->span_count;
  Dwarf_Addr base, start, end;
  for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &start, &end)) > 0;) {
    if (start == 0 || start >= end) continue;
    ARRAY_GROW(reading->spans, reading->span_count);
    reading->spans[reading->span_count++] =
        (struct code_range){.start = start, .end = end, .block = (uint32_t)reading->blocks->count};
  }
  return reading->span_count > before;
}

static void read_children(struct reading *reading, Dwarf_Die *parent, uint32_t outer,
                          unsigned depth);

/* A function or an inlined call. */
static void read_block(struct reading *reading, Dwarf_Die *die, uint32_t outer, unsigned depth) {
  if (add_spans(reading, die)) {
    add_block(reading->blocks, die, outer);
    outer = (uint32_t)reading->blocks->count - 1;
  }
  reading->functions_open++;
  read_children(reading, die, outer, depth);
  reading->functions_open--;
}

static void read_entry(struct reading *reading, Dwarf_Die *die, uint32_t outer, unsigned depth) {
  switch (dwarf_tag(die)) {
  case DW_TAG_subprogram:
    read_block(reading, die, NO_BLOCK, depth);
    break;
  case DW_TAG_inlined_subroutine:
    if (outer != NO_BLOCK) read_block(reading, die, outer, depth);
    break;
  case DW_TAG_lexical_block:
  case DW_TAG_try_block:
  case DW_TAG_catch_block:
  case DW_TAG_namespace:
  case DW_TAG_module:
    read_children(reading, die, outer, depth);
    break;
  case DW_TAG_structure_type:
  case DW_TAG_class_type:
  case DW_TAG_union_type:
  case DW_TAG_enumeration_type:
    if (reading->types_hold_code || reading->functions_open)
      read_children(reading, die, outer, depth);
    break;
  default:
    break;
  }
}

static void read_children(struct reading *reading, Dwarf_Die *parent, uint32_t outer,
                          unsigned depth) {
  Dwarf_Die child;
  if (depth > DEEPEST_BLOCK || dwarf_child(parent, &child) != 0) return;
  do
    read_entry(reading, &child, outer, depth + 1);
  while (dwarf_siblingof(&child, &child) == 0);
}

/* In C and C++ types outside of functions hold declarations only, a great many of them. */
static bool types_hold_code(Dwarf_Die *unit) {
  switch (dwarf_srclang(unit)) {
  case DW_LANG_C:
  case DW_LANG_C89:
  case DW_LANG_C99:
  case DW_LANG_C11:
  case DW_LANG_C_plus_plus:
  case DW_LANG_C_plus_plus_03:
  case DW_LANG_C_plus_plus_11:
  case DW_LANG_C_plus_plus_14:
    return false;
  default:
    return true;
  }
}

/* ---- cutting ---- */

static int by_start(const void *left, const void *right) {
  const struct code_range *a = left, *b = right;
  if (a->start != b->start) return a->start < b->start ? -1 : 1;
  return a->block < b->block ? -1 : a->block > b->block;
}

/* The spans that have begun, as a heap: first the one whose block was read last. That is the
 * innermost, since an outer block is read before those that it holds. */
struct open_spans {
  struct code_range *heap;
  size_t count;
};

static void open_span(struct open_spans *open, struct code_range span) {
  size_t at = open->count++;
  for (; at > 0 && open->heap[(at - 1) / 2].block < span.block; at = (at - 1) / 2)
    open->heap[at] = open->heap[(at - 1) / 2];
  open->heap[at] = span;
}

static void close_first(struct open_spans *open) {
  struct code_range last = open->heap[--open->count];
  size_t at = 0;
  for (;;) {
    size_t child = 2 * at + 1;
    if (child + 1 < open->count && open->heap[child + 1].block > open->heap[child].block) child++;
    if (child >= open->count || open->heap[child].block < last.block) break;
    open->heap[at] = open->heap[child];
    at = child;
  }
  open->heap[at] = last;
}

static void add_piece(struct code_blocks *blocks, uint64_t start, uint64_t end, uint32_t block) {
  struct code_range *previous =
      blocks->range_count ? &blocks->ranges[blocks->range_count - 1] : NULL;
  if (previous && previous->end == start && previous->block == block)
    previous->end = end;
  else
    blocks->ranges[blocks->range_count++] = (struct code_range){start, end, block};
}

/* Sweep over the spans by address; each start and each end begins at most one piece. */
static void sweep(const struct reading *reading, struct open_spans *open) {
  uint64_t at = 0;
  for (size_t next = 0; next < reading->span_count || open->count > 0;) {
    if (open->count == 0) at = reading->spans[next].start;
    while (next < reading->span_count && reading->spans[next].start <= at)
      open_span(open, reading->spans[next++]);
    uint64_t stop = open->heap[0].end;
    if (next < reading->span_count && reading->spans[next].start < stop)
      stop = reading->spans[next].start;
    if (stop > at) add_piece(reading->blocks, at, stop, open->heap[0].block);
    at = stop;
    while (open->count > 0 && open->heap[0].end <= at)
      close_first(open);
  }
}

static void cut_ranges(struct reading *reading) {
  size_t spans = reading->span_count;
  if (spans == 0) return;
  struct open_spans open = {.heap = memory_zeroed(spans, sizeof *open.heap)};
  reading->blocks->ranges = memory_zeroed(2 * spans, sizeof *reading->blocks->ranges);
  qsort(reading->spans, spans, sizeof *reading->spans, by_start);
  sweep(reading, &open);
  free(open.heap);
}

void code_blocks_read(struct code_blocks *blocks, Dwarf_Die *unit) {
  struct reading reading = {.blocks = blocks, .types_hold_code = types_hold_code(unit)};
  read_children(&reading, unit, NO_BLOCK, 0);
  cut_ranges(&reading);
  free(reading.spans);
}

void code_blocks_free(struct code_blocks *blocks) {
  free(blocks->blocks);
  free(blocks->ranges);
  hash_index_free(&blocks->by_origin);
  *blocks = (struct code_blocks){0};
}

/* ---- finding ---- */

uint32_t code_blocks_find(const struct code_blocks *blocks, uint64_t address) {
  size_t low = COUNT_BEFORE(blocks->range_count, i, blocks->ranges[i].end <= address);
  if (low == blocks->range_count || blocks->ranges[low].start > address) return NO_BLOCK;
  return blocks->ranges[low].block;
}

uint32_t code_blocks_instance(const struct code_blocks *blocks, const void *origin) {
  return hash_index_find(&blocks->by_origin, hash_of(origin), has_origin, blocks->blocks, origin);
}
