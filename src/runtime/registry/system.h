/* System calls without a library: the runtime may not depend on libc's state in a hook or a signal
 * handler, nor touch errno.  All return the kernel's value: negative errno on failure.
 *
 * system_call* are the runtime's own: one that the program has forbidden itself on pain of being
 * killed (confinement.h) is not made, and fails with ENOSYS.  program_call* are those that the
 * program asked for. */
#ifndef ASCRIBE_RUNTIME_SYSTEM_H
#define ASCRIBE_RUNTIME_SYSTEM_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "runtime/arch/processor.h"

#define SYSTEM_CALLS 512 /* numbers from 0 on; no processor has more */

/* A bit for each number; atomic words. */
extern __attribute__((visibility("hidden"))) uint64_t system_forbidden[SYSTEM_CALLS / 64];

static inline bool system_forbids(long number) {
  return __atomic_load_n(&system_forbidden[number / 64], __ATOMIC_RELAXED) >> number % 64 & 1;
}

static inline long system_call6(long number, long a, long b, long c, long d, long e, long f) {
  return system_forbids(number) ? -ENOSYS : program_call6(number, a, b, c, d, e, f);
}
static inline long system_call3(long number, long a, long b, long c) {
  return system_forbids(number) ? -ENOSYS : program_call3(number, a, b, c);
}
static inline long system_call4(long number, long a, long b, long c, long d) {
  return system_forbids(number) ? -ENOSYS : program_call4(number, a, b, c, d);
}
static inline bool system_failed(long result) {
  return result < 0 && result > -4096;
}

/* Anonymous private memory, zeroed, touched only when used; null on failure. */
void *system_memory(uint64_t bytes);

/* Block every signal of this thread; the old mask goes to *old, for system_unblock. */
static inline void system_block_signals(uint64_t *old) {
  uint64_t all = ~0ull;
  system_call4(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, (long)&all, (long)old, 8);
}
static inline void system_unblock_signals(const uint64_t *old) {
  system_call4(SYS_rt_sigprocmask, 2, (long)old, 0, 8);
}

/* Whether the page of an address can be read: asked of the kernel, with a call that does nothing.
 * False where it may not be asked. */
bool system_readable(uint64_t address);

/* Nanoseconds of CLOCK_*, by system call; 0: it may not be asked. */
uint64_t system_clock(int clock);
uint64_t system_read_file(const char *path, char *buffer,
                          uint64_t size); /* bytes read; 0 on failure */

#endif
