/* Samples of allocations by their bytes: what one stands for, and that the sums have no bias and
 * intervals that hold, whatever the sizes. */
#include "runtime/heap/byte_samples.h"

#include <math.h>

#include "attribution/books.h"
#include "check.h"
#include "recording/layout.h"

static uint64_t state = 88172645463325252u;

/* splitmix64 */
static uint64_t random_bits(void) {
  uint64_t x = state += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

static bool is_near(double got, double expected, double apart) {
  if (fabs(got - expected) <= apart) return true;
  printf("%g is not %g\n", got, expected);
  return false;
}

static double unit_of_blocks(double mean) {
  return ldexp(mean / 16 * mean / 16, -HEAP_VARIANCE_OF_BLOCKS);
}

static double unit_of_bytes(double mean) {
  return ldexp(mean * mean, -HEAP_VARIANCE_OF_BYTES);
}

static void check_weight(uint64_t mean, uint64_t bytes) {
  double size = bytes < SAMPLED_LEAST ? SAMPLED_LEAST : bytes;
  double p = -expm1(-size / mean), blocks = 1 / p;
  struct sample_weight weight = byte_samples_weight(mean, bytes, false);
  CHECK(is_near((double)weight.bytes, bytes / p, 1 + 1e-6 * bytes / p));
  CHECK_EQUAL(byte_samples_weight(mean, bytes, true).blocks, weight.blocks + 1);
  CHECK(is_near((double)weight.blocks, floor(blocks * (1 + 1e-9)), 1 + 1e-3 * blocks));
  double rounding = (blocks - floor(blocks)) * (1 - blocks + floor(blocks));
  double of_blocks = (1 - p) / p / p, of_bytes = bytes * (double)bytes * (1 - p) / p / p;
  CHECK(is_near(weight.blocks_variance * unit_of_blocks(mean), of_blocks + rounding,
                2e-3 * of_blocks + 0.05 + 2 * unit_of_blocks(mean)));
  CHECK(is_near(weight.bytes_variance * unit_of_bytes(mean), of_bytes,
                2e-3 * of_bytes + 2 * unit_of_bytes(mean)));
}

static void weights(void) {
  static const uint64_t means[] = {HEAP_MEAN_LEAST, 5000, 524288, HEAP_MEAN_MOST};
  for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
    for (uint64_t bytes = 0; bytes < 100; bytes++)
      check_weight(means[i], bytes);
    for (uint64_t bytes = 100; bytes < 1ull << 41; bytes += bytes / 7)
      check_weight(means[i], bytes);
    for (int64_t off = -2; off <= 2; off++)
      check_weight(means[i], means[i] + off);
  }
}

/* Rounding up is as likely as its fraction says. */
static void rounding(void) {
  enum { MEAN = 4096, DRAWS = 100000 };
  for (uint64_t bytes = 700; bytes < 20000; bytes *= 2) {
    double blocks = 1 / -expm1(-(double)bytes / MEAN), sum = 0;
    for (int i = 0; i < DRAWS; i++)
      sum += byte_samples_weight(MEAN, bytes, byte_samples_round_up(MEAN, bytes, random_bits()))
                 .blocks;
    CHECK(is_near(sum / DRAWS, blocks, 0.01));
  }
}

static void gaps(void) {
  enum { MEAN = 524288, DRAWS = 400000 };
  double sum = 0, short_ones = 0, long_ones = 0;
  for (int i = 0; i < DRAWS; i++) {
    uint64_t gap = byte_samples_gap(MEAN, random_bits());
    sum += gap;
    short_ones += gap < MEAN / 10;
    long_ones += gap > 3 * MEAN;
  }
  CHECK(is_near(sum / DRAWS / MEAN, 1, 0.007));
  CHECK(is_near(short_ones / DRAWS, -expm1(-0.1), 0.002));
  CHECK(is_near(long_ones / DRAWS, exp(-3), 0.0015));
  CHECK(byte_samples_gap(MEAN, UINT64_MAX) < 2);
  CHECK(byte_samples_gap(MEAN, 0) > 40 * (uint64_t)MEAN);
}

/* ---- whole runs ---- */

enum { MEAN = 4096, RUNS = 2000 };

struct mixture {
  uint64_t sizes[5];
  size_t count;
};

struct sums {
  double truth, found, held;
};

static bool holds(struct amount amount, double heaviest, double truth) {
  struct books books = {.heaviest = heaviest, .all = amount, .sampled_ns = amount.raw_ns};
  struct estimate estimate = books_estimate(&books, amount);
  return estimate.low_ns <= truth && truth <= estimate.high_ns;
}

static void one_run(const struct mixture *mixture, uint64_t allocations, struct sums *blocks,
                    struct sums *bytes) {
  struct amount of_blocks = {0}, of_bytes = {0};
  double truth = 0;
  int64_t left = (int64_t)byte_samples_gap(MEAN, random_bits());
  for (uint64_t i = 0; i < allocations; i++) {
    uint64_t size = mixture->sizes[i % mixture->count];
    truth += size;
    left -= (int64_t)size;
    if (left >= 0) continue;
    left = (int64_t)byte_samples_gap(MEAN, random_bits());
    bool up = byte_samples_round_up(MEAN, size, random_bits());
    struct sample_weight weight = byte_samples_weight(MEAN, size, up);
    of_blocks = amount_sum(of_blocks,
                           (struct amount){1, weight.blocks, .variance = weight.blocks_variance});
    of_bytes =
        amount_sum(of_bytes, (struct amount){1, weight.bytes, .variance = weight.bytes_variance});
  }
  of_blocks.variance *= unit_of_blocks(MEAN);
  of_bytes.variance *= unit_of_bytes(MEAN);
  blocks->truth += allocations;
  blocks->found += of_blocks.raw_ns;
  blocks->held += holds(of_blocks, MEAN / 16, allocations);
  bytes->truth += truth;
  bytes->found += of_bytes.raw_ns;
  bytes->held += holds(of_bytes, MEAN, truth);
}

/* As many allocations as make so many samples on average. */
static void check_runs(const struct mixture *mixture, double samples) {
  double chance = 0;
  struct sums blocks = {0}, bytes = {0};
  for (size_t i = 0; i < mixture->count; i++)
    chance += -expm1(-(double)mixture->sizes[i] / MEAN) / mixture->count;
  for (int run = 0; run < RUNS; run++)
    one_run(mixture, (uint64_t)(samples / chance + 1), &blocks, &bytes);
  CHECK(is_near(blocks.found / blocks.truth, 1, samples < 100 ? 0.1 : 0.02));
  CHECK(is_near(bytes.found / bytes.truth, 1, samples < 100 ? 0.04 : 0.005));
  CHECK(blocks.held >= 0.93 * RUNS);
  CHECK(bytes.held >= 0.93 * RUNS);
}

static void runs(void) {
  static const struct mixture mixtures[] = {{{16, 24, 32, 48, 128}, 5},
                                            {{32}, 1},
                                            {{16, 64, 256, 1024, 8192}, 5},
                                            {{100, 1000, 3000}, 3},
                                            {{4096, 8192, 32768}, 3}};
  for (size_t i = 0; i < sizeof mixtures / sizeof *mixtures; i++) {
    check_runs(&mixtures[i], 3);
    check_runs(&mixtures[i], 300);
  }
}

int main(void) {
  weights();
  rounding();
  gaps();
  runs();
  return check_result();
}
