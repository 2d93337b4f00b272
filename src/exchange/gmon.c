#include "exchange/gmon.h"

#include <stdlib.h>

#include "attribution/pool.h"

static int arc_order(const void *left, const void *right) {
  const struct gmon_arc *a = left, *b = right;
  if (a->from != b->from) return a->from < b->from ? -1 : 1;
  return a->to < b->to ? -1 : a->to > b->to;
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

static void sum_arcs(struct gmon *gmon) {
  size_t kept = 0;
  qsort(gmon->arcs, gmon->arc_count, sizeof *gmon->arcs, arc_order);
  for (size_t i = 0; i < gmon->arc_count; i++) {
    if (kept && arc_order(&gmon->arcs[kept - 1], &gmon->arcs[i]) == 0)
      gmon->arcs[kept - 1].calls = saturated(gmon->arcs[kept - 1].calls, gmon->arcs[i].calls);
    else
      gmon->arcs[kept++] = gmon->arcs[i];
  }
  gmon->arc_count = kept;
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
