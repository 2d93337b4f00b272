/* A table as Go's linker writes it, made by hand, and damaged ones. */
#include "unwind/go_table.h"

#include <stdlib.h>

#include "check.h"

#define TEXT 0x401000u

enum { HEADER_BYTES = 72, FUNCTIONS_AT = 80, VALUES_AT = 400, BYTES = 512 };

/* Two functions: [0x10, 0x40) with a frame of 24 bytes from its fifth byte on, and [0x40, ...),
 * which begins a goroutine. A third one sets its stack pointer. */
static struct { uint8_t bytes[BYTES]; } table;

static void put(uint32_t at, uint64_t value, uint32_t bytes) {
  memcpy(table.bytes + at, &value, bytes);
}

static void put_function(uint32_t number, uint32_t code, uint32_t description, uint32_t values,
                         uint32_t flag_at, uint8_t flags) {
  put(FUNCTIONS_AT + 8 * number, code, 4);
  put(FUNCTIONS_AT + 8 * number + 4, description, 4);
  put(FUNCTIONS_AT + description, code, 4);
  put(FUNCTIONS_AT + description + 16, values, 4);
  put(FUNCTIONS_AT + description + flag_at, flags, 1);
}

static void make(uint32_t version, uint64_t text) {
  uint32_t flag_at = version == 0xfffffff0u ? 37 : 41;
  memset(&table, 0, sizeof table);
  put(0, version, 4);
  put(6, 1, 1);
  put(7, 8, 1);
  put(8, 3, 8);
  put(24, text, 8);
  put(56, VALUES_AT, 8);
  put(64, FUNCTIONS_AT, 8);
  put_function(0, 0x10, 32, 1, flag_at, 0);
  put_function(1, 0x40, 96, 1, flag_at, 1);
  put_function(2, 0x60, 160, 1, flag_at, 2);
  /* 0 for 4 bytes, 24 for 0x2a, 0 for the last two. */
  static const uint8_t values[] = {2, 4, 48, 0x2a, 47, 2, 0};
  memcpy(table.bytes + VALUES_AT + 1, values, sizeof values);
}

static struct unwind_tables opened(uint64_t text) {
  struct unwind_tables tables = {.image = table.bytes, .bytes = BYTES};
  unwind_go_table_open(&tables, 0, BYTES, text);
  return tables;
}

static void check_depth(const struct unwind_tables *tables, uint64_t code, int32_t depth) {
  struct unwind_row row;
  CHECK_EQUAL(unwind_go_row(tables, TEXT + code, &row), 0);
  CHECK_EQUAL(row.cfa_register, UNWIND_RSP);
  CHECK_EQUAL(row.cfa_offset, depth + 8);
  CHECK_EQUAL(row.place[UNWIND_RIP], UNWIND_AT_CFA);
  CHECK_EQUAL(row.place[UNWIND_RBP], UNWIND_UNKNOWN);
}

static void check_rows(const struct unwind_tables *tables) {
  struct unwind_row row;
  check_depth(tables, 0x10, 0);
  check_depth(tables, 0x13, 0);
  check_depth(tables, 0x14, 24);
  check_depth(tables, 0x3d, 24);
  check_depth(tables, 0x3e, 0);
  CHECK_EQUAL(unwind_go_row(tables, TEXT + 0xf, &row), -1);
  CHECK_EQUAL(unwind_go_row(tables, TEXT - 1, &row), -1);
  CHECK_EQUAL(unwind_go_row(tables, TEXT + (1ull << 33), &row), -1);
  CHECK_EQUAL(unwind_go_row(tables, TEXT + 0x41, &row), 0);
  CHECK_EQUAL(row.place[UNWIND_RIP], UNWIND_UNKNOWN); /* it has no caller */
  CHECK_EQUAL(unwind_go_row(tables, TEXT + 0x61, &row), -1);
}

static void versions(void) {
  for (uint32_t version = 0xfffffff0u; version <= 0xfffffff1u; version++) {
    make(version, TEXT);
    struct unwind_tables tables = opened(0);
    check_rows(&tables);
    make(version, 0); /* where it begins is for the loader to say */
    tables = opened(TEXT);
    check_rows(&tables);
  }
  make(0xfffffffau, TEXT);
  struct unwind_tables older = opened(TEXT);
  struct unwind_row row;
  CHECK_EQUAL(unwind_go_row(&older, TEXT + 0x14, &row), -1);
}

/* Frames of a C compiler too: .text need not begin with Go's code. */
static void beside_other_code(void) {
  make(0xfffffff1u, 0);
  struct unwind_tables tables = {.image = table.bytes, .bytes = BYTES, .frames_end = 1};
  struct unwind_row row;
  unwind_go_table_open(&tables, 0, BYTES, TEXT);
  CHECK_EQUAL(unwind_go_row(&tables, TEXT + 0x14, &row), -1);
}

/* A depth beyond all numbers: its sum overflows, which a sanitizer sees. */
static void endless_depth(void) {
  static const uint8_t values[] = {0xff, 0xff, 0xff, 0xff, 0x0f, 0x7f, 0};
  struct unwind_row row;
  make(0xfffffff1u, TEXT);
  memcpy(table.bytes + VALUES_AT + 1, values, sizeof values);
  struct unwind_tables tables = opened(0);
  CHECK_EQUAL(unwind_go_row(&tables, TEXT + 0x14, &row), -1);
}

/* In bytes that end where they say: reading on is an error that the sanitizer sees. */
static void damaged(void) {
  struct unwind_row row;
  srand(1);
  for (int round = 0; round < 100000; round++) {
    uint64_t bytes = (uint64_t)(rand() % BYTES);
    make(0xfffffff0u + (round & 1), TEXT);
    for (int i = rand() % 4; i > 0; i--)
      table.bytes[8 + rand() % (VALUES_AT + 8 - 8)] = (uint8_t)(rand() % 2 ? rand() : 0xff);
    uint8_t *copy = malloc(bytes + 1);
    memcpy(copy, table.bytes, bytes);
    struct unwind_tables tables = {.image = copy, .bytes = bytes};
    unwind_go_table_open(&tables, 0, bytes, TEXT);
    for (uint64_t code = 0; code < 0x80; code += 5)
      unwind_go_row(&tables, TEXT + code, &row);
    free(copy);
  }
}

int main(void) {
  versions();
  beside_other_code();
  endless_depth();
  damaged();
  return check_result();
}
