#include "runtime/heap/byte_samples.h"

#include "recording/layout.h"

/* Numbers from 0 to 1, and a little more, have 60 binary places. */
#define PLACES 60
#define ONE (1ull << PLACES)
#define INVERSE_OF_E 424136118829305329ull /* exp(-1) */
#define LOG_OF_2 799144290325165979ull
#define CERTAIN 41 /* means: exp(-41) is nothing in 60 places */

static uint64_t product(uint64_t a, uint64_t b) {
  return (uint64_t)((unsigned __int128)a * b >> PLACES);
}

/* ln((1 + z) / (1 - z)) = 2 (z + z^3 / 3 + z^5 / 5 ...), for z up to 1/3. */
static uint64_t log_of_ratio(uint64_t z) {
  uint64_t square = product(z, z), power = z, sum = 0;
  for (uint64_t i = 1; power; i += 2, power = product(power, square))
    sum += power / i;
  return 2 * sum;
}

/* -ln of a random number above 0, up to 1, that is m 2^-k with m from 1/2 to 1: k ln 2 - ln m. */
uint64_t byte_samples_gap(uint64_t mean, uint64_t random) {
  uint64_t halvings = random ? (uint64_t)__builtin_clzll(random) : 63;
  uint64_t m = random << halvings >> (64 - PLACES); /* from 1/2 */
  if (m < ONE / 2) m = ONE / 2;
  uint64_t up = ONE - m, down = ONE + m; /* -ln m = ln((1 + z) / (1 - z)), z = (1 - m) / (1 + m) */
  uint64_t z = (up << 3) / (down >> 29) << 28; /* to 32 places: up is below 2^60 */
  uint64_t logarithm = log_of_ratio(z);
  return (uint64_t)(((unsigned __int128)mean * logarithm >> PLACES) +
                    ((unsigned __int128)mean * LOG_OF_2 * halvings >> PLACES));
}

/* (1 - exp(-x)) / x = 1 - x/2 (1 - x/3 (1 - x/4 ...)), for x from 0 to 1. */
static uint64_t rise_per_x(uint64_t x) {
  enum { TERMS = 20 }; /* 1 / 20! is nothing in 60 places */
  uint64_t value = ONE;
  for (uint64_t k = TERMS; k >= 2; k--)
    value = ONE - product(x, value) / k;
  return value;
}

/* What is known of a size: `weight` is size / p in bytes, `missed` 1 - p. */
struct chance {
  uint64_t weight, missed;
};

static struct chance chance_of(uint64_t mean, uint64_t size) {
  uint64_t whole = size / mean, x = (((size % mean) << 36) / mean) << (PLACES - 36);
  if (whole >= CERTAIN) return (struct chance){size, 0};
  uint64_t rise = rise_per_x(x), missed = ONE - product(x, rise);
  /* size / p = mean x / (x rise) */
  if (!whole) return (struct chance){((mean << 36) + (rise >> 25)) / (rise >> 24), missed};
  for (uint64_t i = 0; i < whole; i++)
    missed = product(missed, INVERSE_OF_E);
  /* size / p = size (1 + missed / p) */
  uint64_t more = missed / ((ONE - missed) >> 36); /* 36 places */
  return (struct chance){size + (uint64_t)((unsigned __int128)size * more >> 36), missed};
}

static uint64_t size_of(uint64_t bytes) {
  return bytes < SAMPLED_LEAST ? SAMPLED_LEAST : bytes;
}

bool byte_samples_round_up(uint64_t mean, uint64_t bytes, uint64_t random) {
  uint64_t size = size_of(bytes);
  return random % size < chance_of(mean, size).weight % size;
}

/* Of the blocks: (1 - p) / p^2, and f (1 - f) for rounding the fraction f. Sizes of 2^29 and more,
 * 32 times the greatest mean, leave nothing. */
static uint64_t blocks_variance(uint64_t mean, uint64_t size, struct chance chance,
                                uint64_t square) {
  if (size >> 29) return 0;
  uint64_t part = ((chance.weight % size) << 16) / size;
  uint64_t rounding = (part * ((1u << 16) - part)) / (mean * mean >> 16);
  uint64_t whole = product((square << 8) / (size * size), chance.missed) + rounding; /* 40 places */
  return (whole >> (40 - HEAP_VARIANCE_OF_BLOCKS)) + (whole >> (39 - HEAP_VARIANCE_OF_BLOCKS) & 1);
}

struct sample_weight byte_samples_weight(uint64_t mean, uint64_t bytes, bool up) {
  uint64_t size = size_of(bytes);
  struct chance chance = chance_of(mean, size);
  struct sample_weight weight = {.blocks = chance.weight / size + up};
  weight.bytes = bytes < size ? chance.weight * bytes / size : chance.weight;
  if (!chance.missed) return weight;
  uint64_t means = (chance.weight << HEAP_VARIANCE_OF_BYTES) / mean, square = means * means;
  weight.blocks_variance = blocks_variance(mean, size, chance, square);
  weight.bytes_variance = product(square >> HEAP_VARIANCE_OF_BYTES, chance.missed);
  if (bytes < size) weight.bytes_variance = weight.bytes_variance * bytes * bytes / (size * size);
  return weight;
}
