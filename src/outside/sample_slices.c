#include "outside/sample_slices.h"

#include "base/memory.h"

enum { LENGTHS_MOST = 24 }; /* three years */

uint32_t sample_slice_at(uint64_t ns) {
  uint64_t left = ns / SLICE_NS;
  uint32_t length = 0;
  while (length + 1 < LENGTHS_MOST && left >= (uint64_t)SLICES_OF_A_LENGTH << length)
    left -= (uint64_t)SLICES_OF_A_LENGTH << length++;
  left >>= length;
  if (left >= SLICES_OF_A_LENGTH) left = SLICES_OF_A_LENGTH - 1;
  return length * SLICES_OF_A_LENGTH + (uint32_t)left;
}

static uint64_t start_of(size_t slice) {
  size_t length = slice / SLICES_OF_A_LENGTH, of_length = slice % SLICES_OF_A_LENGTH;
  uint64_t before = (uint64_t)SLICES_OF_A_LENGTH * ((1u << length) - 1);
  return (before + ((uint64_t)of_length << length)) * SLICE_NS;
}

struct recorded_slice *sample_slices_make(size_t count) {
  struct recorded_slice *slices = memory_zeroed(count, sizeof *slices);
  for (size_t i = 0; i < count; i++)
    slices[i].tsc = start_of(i);
  return slices;
}
