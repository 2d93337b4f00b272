#include "exchange/gmon.h"

#include <stdlib.h>

#include "base/memory.h"

struct placed_arc {
  struct gmon_arc arc;
  size_t place; /* among all of the files */
};

static bool same_arc(const struct gmon_arc *a, const struct gmon_arc *b) {
  return a->from == b->from && a->to == b->to;
}

static int equal_together(const void *left, const void *right) {
  const struct placed_arc *a = left, *b = right;
  if (a->arc.from != b->arc.from) return a->arc.from < b->arc.from ? -1 : 1;
  if (a->arc.to != b->arc.to) return a->arc.to < b->arc.to ? -1 : 1;
  return a->place < b->place ? -1 : 1;
}

static int by_place(const void *left, const void *right) {
  const struct placed_arc *a = left, *b = right;
  return a->place < b->place ? -1 : 1;
}

static int block_order(const void *left, const void *right) {
  const struct gmon_block *a = left, *b = right;
  return a->address < b->address ? -1 : a->address > b->address;
}

static int histogram_order(const void *left, const void *right) {
  const struct gmon_histogram *a = left, *b = right;
  return a->low < b->low ? -1 : a->low > b->low;
}

/* No sum wraps: counts of blocks are whatever 64 bits a file holds. */
static uint64_t saturated(uint64_t a, uint64_t b) {
  return a + b < a ? UINT64_MAX : a + b;
}

/* Listings show equal calls as the files have them. */
static void sum_arcs(struct gmon *gmon) {
  struct placed_arc *arcs = memory_zeroed(gmon->arc_count, sizeof *arcs);
  size_t kept = 0;
  for (size_t i = 0; i < gmon->arc_count; i++)
    arcs[i] = (struct placed_arc){gmon->arcs[i], i};
  qsort(arcs, gmon->arc_count, sizeof *arcs, equal_together);
  for (size_t i = 0; i < gmon->arc_count; i++) {
    if (kept && same_arc(&arcs[kept - 1].arc, &arcs[i].arc))
      arcs[kept - 1].arc.calls = saturated(arcs[kept - 1].arc.calls, arcs[i].arc.calls);
    else
      arcs[kept++] = arcs[i];
  }
  qsort(arcs, kept, sizeof *arcs, by_place);
  for (size_t i = 0; i < kept; i++)
    gmon->arcs[i] = arcs[i].arc;
  gmon->arc_count = kept;
  free(arcs);
}

static void sum_blocks(struct gmon *gmon) {
  size_t kept = 0;
  qsort(gmon->blocks, gmon->block_count, sizeof *gmon->blocks, block_order);
  for (size_t i = 0; i < gmon->block_count; i++) {
    if (kept && gmon->blocks[kept - 1].address == gmon->blocks[i].address)
      gmon->blocks[kept - 1].count = saturated(gmon->blocks[kept - 1].count, gmon->blocks[i].count);
    else
      gmon->blocks[kept++] = gmon->blocks[i];
  }
  gmon->block_count = kept;
}

void gmon_sum(struct gmon *gmon) {
  if (gmon->histogram_count)
    qsort(gmon->histograms, gmon->histogram_count, sizeof *gmon->histograms, histogram_order);
  if (gmon->arc_count) sum_arcs(gmon);
  if (gmon->block_count) sum_blocks(gmon);
}

void gmon_free(struct gmon *gmon) {
  for (size_t i = 0; i < gmon->histogram_count; i++)
    free(gmon->histograms[i].counts);
  free(gmon->histograms);
  free(gmon->arcs);
  free(gmon->blocks);
  *gmon = (struct gmon){0};
}
