/* gmon.out: what is written is read again; sizes, byte orders, sums; damaged files. */
#include "exchange/gmon.h"

#include <stdlib.h>

#include "check.h"

struct file {
  char *bytes;
  size_t count;
};

static struct file written(const struct gmon *gmon, unsigned pointer_bytes, bool big_endian) {
  struct file file = {0};
  struct gmon_form form = {.pointer_bytes = pointer_bytes, .big_endian = big_endian};
  FILE *out = open_memstream(&file.bytes, &file.count);
  gmon_write(gmon, &form, out);
  fclose(out);
  return file;
}

static int add(struct gmon *gmon, const struct file *file, struct gmon_form *form,
               struct error *error) {
  return gmon_add(gmon, "f", (const unsigned char *)file->bytes, file->count, form, error);
}

static struct gmon_arc arcs[] = {{0x1010, 0x2000, 3}, {0x1020, 0x2000, 5000000000}};
static struct gmon_block blocks[] = {{0x1004, 7}, {0x1008, 9}};
static uint64_t low_counts[] = {1, 0, 70000, 2}, high_counts[] = {5, 6};
static struct gmon_histogram histograms[] = {{0x1000, 0x1010, low_counts, 4},
                                             {0x8000, 0x8004, high_counts, 2}};
static const struct gmon example = {.rate = 100,
                                    .dimension = "seconds",
                                    .abbreviation = 's',
                                    .histograms = histograms,
                                    .arcs = arcs,
                                    .blocks = blocks,
                                    .histogram_count = 2,
                                    .arc_count = 2,
                                    .block_count = 2};

static void check_example(const struct gmon *gmon, uint64_t times) {
  CHECK_EQUAL(gmon->rate, 100);
  CHECK_TEXT(gmon->dimension, "seconds");
  CHECK_EQUAL(gmon->histogram_count, 2);
  CHECK_EQUAL(gmon->arc_count, 2);
  CHECK_EQUAL(gmon->block_count, 2);
  if (gmon->histogram_count != 2 || gmon->arc_count != 2 || gmon->block_count != 2) return;
  CHECK_EQUAL(gmon->histograms[0].high, 0x1010);
  CHECK_EQUAL(gmon->histograms[0].counts[2], 70000 * times); /* in several records */
  CHECK_EQUAL(gmon->histograms[1].counts[1], 6 * times);
  CHECK_EQUAL(gmon->arcs[0].calls, 3 * times);
  CHECK_EQUAL(gmon->arcs[1].calls, 5000000000 * times); /* likewise */
  CHECK_EQUAL(gmon->arcs[1].from, 0x1020);
  CHECK_EQUAL(gmon->blocks[1].count, 9 * times);
}

/* The size of pointers is told, or found. */
static void round_trip(unsigned pointer_bytes, bool big_endian, bool told) {
  struct file file = written(&example, pointer_bytes, big_endian);
  struct gmon gmon = {0};
  struct gmon_form form = {.pointer_bytes = told ? pointer_bytes : 0};
  CHECK_EQUAL(add(&gmon, &file, &form, NULL), 0);
  gmon_sum(&gmon);
  check_example(&gmon, 1);
  CHECK_EQUAL(form.pointer_bytes, pointer_bytes);
  CHECK_EQUAL(form.big_endian, big_endian);
  CHECK_EQUAL(add(&gmon, &file, &form, NULL), 0);
  gmon_sum(&gmon);
  check_example(&gmon, 2);
  gmon_free(&gmon);
  free(file.bytes);
}

/* Wherever a file ends, it is whole or refused in words. */
static void cut_files(void) {
  struct file file = written(&example, 8, false);
  size_t whole = 0, count = file.count;
  for (file.count = 0; file.count < count; file.count++) {
    struct gmon gmon = {0};
    struct gmon_form form = {.pointer_bytes = 8};
    struct error error = {0};
    if (add(&gmon, &file, &form, &error) == 0)
      whole++;
    else
      CHECK_CONTAINS(error.text, file.count < 4 ? "not a gmon.out of glibc" : "is cut off");
    gmon_free(&gmon);
  }
  CHECK_EQUAL(whole, 7); /* after the header and each of seven records but the last */
  free(file.bytes);
}

static void check_refused(struct gmon *gmon, struct file *file, const char *part) {
  struct gmon_form form = {.pointer_bytes = 8};
  struct error error = {0};
  CHECK_EQUAL(add(gmon, file, &form, &error), -1);
  CHECK_CONTAINS(error.text, part);
}

static void wrong_files(void) {
  struct gmon gmon = {0};
  struct gmon_form form = {.pointer_bytes = 8};
  struct file file = written(&example, 8, false);
  file.bytes[4] = 2;
  check_refused(&gmon, &file, "has version 2");
  file.bytes[4] = 1;
  file.bytes[20] = 9;
  check_refused(&gmon, &file, "unknown kind 9");
  file.bytes[20] = 0;
  CHECK_EQUAL(add(&gmon, &file, &form, NULL), 0);
  file.bytes[41] = 50; /* the rate */
  check_refused(&gmon, &file, "cannot be summed");
  file.bytes[41] = 100;
  file.bytes[29] = 32; /* where the histogram ends */
  check_refused(&gmon, &file, "overlap in part");
  file.bytes[29] = 0;
  file.bytes[30] = 0;
  check_refused(&gmon, &file, "begins at 0x1000 and ends at 0x0");
  file.bytes[0] = 'x';
  check_refused(&gmon, &file, "older BSD format");
  gmon_free(&gmon);
  free(file.bytes);
}

/* Sums of counts stay where they cannot be larger. */
static void large_counts(void) {
  static struct gmon_block most[] = {{0x1004, UINT64_MAX - 5}};
  struct gmon large = {.blocks = most, .block_count = 1}, sum = {0};
  struct file file = written(&large, 8, false);
  struct gmon_form form = {.pointer_bytes = 8};
  CHECK_EQUAL(add(&sum, &file, &form, NULL), 0);
  CHECK_EQUAL(add(&sum, &file, &form, NULL), 0);
  gmon_sum(&sum);
  CHECK_EQUAL(sum.block_count, 1);
  CHECK_EQUAL(sum.block_records, 2);
  CHECK_EQUAL(sum.blocks[0].count, UINT64_MAX);
  gmon_free(&sum);
  free(file.bytes);
}

int main(void) {
  for (int big = 0; big < 2; big++)
    for (int told = 0; told < 2; told++) {
      round_trip(8, big, told);
      round_trip(4, big, told);
    }
  cut_files();
  wrong_files();
  large_counts();
  return check_result();
}
