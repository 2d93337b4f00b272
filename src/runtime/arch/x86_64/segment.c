#include "runtime/arch/x86_64/segment.h"

#include "runtime/registry/system.h"

#include <asm/prctl.h>
#include <sys/auxv.h>

#define MAY_WRITE_BASES 2 /* in AT_HWCAP2: the instruction is allowed (HWCAP2_FSGSBASE) */

static bool by_instruction;

void segment_start(void) {
  by_instruction = getauxval(AT_HWCAP2) & MAY_WRITE_BASES;
}

bool segment_set(uint64_t base) {
  if (!by_instruction) return system_call3(SYS_arch_prctl, ARCH_SET_GS, (long)base, 0) == 0;
  __asm__ volatile("wrgsbase %0" : : "r"(base) : "memory");
  return true;
}
