#include "runtime/arch/x86_64/time_stamp.h"

#include "runtime/registry/system.h"

#include <cpuid.h>
#include <time.h>

#define CYCLES_PER_NS 2 /* roughly */

bool time_stamp_runs_evenly(void) {
  unsigned a, b, c, d;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8; /* invariant TSC */
}

int time_stamp_forbidden;
static uint64_t last, last_ns; /* when it was forbidden */

uint64_t time_stamp_of_clock(void) {
  uint64_t now = system_clock(CLOCK_MONOTONIC);
  return now ? last + (now - last_ns) * CYCLES_PER_NS : last; /* it may not be asked either */
}

void time_stamp_forbid(void) {
  if (__atomic_load_n(&time_stamp_forbidden, __ATOMIC_ACQUIRE)) return;
  last = __builtin_ia32_rdtsc();
  last_ns = system_clock(CLOCK_MONOTONIC);
  __atomic_store_n(&time_stamp_forbidden, 1, __ATOMIC_RELEASE);
}
