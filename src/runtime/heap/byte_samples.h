/* Sampling of allocations by their bytes: a Poisson process of one sample per `mean` bytes on
 * average, along what each thread allocates.  An allocation is a sample if the process meets it,
 * with the probability p = 1 - exp(-size / mean), and stands for 1 / p of its size: so all
 * estimates are without bias, whatever the sizes.  Whole numbers only, as the runtime may use no
 * others.
 *
 * Allocations of less than SAMPLED_LEAST bytes are met as if they had so many, as they take them.
 */
#ifndef ASCRIBE_RUNTIME_BYTE_SAMPLES_H
#define ASCRIBE_RUNTIME_BYTE_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#define SAMPLED_LEAST 16u

/* What a sample stands for, and adds to the variance of a sum: in the units of struct recorded_heap
 * (recording/layout.h). */
struct sample_weight {
  uint64_t blocks, bytes;
  uint64_t blocks_variance, bytes_variance;
};

/* Bytes until the next sample, exponentially distributed. `random`: 64 random bits. */
uint64_t byte_samples_gap(uint64_t mean, uint64_t random);

/* Of an allocation of `bytes` that was met. The number of blocks is rounded, up with the
 * probability of its fraction: `up` says which way, and is to be the same when the block is freed.
 * `mean`: from HEAP_MEAN_LEAST to HEAP_MEAN_MOST. */
struct sample_weight byte_samples_weight(uint64_t mean, uint64_t bytes, bool up);

/* Which way it is rounded. */
bool byte_samples_round_up(uint64_t mean, uint64_t bytes, uint64_t random);

#endif
