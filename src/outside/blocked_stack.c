#include "outside/blocked_stack.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "outside/file_fault.h"
#include "outside/frame_pointer.h"

enum { WINDOW = 16384 };

int blocked_find(pid_t process, pid_t thread, struct blocked *blocked) {
  char path[64], text[256];
  snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)process, (int)thread);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
  int error = errno;
  if (file >= 0) close(file);
  if (length < 0) return error == ENOENT || error == ESRCH ? 0 : -error;
  text[length] = '\0';
  /* "running", or "number argument... sp pc", or, outside of system calls, "-1 sp pc". Linux 6.1
   * says so of a first thread that has ended before others, too: it is in exit for ever. */
  long number = strtol(text, NULL, 10);
  if (number == SYS_exit || number == SYS_exit_group) return 0;
  blocked->in_call = number >= 0;
  blocked->kernel_pc =
      number < SYSTEM_CALLS_MOST ? PC_NUMBERED_CALL + (uint64_t)number : PC_SYSTEM_CALL;
  char *pc = strrchr(text, ' ');
  if (!pc) return 0;
  *pc = '\0';
  char *sp = strrchr(text, ' ');
  return sp && sscanf(sp, "%" SCNx64, &blocked->sp) == 1 &&
         sscanf(pc + 1, "%" SCNx64, &blocked->pc) == 1 && blocked->sp; /* 0: it has ended */
}

/* ---- the memory of the process ---- */

struct window {
  pid_t thread; /* the process may have lost its first one */
  uint64_t start, bytes;
  uint64_t words[WINDOW / 8];
};

/* As much as there is from `address` on. */
static void window_read(struct window *window, uint64_t address) {
  struct iovec to = {window->words, WINDOW}, from = {(void *)address, WINDOW};
  ssize_t got = process_vm_readv(window->thread, &to, 1, &from, 1, 0);
  window->start = address;
  window->bytes = got < 0 ? 0 : (uint64_t)got / 8 * 8;
}

static bool load_elsewhere(void *context, uint64_t address, uint64_t *value) {
  struct window *window = context;
  if (address % 8) return false;
  if (address - window->start >= window->bytes) window_read(window, address);
  if (!window->bytes) return false;
  *value = window->words[(address - window->start) / 8];
  return true;
}

/* ---- the walk ---- */

struct search {
  struct sampled_stack *stack;
  const struct address_space *space;
  struct window near, far; /* from the stack pointer on; anything else */
  const struct blocked *blocked;
};

static void walk(void *context) {
  struct search *search = context;
  struct sampled_stack *stack = search->stack;
  const struct blocked *blocked = search->blocked;
  struct unwind_objects objects = {search->space->code, search->space->count};
  struct unwind_space space = {.find_object = unwind_objects_find,
                               .objects = &objects,
                               .cache = &stack->cache,
                               .generation = search->space->generation};
  struct unwind_memory memory = {.low = blocked->sp,
                                 .high = blocked->sp + search->near.bytes,
                                 .bytes = search->near.words,
                                 .load_elsewhere = load_elsewhere,
                                 .context = &search->far};
  struct unwind_frame frame = {.known = 1u << UNWIND_RSP | 1u << UNWIND_RIP, .exact = true};
  frame.registers[UNWIND_RSP] = blocked->sp;
  frame.registers[UNWIND_RIP] = blocked->pc;
  struct unwind_walk state;
  enum unwind_end end;
  unwind_walk_begin(&state, &frame);
  stack->depth = 0;
  do {
    uint32_t count;
    end = unwind_walk(&state, &space, &memory, stack->addresses + stack->depth,
                      SAMPLED_FRAMES_MOST - stack->depth, &count);
    stack->depth += count;
    if (end != UNWIND_UNKNOWN_REGISTER || !frame_pointer_find(&state.frame, search->space, &memory))
      break;
    unwind_walk_begin(&state, &state.frame);
    stack->depth--; /* this frame is told once more */
  } while (stack->depth < SAMPLED_FRAMES_MOST);
  stack->complete = end == UNWIND_OUTERMOST;
}

void blocked_stack_find(struct sampled_stack *stack, const struct address_space *space,
                        pid_t thread, const struct blocked *blocked) {
  static struct search search; /* large, and used by one thread */
  search.stack = stack;
  search.space = space;
  search.blocked = blocked;
  search.near.thread = search.far.thread = thread;
  search.far.bytes = 0;
  window_read(&search.near, blocked->sp);
  stack->kernel_pc = blocked->kernel_pc;
  if (file_fault_guard(walk, &search)) return;
  stack->addresses[0] = blocked->pc | UNWIND_EXACT;
  stack->depth = 1;
  stack->complete = false;
}
