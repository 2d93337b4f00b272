#include "runtime/arch/x86_64/jump_target.h"

#define HOPS 4 /* from a thunk to a PLT entry to a function */

static bool begins_with(uint64_t code, const uint8_t *bytes, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    if (((const uint8_t *)code)[i] != bytes[i]) return false;
  return true;
}

static int32_t distance_at(uint64_t code) {
  int32_t distance;
  __builtin_memcpy(&distance, (const void *)code, sizeof distance);
  return distance;
}

static uint64_t after_landing(uint64_t code) {
  static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
  return begins_with(code, endbr64, sizeof endbr64) ? code + sizeof endbr64 : code;
}

/* The size of one instruction that adjusts `this`, which is in rdi or rsi; 0: it is another one. */
static unsigned adjustment(uint64_t code) {
  static const struct {
    uint8_t bytes[3];
    uint8_t count, size;
  } known[] = {
      {{0x48, 0x83, 0xef}, 3, 4}, {{0x48, 0x83, 0xc7}, 3, 4}, /* sub, add: 8 bits, rdi */
      {{0x48, 0x81, 0xef}, 3, 7}, {{0x48, 0x81, 0xc7}, 3, 7}, /* 32 bits */
      {{0x48, 0x83, 0xee}, 3, 4}, {{0x48, 0x83, 0xc6}, 3, 4}, /* rsi */
      {{0x48, 0x81, 0xee}, 3, 7}, {{0x48, 0x81, 0xc6}, 3, 7},
      {{0x4c, 0x8b, 0x17}, 3, 3}, {{0x4c, 0x8b, 0x16}, 3, 3}, /* mov (rdi or rsi), r10 */
      {{0x49, 0x03, 0x7a}, 3, 4}, {{0x49, 0x03, 0xba}, 3, 7}, /* add distance(r10), rdi */
      {{0x49, 0x03, 0x72}, 3, 4}, {{0x49, 0x03, 0xb2}, 3, 7},
  };
  for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
    if (begins_with(code, known[i].bytes, known[i].count)) return known[i].size;
  return 0;
}

/* 0: not a jump. */
static uint64_t jump_target(uint64_t code) {
  static const uint8_t bound[] = {0xf2}, near[] = {0xe9}, shorter[] = {0xeb},
                       by_got[] = {0xff, 0x25};
  if (begins_with(code, bound, 1)) code++;
  if (begins_with(code, near, 1)) return code + 5 + (uint64_t)(int64_t)distance_at(code + 1);
  if (begins_with(code, shorter, 1)) return code + 2 + (uint64_t)(int64_t)((const int8_t *)code)[1];
  if (begins_with(code, by_got, 2))
    return *(const uint64_t *)(code + 6 + (uint64_t)(int64_t)distance_at(code + 2));
  return 0;
}

bool jump_leads_to(uint64_t called, uint64_t code) {
  for (int hops = 0; hops < HOPS && called; hops++) {
    if (called == code) return true;
    called = after_landing(called);
    for (unsigned size; (size = adjustment(called));) {
      called += size;
      if (called == code) return true; /* it follows */
    }
    called = jump_target(called);
  }
  return false;
}
