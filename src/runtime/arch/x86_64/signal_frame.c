#include "runtime/arch/x86_64/signal_frame.h"

#include "runtime/registry/alternate_stack.h"

#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#define RED_ZONE 128 /* below the stack pointer: code may use it */
#define CALL_ALIGNMENT 16
#define STATE_ALIGNMENT 64
#define PLAIN_STATE 512 /* of floating-point registers */
/* Where the kernel notes in it that there is more, and how much (sigcontext.h). */
#define STATE_NOTE 464
#define STATE_MAGIC 0x46505853u

/* What the kernel puts on the stack: the handler's return address, its third and second argument;
 * above them, the state of the floating-point registers. */
static char *frame_of(void *machine) {
  return (char *)machine - sizeof(void *);
}

static bool is_within(uint64_t address, const stack_t *stack) {
  return address - (uint64_t)stack->ss_sp <= stack->ss_size;
}

/* Whether the kernel has gone over to a stack that the program does not expect. */
static bool is_misplaced(const ucontext_t *machine, bool on_alternate) {
  const stack_t *stack = &machine->uc_stack;
  if (!stack->ss_size || !is_within((uint64_t)machine, stack)) return false;
  if (is_within((uint64_t)machine->uc_mcontext.gregs[REG_RSP], stack)) return false;
  return !on_alternate || !alternate_stack_is_chosen_here(stack);
}

static uint64_t state_bytes(const void *state) {
  const uint32_t *note = (const uint32_t *)((const char *)state + STATE_NOTE);
  return note[0] == STATE_MAGIC ? note[1] : PLAIN_STATE;
}

static void copy(void *to, const void *from, uint64_t bytes) {
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

/* What is called there finds everything as the kernel would have left it. */
static _Noreturn void go_on(signal_handler *handler, int signal, char *frame, uint64_t info) {
  ucontext_t *machine = (ucontext_t *)(frame + sizeof(void *));
  __asm__ volatile("mov %0, %%rsp\n\t"
                   "mov %1, %%rbp\n\t"
                   "jmp *%%rax"
                   :
                   : "r"(frame), "r"(machine->uc_mcontext.gregs[REG_RBP]), "a"(handler),
                     "D"(signal), "S"(frame + info), "d"(machine)
                   : "memory");
  __builtin_unreachable();
}

void signal_frame_handle(signal_handler *handler, bool on_alternate, int signal, siginfo_t *info,
                         void *machine) {
  const ucontext_t *before = machine;
  if (!is_misplaced(before, on_alternate)) {
    handler(signal, info, machine);
    return;
  }
  char *old = frame_of(machine);
  void *old_state = before->uc_mcontext.fpregs;
  uint64_t bytes = (uint64_t)((char *)(info + 1) - old), state = state_bytes(old_state);
  uint64_t top = (uint64_t)before->uc_mcontext.gregs[REG_RSP] - RED_ZONE;
  char *new_state = (char *)((top - state) / STATE_ALIGNMENT * STATE_ALIGNMENT);
  char *frame =
      (char *)((uint64_t)(new_state - bytes) / CALL_ALIGNMENT * CALL_ALIGNMENT) - sizeof(void *);
  copy(new_state, old_state, state);
  copy(frame, old, bytes);
  ((ucontext_t *)(frame + sizeof(void *)))->uc_mcontext.fpregs = (void *)new_state;
  go_on(handler, signal, frame, (uint64_t)((char *)info - old));
}
