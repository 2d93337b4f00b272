/* libFuzzer target: unwind tables that may be anything. The first byte of the input says what the
 * rest is: 0 an ELF file, 1 Go's table, else an .eh_frame. Every rule is asked for and tried on a
 * stack that holds the same bytes. */
#include "unwind/entry.h"
#include "unwind/go_table.h"
#include "unwind/step_row.h"
#include "unwind/walk.h"

#include <stdlib.h>

#define ENTRIES_MOST 64
#define FRAMES_MOST 64
#define BIAS 0x7000000u /* of the object in the process that is walked */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct unwind_cache_slot slots[64];
static struct unwind_cache cache = {slots, 63};

static struct unwind_frame frame_at(uint64_t pc, uint64_t stack) {
  struct unwind_frame frame = {.known = UNWIND_ALL_KNOWN, .exact = true};
  for (uint32_t i = 0; i < UNWIND_REGISTERS; i++)
    frame.registers[i] = stack + 16 * i;
  frame.registers[UNWIND_RSP] = stack;
  frame.registers[UNWIND_RIP] = pc;
  return frame;
}

static void walk(const struct unwind_tables *tables, const struct unwind_memory *memory,
                 uint64_t pc, uint64_t generation) {
  struct unwind_object object = {0, UINT64_MAX, BIAS, tables};
  struct unwind_objects objects = {&object, 1};
  struct unwind_space space = {unwind_objects_find, &objects, &cache, generation};
  struct unwind_frame innermost = frame_at(pc + BIAS, memory->low);
  struct unwind_walk walk;
  uint64_t addresses[FRAMES_MOST];
  uint32_t count = FRAMES_MOST + 1;
  unwind_walk_begin(&walk, &innermost);
  enum unwind_end end = unwind_walk(&walk, &space, memory, addresses, FRAMES_MOST, &count);
  if (count > FRAMES_MOST || end == UNWIND_STEPPED) abort();
}

static void ask(const struct unwind_tables *tables, const struct unwind_memory *memory, uint64_t pc,
                uint64_t generation) {
  struct unwind_row row;
  struct unwind_frame frame = frame_at(pc, memory->low);
  struct unwind_rule rule = unwind_find_rule(tables, pc);
  bool has_row = unwind_find_row(tables, pc, &row) == 0;
  bool none = rule.kind == UNWIND_RULE_NONE || rule.kind == UNWIND_RULE_CHAIN;
  if (has_row == none) abort();
  if (has_row) unwind_step_row(tables, &row, &frame, memory);
  walk(tables, memory, pc, generation);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static uint64_t generation;
  struct unwind_tables tables = {0};
  if (!size) return 0;
  bool is_file = *data == 0;
  if (is_file) data++, size--;
  struct unwind_memory memory = {.low = 0x10000, .high = 0x10000 + size, .bytes = data};
  uint64_t bias;
  if (is_file) {
    if (unwind_tables_open(&tables, data, size) != 0) return 0;
    unwind_tables_bias(&tables, 0x400000, size, 0, &bias);
  } else if (*data == 1) {
    tables.image = data;
    tables.bytes = size;
    unwind_go_table_open(&tables, 1, size - 1, 0x1000);
  } else {
    tables = (struct unwind_tables){
        .image = data, .bytes = size, .frames = 1, .frames_end = size, .frames_base = 0x1000};
  }
  generation++;
  uint64_t at = tables.frames;
  for (int i = 0; i < ENTRIES_MOST && at; i++) {
    struct unwind_entry entry;
    bool is_code;
    at = unwind_entry_read(&tables, at, &entry, &is_code);
    if (!is_code) continue;
    ask(&tables, &memory, entry.begin, generation);
    ask(&tables, &memory, entry.begin + (entry.end - entry.begin) / 2, generation);
    ask(&tables, &memory, entry.end - 1, generation);
  }
  for (uint64_t place = 0x1000; place < 0x1400; place += 256)
    ask(&tables, &memory, place, generation);
  return 0;
}
