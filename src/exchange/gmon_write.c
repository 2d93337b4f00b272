#include "exchange/gmon.h"

enum { MOST_BIN = 0xffff };

static void put(FILE *out, uint64_t value, unsigned size, bool big_endian) {
  for (unsigned i = 0; i < size; i++)
    putc((int)(value >> 8 * (big_endian ? size - 1 - i : i) & 0xff), out);
}

/* The most records of a histogram that its largest bin needs: readers sum those of one range. */
static uint64_t layers(const struct gmon_histogram *histogram) {
  uint64_t most = 1;
  for (uint32_t i = 0; i < histogram->bins; i++)
    if (histogram->counts[i] > most) most = histogram->counts[i];
  return (most + MOST_BIN - 1) / MOST_BIN;
}

/* What `layer` holds of a count: all layers together are the count. */
static uint64_t part_of(uint64_t count, uint64_t layer) {
  uint64_t before = layer * MOST_BIN;
  if (count <= before) return 0;
  return count - before < MOST_BIN ? count - before : MOST_BIN;
}

static void write_histogram(const struct gmon *gmon, const struct gmon_histogram *histogram,
                            const struct gmon_form *form, FILE *out) {
  bool big = form->big_endian;
  for (uint64_t layer = 0; layer < layers(histogram); layer++) {
    putc(0, out);
    put(out, histogram->low, form->pointer_bytes, big);
    put(out, histogram->high, form->pointer_bytes, big);
    put(out, histogram->bins, 4, big);
    put(out, gmon->rate, 4, big);
    fwrite(gmon->dimension, 1, 15, out);
    putc(gmon->abbreviation, out);
    for (uint32_t i = 0; i < histogram->bins; i++)
      put(out, part_of(histogram->counts[i], layer), 2, big);
  }
}

static void write_arc(struct gmon_arc arc, const struct gmon_form *form, FILE *out) {
  do {
    uint64_t calls = arc.calls > UINT32_MAX ? UINT32_MAX : arc.calls;
    putc(1, out);
    put(out, arc.from, form->pointer_bytes, form->big_endian);
    put(out, arc.to, form->pointer_bytes, form->big_endian);
    put(out, calls, 4, form->big_endian);
    arc.calls -= calls;
  } while (arc.calls);
}

/* How many entries a block's count takes. */
static uint64_t entries_of(uint64_t count, uint64_t most) {
  return count ? (count - 1) / most + 1 : 1;
}

static void write_blocks(const struct gmon *gmon, const struct gmon_form *form, FILE *out) {
  uint64_t most = form->pointer_bytes == 4 ? UINT32_MAX : UINT64_MAX, entries = 0;
  for (size_t i = 0; i < gmon->block_count; i++)
    entries += entries_of(gmon->blocks[i].count, most);
  putc(2, out);
  put(out, entries, 4, form->big_endian);
  for (size_t i = 0; i < gmon->block_count; i++) {
    uint64_t left = gmon->blocks[i].count;
    for (uint64_t entry = entries_of(left, most); entry > 0; entry--) {
      uint64_t part = left < most ? left : most;
      put(out, gmon->blocks[i].address, form->pointer_bytes, form->big_endian);
      put(out, part, form->pointer_bytes, form->big_endian);
      left -= part;
    }
  }
}

void gmon_write(const struct gmon *gmon, const struct gmon_form *form, FILE *out) {
  fputs("gmon", out);
  put(out, 1, 4, form->big_endian);
  fwrite((char[12]){0}, 1, 12, out); /* reserved */
  for (size_t i = 0; i < gmon->histogram_count; i++)
    write_histogram(gmon, &gmon->histograms[i], form, out);
  for (size_t i = 0; i < gmon->arc_count; i++)
    write_arc(gmon->arcs[i], form, out);
  if (gmon->block_count) write_blocks(gmon, form, out);
}
