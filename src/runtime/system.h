/* System calls without a library: the runtime may not depend on libc's state in a hook or a signal
 * handler, nor touch errno.  All return the kernel's value: negative errno on failure. */
#ifndef ASCRIBE_RUNTIME_SYSTEM_H
#define ASCRIBE_RUNTIME_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#if !defined(__x86_64__)
#error "the contexts runtime is written for x86-64 so far"
#endif

static inline long system_call6(long number, long a, long b, long c, long d, long e, long f) {
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}
static inline long system_call3(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "0"(number), "D"(a), "S"(b), "d"(c)
                   : "rcx", "r11", "memory");
  return result;
}
static inline long system_call4(long number, long a, long b, long c, long d) {
  register long r10 __asm__("r10") = d;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                   : "rcx", "r11", "memory");
  return result;
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
 */
bool system_readable(uint64_t address);

uint64_t system_clock(int clock); /* nanoseconds of CLOCK_*, by system call */
uint64_t system_read_file(const char *path, char *buffer,
                          uint64_t size); /* bytes read; 0 on failure */

#endif
