#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "exchange/gmon.h"

enum { HEADER_BYTES = 20, RECORD_HISTOGRAM = 0, RECORD_ARC = 1, RECORD_BLOCKS = 2, VERSION = 1 };

struct gmon_reading {
  struct gmon *gmon;
  const char *name;
  const unsigned char *bytes;
  size_t count, at;
  struct gmon_form form;
  bool only_check;
  struct error *error;
};

/* ---- numbers ---- */

static uint64_t number(const unsigned char *bytes, unsigned size, bool big_endian) {
  uint64_t value = 0;
  for (unsigned i = 0; i < size; i++)
    value = value << 8 | bytes[big_endian ? i : size - 1 - i];
  return value;
}

static bool has(const struct gmon_reading *reading, uint64_t bytes) {
  return bytes <= reading->count - reading->at;
}

/* The caller has looked that they are there. */
static uint64_t take(struct gmon_reading *reading, unsigned size) {
  uint64_t value = number(reading->bytes + reading->at, size, reading->form.big_endian);
  reading->at += size;
  return value;
}

static int cut_off(const struct gmon_reading *reading, const char *what) {
  return error_set(reading->error, "%s is cut off: byte %zu, in %s", reading->name, reading->at,
                   what);
}

/* ---- histograms ---- */

static struct gmon_histogram *histogram_like(struct gmon *gmon,
                                             const struct gmon_histogram *wanted) {
  for (size_t i = 0; i < gmon->histogram_count; i++) {
    struct gmon_histogram *found = &gmon->histograms[i];
    if (found->low == wanted->low && found->high == wanted->high && found->bins == wanted->bins)
      return found;
  }
  return NULL;
}

static bool overlaps(const struct gmon *gmon, const struct gmon_histogram *histogram) {
  for (size_t i = 0; i < gmon->histogram_count; i++)
    if (histogram->low < gmon->histograms[i].high && gmon->histograms[i].low < histogram->high)
      return true;
  return false;
}

/* Rates and units of all histograms are one; where they are not, sums mean nothing. */
static int note_rate(struct gmon_reading *reading, uint32_t rate, const unsigned char *dimension) {
  struct gmon *gmon = reading->gmon;
  bool first = !gmon->rate;
  if (!rate)
    return error_set(reading->error, "%s: the histogram has a rate of 0 samples a second",
                     reading->name);
  if (!first && memcmp(gmon->dimension, dimension, 15) != 0)
    return error_set(reading->error,
                     "%s: its histogram is in another unit than one before it: they cannot be "
                     "summed",
                     reading->name);
  if (!first && rate != gmon->rate)
    return error_set(reading->error,
                     "%s: its histogram has %u samples a second, and one before it has %u: they "
                     "cannot be summed",
                     reading->name, rate, gmon->rate);
  gmon->rate = rate;
  memcpy(gmon->dimension, dimension, 15);
  gmon->abbreviation = (char)dimension[15];
  return 0;
}

static int add_histogram(struct gmon_reading *reading, struct gmon_histogram histogram) {
  struct gmon *gmon = reading->gmon;
  struct gmon_histogram *sum = histogram_like(gmon, &histogram);
  if (!sum) {
    if (overlaps(gmon, &histogram))
      return error_set(reading->error,
                       "%s: histograms of 0x%llx to 0x%llx overlap in part: are all files of one "
                       "executable?",
                       reading->name, (unsigned long long)histogram.low,
                       (unsigned long long)histogram.high);
    histogram.counts = memory_zeroed(histogram.bins, sizeof *histogram.counts);
    ARRAY_GROW(gmon->histograms, gmon->histogram_count);
    gmon->histograms[gmon->histogram_count] = histogram;
    sum = &gmon->histograms[gmon->histogram_count++];
  }
  const unsigned char *counts = reading->bytes + reading->at;
  for (uint32_t i = 0; i < histogram.bins; i++)
    sum->counts[i] += number(counts + 2 * (size_t)i, 2, reading->form.big_endian);
  gmon->histogram_records++;
  return 0;
}

static int read_histogram(struct gmon_reading *reading) {
  unsigned pointer = reading->form.pointer_bytes;
  if (!has(reading, 2 * pointer + 24)) return cut_off(reading, "a histogram");
  struct gmon_histogram histogram = {.low = take(reading, pointer), .high = take(reading, pointer)};
  histogram.bins = (uint32_t)take(reading, 4);
  uint32_t rate = (uint32_t)take(reading, 4);
  const unsigned char *dimension = reading->bytes + reading->at;
  reading->at += 16;
  if (!has(reading, 2 * (uint64_t)histogram.bins)) return cut_off(reading, "a histogram");
  if (histogram.bins && histogram.high <= histogram.low)
    return error_set(reading->error, "%s: a histogram begins at 0x%llx and ends at 0x%llx",
                     reading->name, (unsigned long long)histogram.low,
                     (unsigned long long)histogram.high);
  if (!reading->only_check && histogram.bins &&
      (note_rate(reading, rate, dimension) != 0 || add_histogram(reading, histogram) != 0))
    return -1;
  reading->at += 2 * (size_t)histogram.bins;
  return 0;
}

/* ---- arcs and blocks ---- */

static void add_arc(struct gmon *gmon, struct gmon_arc arc) {
  ARRAY_GROW(gmon->arcs, gmon->arc_count);
  gmon->arcs[gmon->arc_count++] = arc;
  gmon->arc_records++;
}

static void add_block(struct gmon *gmon, struct gmon_block block) {
  ARRAY_GROW(gmon->blocks, gmon->block_count);
  gmon->blocks[gmon->block_count++] = block;
}

static int read_arc(struct gmon_reading *reading) {
  unsigned pointer = reading->form.pointer_bytes;
  if (!has(reading, 2 * pointer + 4)) return cut_off(reading, "an arc");
  struct gmon_arc arc = {.from = take(reading, pointer), .to = take(reading, pointer)};
  arc.calls = take(reading, 4);
  if (!reading->only_check) add_arc(reading->gmon, arc);
  return 0;
}

static int read_blocks(struct gmon_reading *reading) {
  unsigned pointer = reading->form.pointer_bytes;
  if (!has(reading, 4)) return cut_off(reading, "counts of basic blocks");
  uint64_t blocks = take(reading, 4);
  if (!has(reading, blocks * 2 * pointer)) return cut_off(reading, "counts of basic blocks");
  for (uint64_t i = 0; i < blocks; i++) {
    struct gmon_block block = {.address = take(reading, pointer)};
    block.count = take(reading, pointer);
    if (!reading->only_check) add_block(reading->gmon, block);
  }
  if (!reading->only_check) reading->gmon->block_records++;
  return 0;
}

/* ---- the file ---- */

static int read_record(struct gmon_reading *reading) {
  switch (reading->bytes[reading->at++]) {
  case RECORD_HISTOGRAM:
    return read_histogram(reading);
  case RECORD_ARC:
    return read_arc(reading);
  case RECORD_BLOCKS:
    return read_blocks(reading);
  default:
    return error_set(reading->error, "%s is damaged: byte %zu begins a record of unknown kind %u",
                     reading->name, reading->at - 1, reading->bytes[reading->at - 1]);
  }
}

static int read_records(struct gmon_reading *reading, bool only_check) {
  reading->at = HEADER_BYTES;
  reading->only_check = only_check;
  while (reading->at < reading->count)
    if (read_record(reading) != 0) return -1;
  return 0;
}

/* The header's version tells the byte order. */
static int read_header(struct gmon_reading *reading) {
  if (reading->count < 4 || memcmp(reading->bytes, "gmon", 4) != 0)
    return error_set(reading->error,
                     "%s is not a gmon.out of glibc: it does not begin with \"gmon\". The older "
                     "BSD format is not supported; let the program write the file anew",
                     reading->name);
  if (reading->count < HEADER_BYTES) return cut_off(reading, "its header");
  uint64_t little = number(reading->bytes + 4, 4, false), big = number(reading->bytes + 4, 4, true);
  if (little != VERSION && big != VERSION)
    return error_set(reading->error, "%s has version %llu of gmon.out; only 1 is known",
                     reading->name, (unsigned long long)little);
  reading->form.big_endian = little != VERSION;
  return 0;
}

/* A file that makes no sense may do so with pointers of the other size. */
static int check_pointer_size(struct gmon_reading *reading) {
  struct error *error = reading->error;
  unsigned wanted = reading->form.pointer_bytes;
  if (read_records(reading, true) == 0) return 0;
  struct gmon_reading other = *reading;
  other.form.pointer_bytes = wanted == 4 ? 8 : 4;
  other.error = NULL;
  if (read_records(&other, true) != 0) return -1;
  return error_set(error,
                   "%s has pointers of %u bytes, the executable or the file before it of %u: is it "
                   "the program that ran?",
                   reading->name, other.form.pointer_bytes, wanted);
}

/* Without an executable to tell, the size is the one with which the file makes sense. */
static int find_pointer_size(struct gmon_reading *reading) {
  if (reading->form.pointer_bytes) return check_pointer_size(reading);
  struct error *error = reading->error;
  reading->form.pointer_bytes = 4;
  reading->error = NULL;
  int as_small = read_records(reading, true);
  reading->form.pointer_bytes = 8;
  reading->error = error;
  int as_large = read_records(reading, true);
  if (as_large != 0 && as_small == 0) reading->form.pointer_bytes = 4;
  return as_large == 0 || as_small == 0 ? 0 : -1;
}

int gmon_add(struct gmon *gmon, const char *name, const unsigned char *bytes, size_t count,
             struct gmon_form *form, struct error *error) {
  struct gmon_reading reading = {
      .gmon = gmon, .name = name, .bytes = bytes, .count = count, .form = *form, .error = error};
  if (read_header(&reading) != 0 || find_pointer_size(&reading) != 0 ||
      read_records(&reading, false) != 0)
    return -1;
  *form = reading.form;
  return 0;
}
