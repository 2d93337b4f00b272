#include "unwind/go_table.h"

#include "unwind/byte_cursor.h"

#include <stddef.h>

#define VERSION_1_18 0xfffffff0u
#define VERSION_1_20 0xfffffff1u
#define POINTER_BYTES 8
#define VALUES_MOST 65536 /* of one function */

struct __attribute__((packed, may_alias)) go_header {
  uint32_t version;
  uint8_t zeros[2], instruction_bytes, pointer_bytes;
  uint64_t functions, files;
  uint64_t text; /* that the functions are relative to; 0: filled in by the loader */
  uint64_t names_at, units_at, files_at, values_at, functions_at; /* from the header */
};

/* An entry of the sorted table: a function, and where its description stands from the table's
 * begin. */
struct __attribute__((packed, may_alias)) go_function {
  uint32_t code, description;
};

struct __attribute__((packed, may_alias)) go_description {
  uint32_t code, name, arguments, deferred_return, stack_values;
};
#define FLAG_AT_1_18 37 /* in the description */
#define FLAG_AT_1_20 41
enum go_flag { FLAG_OUTERMOST = 1, FLAG_SETS_STACK_POINTER = 2 };

void unwind_go_table_open(struct unwind_tables *tables, uint64_t offset, uint64_t bytes,
                          uint64_t text) {
  tables->go_end = tables->go_functions = offset;
  tables->go_function_count = 0;
  const struct go_header *header = (const struct go_header *)(tables->image + offset);
  if (bytes < sizeof *header ||
      (header->version != VERSION_1_18 && header->version != VERSION_1_20) ||
      header->pointer_bytes != POINTER_BYTES || header->functions_at > bytes ||
      header->values_at > bytes ||
      header->functions > (bytes - header->functions_at) / sizeof(struct go_function))
    return;
  /* Beside code of other compilers, Go's need not be where .text begins. */
  if (!header->text && tables->frames_end) return;
  tables->go_text = header->text ? header->text : text;
  tables->go_functions = offset + header->functions_at;
  tables->go_function_count = (uint32_t)header->functions;
  tables->go_values = offset + header->values_at;
  tables->go_end = offset + bytes;
  tables->go_flag_at = header->version == VERSION_1_18 ? FLAG_AT_1_18 : FLAG_AT_1_20;
}

/* The last function that begins at or before `code`, or null. */
static const struct go_function *find(const struct unwind_tables *tables, uint64_t code) {
  const struct go_function *table =
      (const struct go_function *)(tables->image + tables->go_functions);
  uint32_t low = 0, high = tables->go_function_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (table[middle].code <= code)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? &table[low - 1] : NULL;
}

/* "Difference of the value, length of the code it holds for", from the function's begin on; the
 * first value is a difference to -1, and a difference of 0 ends the list. */
static int stack_depth(struct byte_cursor values, uint64_t code, int32_t *depth) {
  uint32_t value = UINT32_MAX; /* wraps around in tables that are damaged */
  uint64_t at = 0;
  for (uint32_t i = 0;; i++) {
    uint32_t difference = (uint32_t)byte_cursor_uleb(&values);
    if (values.failed || (!difference && i) || i == VALUES_MOST) return -1;
    value += -(difference & 1) ^ difference >> 1;
    at += byte_cursor_uleb(&values);
    if (values.failed) return -1;
    if (code < at) break;
  }
  *depth = (int32_t)value;
  return *depth < 0 || *depth % POINTER_BYTES ? -1 : 0;
}

int unwind_go_row(const struct unwind_tables *tables, uint64_t address, struct unwind_row *row) {
  uint64_t code = address - tables->go_text;
  const struct go_function *function =
      address < tables->go_text || code > UINT32_MAX ? NULL : find(tables, code);
  if (!function) return -1;
  uint64_t at = tables->go_functions + function->description;
  if (at > tables->go_end || tables->go_end - at < tables->go_flag_at + 1u) return -1;
  const struct go_description *description = (const struct go_description *)(tables->image + at);
  uint8_t flags = tables->image[at + tables->go_flag_at];
  *row = (struct unwind_row){.cfa_register = UNWIND_RSP};
  /* Go's functions save no registers for their callers. */
  for (uint32_t i = 0; i < UNWIND_REGISTERS; i++)
    row->place[i] = UNWIND_UNKNOWN;
  if (flags & FLAG_OUTERMOST) return 0;
  uint64_t values = tables->go_values + description->stack_values;
  if (flags & FLAG_SETS_STACK_POINTER || !description->stack_values || values > tables->go_end)
    return -1;
  struct byte_cursor cursor = {tables->image + values, tables->image + tables->go_end, false};
  if (stack_depth(cursor, code - function->code, &row->cfa_offset)) return -1;
  row->cfa_offset += POINTER_BYTES;
  row->place[UNWIND_RSP] = UNWIND_UNSAID;
  row->place[UNWIND_RIP] = UNWIND_AT_CFA;
  row->value[UNWIND_RIP] = -POINTER_BYTES;
  return 0;
}
