#include "recording/system_call.h"

#include <stdbool.h>

static bool ends_in(const uint8_t *end, uint64_t bytes, const uint8_t *code, uint64_t length) {
  if (bytes < length) return false;
  for (uint64_t i = 0; i < length; i++)
    if ((end - length)[i] != code[i]) return false;
  return true;
}

/* An instruction that may stand between the load and the system call, as in glibc: one that changes
 * the second argument, of futex. */
static uint64_t other_instruction(const uint8_t *end, uint64_t bytes) {
  static const uint8_t xor_sil[] = {0x40, 0x80, 0xf6};
  return bytes >= 4 && ends_in(end - 1, bytes - 1, xor_sil, sizeof xor_sil) ? 4 : 0;
}

static uint32_t immediate(const uint8_t *at) {
  return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

uint64_t system_call_pc(const uint8_t *end, uint64_t bytes) {
  static const uint8_t system_call[] = {0x0f, 0x05}, zero[] = {0x31, 0xc0};
  const uint8_t load = 0xb8; /* mov $number, %eax */
  if (!ends_in(end, bytes, system_call, sizeof system_call)) return PC_INTERRUPT;
  end -= sizeof system_call;
  bytes -= sizeof system_call;
  uint64_t between = other_instruction(end, bytes);
  end -= between;
  bytes -= between;
  uint32_t number = SYSTEM_CALLS_MOST;
  if (bytes >= 5 && end[-5] == load)
    number = immediate(end - 4);
  else if (ends_in(end, bytes, zero, sizeof zero))
    number = 0;
  return number < SYSTEM_CALLS_MOST ? PC_NUMBERED_CALL + number : PC_SYSTEM_CALL;
}
