/* The code that a signal has interrupted, by the third argument of its handler. */
#ifndef ASCRIBE_RUNTIME_INTERRUPTED_H
#define ASCRIBE_RUNTIME_INTERRUPTED_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#define CALL_BYTES 2 /* of the instruction that makes a system call */

static inline uint64_t interrupted_pc(const ucontext_t *machine) {
  return (uint64_t)machine->uc_mcontext.gregs[REG_RIP];
}

static inline uint64_t interrupted_stack(const ucontext_t *machine) {
  return (uint64_t)machine->uc_mcontext.gregs[REG_RSP];
}

/* Bits of the signals that it goes on with blocked. */
static inline uint64_t *interrupted_mask(ucontext_t *machine) {
  return (uint64_t *)&machine->uc_sigmask;
}

/* Whether it was in a system call, judging by the registers that a system call changes. */
static inline bool interrupted_in_call(const ucontext_t *machine) {
  const greg_t *registers = machine->uc_mcontext.gregs;
  return registers[REG_RCX] == registers[REG_RIP] && registers[REG_R11] == registers[REG_EFL];
}

/* Whether the kernel will start the system call again that the signal has interrupted; and that it
 * does not: the call returns EINTR. */
static inline bool interrupted_call_restarts(const ucontext_t *machine) {
  const greg_t *registers = machine->uc_mcontext.gregs;
  return registers[REG_RCX] == registers[REG_RIP] + CALL_BYTES &&
         registers[REG_R11] == registers[REG_EFL];
}
static inline void interrupted_end_call(ucontext_t *machine) {
  if (!interrupted_call_restarts(machine)) return;
  machine->uc_mcontext.gregs[REG_RAX] = -EINTR;
  machine->uc_mcontext.gregs[REG_RIP] += CALL_BYTES;
}

/* Whether what looks like the result of a system call is EINTR. */
static inline bool interrupted_result_is_eintr(const ucontext_t *machine) {
  return machine->uc_mcontext.gregs[REG_RAX] == -EINTR;
}

#endif
