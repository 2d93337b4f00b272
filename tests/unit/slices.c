/* Slices of a run's time: as many as the rule says, however long it runs. */
#include "runtime/ticks/slices.h"

#include <stdlib.h>

#include "check.h"
#include "runtime/registry/storage.h"
#include "runtime/ticks/cpu_time.h"

/* ---- what the runtime would be asked for ---- */

static struct recording_header header = {.tsc_started = 1};

struct recording_header *storage_header(void) {
  return &header;
}

struct block_header *storage_claim(enum block_kind kind, uint64_t bytes, uint32_t thread) {
  struct block_header *block = calloc(1, sizeof *block + bytes); /* kept */
  CHECK(block && kind == BLOCK_SLICES && thread == 0);
  block->bytes = sizeof *block + bytes;
  return block;
}

/* A cycle takes a nanosecond. */
uint64_t cpu_time_cycles(uint64_t ns) {
  return ns;
}

bool cpu_time_used(uint64_t *ns, uint64_t *resident_bytes) {
  *ns = *resident_bytes = 1;
  return true;
}

/* ---- */

/* One tick every 10 ms, which makes `entries` of what is kept by slice; until `end`. */
static uint32_t slices_until(uint64_t end, uint32_t entries) {
  slices_start();
  for (uint64_t now = 0; now < end; now += SLICE_NS) {
    slices_at(header.tsc_started + now);
    for (uint32_t i = 0; i < entries; i++)
      slices_note_entry();
  }
  return slices_last() + 1;
}

/* The first 512 take 10 ms each, the next 20 ms, and so on. */
static void double_after_each_length(void) {
  uint64_t length = SLICES_OF_A_LENGTH, end = 0;
  for (uint32_t doubled = 0; doubled < 5; doubled++) {
    end += (length * SLICE_NS) << doubled;
    CHECK_EQUAL(slices_until(end, 0), (doubled + 1) * length);
  }
}

/* Twelve lengths take 5.8 hours; the rest of the ten are 41 s each. */
static void ten_hours_are_few(void) {
  uint64_t seconds = 36000, full = 12, before_ns = 0, last_ns = (uint64_t)SLICE_NS << full;
  for (uint64_t i = 0; i < full; i++)
    before_ns += (SLICES_OF_A_LENGTH * (uint64_t)SLICE_NS) << i;
  uint64_t left = (seconds * 1000000000 - before_ns + last_ns - 1) / last_ns;
  CHECK_EQUAL(slices_until(seconds * 1000000000, 0), full * SLICES_OF_A_LENGTH + left);
  CHECK(slices_last() < 7000);
}

/* Ticks that meet something new each time make slices longer earlier. */
static void many_entries_make_fewer(void) {
  uint64_t hour_ns = 3600000000000;
  uint32_t busy = slices_until(hour_ns, 200), idle = slices_until(hour_ns, 0);
  CHECK(busy >= 64);
  CHECK(busy < idle);
}

int main(void) {
  double_after_each_length();
  ten_hours_are_few();
  many_entries_make_fewer();
  return check_result();
}
