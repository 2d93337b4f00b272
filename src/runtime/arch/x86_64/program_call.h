/* The instruction that makes a system call, on the program's behalf or on ours (system.h). Returns
 * the kernel's value: a negative errno on failure. */
#ifndef ASCRIBE_RUNTIME_PROGRAM_CALL_H
#define ASCRIBE_RUNTIME_PROGRAM_CALL_H

#include <linux/audit.h>

#define CALLS_OF AUDIT_ARCH_X86_64 /* as filters of system calls are told it */

static inline long program_call6(long number, long a, long b, long c, long d, long e, long f) {
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
static inline long program_call3(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "0"(number), "D"(a), "S"(b), "d"(c)
                   : "rcx", "r11", "memory");
  return result;
}
static inline long program_call4(long number, long a, long b, long c, long d) {
  register long r10 __asm__("r10") = d;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                   : "rcx", "r11", "memory");
  return result;
}

#endif
