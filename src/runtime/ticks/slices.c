#include "runtime/ticks/slices.h"

#include "runtime/registry/storage.h"
#include "runtime/ticks/cpu_time.h"

#define ENTRIES_OF_A_LENGTH (1u << 16)
#define SLICES_LEAST 64 /* of the run so far */
#define PAGE 4096
#define ROWS_OF_BLOCK ((PAGE - sizeof(struct block_header)) / sizeof(struct recorded_slice))
#define BEGINNING UINT64_MAX /* a thread is about to begin one */

uint32_t slices_number;

static struct {
  uint64_t ends; /* when the slice does, by the time-stamp counter; atomic */
  uint32_t first_of_length;
  uint32_t doubled; /* so often */
  uint32_t entries; /* since then; atomic */
  struct block_header *block;
} slices;

static struct recorded_slice *row_of(uint32_t number) {
  struct block_header *block = slices.block;
  if (!block || number - block->first >= ROWS_OF_BLOCK) {
    block = storage_claim(BLOCK_SLICES, ROWS_OF_BLOCK * sizeof(struct recorded_slice), 0);
    if (!block) return NULL;
    block->first = number;
    block->used = block->bytes;
    slices.block = block;
  }
  return (struct recorded_slice *)block_payload(block) + (number - block->first);
}

/* Many entries make slices longer, but not so that a run has too few. */
static void lengthen(uint32_t number, uint64_t since_start) {
  bool many = __atomic_load_n(&slices.entries, __ATOMIC_RELAXED) >= ENTRIES_OF_A_LENGTH &&
              since_start >> slices.doubled >= SLICES_LEAST * cpu_time_cycles(SLICE_NS);
  if (number - slices.first_of_length < SLICES_OF_A_LENGTH && !many) return;
  slices.doubled++;
  slices.first_of_length = number;
  __atomic_store_n(&slices.entries, 0, __ATOMIC_RELAXED);
}

/* One thread at a time: `ends` is BEGINNING, or there is none but this thread. */
static void begin(uint32_t number, uint64_t tsc) {
  struct recorded_slice *row = row_of(number);
  if (row) {
    cpu_time_used(&row->cpu_ns, &row->resident_bytes);
    __atomic_store_n(&row->tsc, tsc, __ATOMIC_RELEASE);
    lengthen(number, tsc - storage_header()->tsc_started);
    __atomic_store_n(&slices_number, number, __ATOMIC_RELAXED);
  }
  uint64_t cycles = cpu_time_cycles(SLICE_NS) << slices.doubled;
  __atomic_store_n(&slices.ends, tsc + cycles, __ATOMIC_RELEASE);
}

void slices_start(void) {
  slices_number = slices.first_of_length = slices.doubled = slices.entries = 0;
  slices.block = NULL;
  begin(0, storage_header()->tsc_started);
}

uint32_t slices_at(uint64_t tsc) {
  uint64_t ends = __atomic_load_n(&slices.ends, __ATOMIC_ACQUIRE);
  if (tsc >= ends && __atomic_compare_exchange_n(&slices.ends, &ends, BEGINNING, false,
                                                 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    begin(slices_number + 1, tsc);
  return slices_last();
}

void slices_note_entry(void) {
  __atomic_fetch_add(&slices.entries, 1, __ATOMIC_RELAXED);
}
