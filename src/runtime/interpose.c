/* Calls of libc's that the runtime answers first, in dynamically linked programs: the real one is
 * what the dynamic linker finds next.
 *
 * setjmp and longjmp: code without hooks that catches a longjmp goes on in the context in which it
 * called setjmp. (Code with hooks puts its own context back after setjmp returns.)
 * pthread_create: a thread knows the context that made it, and is sampled from its first
 * instruction. */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/cell.h"
#include "runtime/process.h"
#include "runtime/signal_masks.h"
#include "runtime/storage.h"
#include "runtime/system.h"
#include "runtime/threads.h"

#define EXPORTED __attribute__((visibility("default")))

static struct thread_state *this_thread(void) {
  uint64_t owner = ascribe_cell.gate->owner;
  return owner > ASCRIBE_STANDBY ? (struct thread_state *)owner : NULL;
}

/* ---- setjmp, longjmp ---- */

enum jump { JUMP_SETJMP, JUMP_SETJMP_PLAIN, JUMP_SIGSETJMP, JUMPS };
static const char *const jump_names[JUMPS] = {"setjmp", "_setjmp", "__sigsetjmp"};
static void *jump_real[JUMPS];

static struct jump_record *jump_record(struct thread_state *thread, const void *buffer) {
  return &thread->jumps[(uint64_t)buffer / 16 % JUMP_RECORDS];
}

/* From interpose_jumps.S, before the real function, which it returns. */
void *ascribe_setjmp_entered(const void *buffer, enum jump which);
void *ascribe_setjmp_entered(const void *buffer, enum jump which) {
  struct thread_state *thread = this_thread();
  if (thread) *jump_record(thread, buffer) = (struct jump_record){buffer, ascribe_cell.context};
  if (!jump_real[which]) jump_real[which] = dlsym(RTLD_NEXT, jump_names[which]);
  return jump_real[which];
}

static void restore_context(const void *buffer) {
  struct thread_state *thread = this_thread();
  if (!thread) return;
  const struct jump_record *record = jump_record(thread, buffer);
  if (record->buffer == buffer) ascribe_cell.context = record->context;
}

typedef void jump_function(void *, int);

#define LONGJMP(name)                                                                              \
  EXPORTED __attribute__((noreturn)) void ascribe_##name(void *buffer, int value) __asm__(#name);  \
  void ascribe_##name(void *buffer, int value) {                                                   \
    static jump_function *real;                                                                    \
    if (!real) real = (jump_function *)dlsym(RTLD_NEXT, #name);                                    \
    restore_context(buffer);                                                                       \
    real(buffer, value);                                                                           \
    __builtin_unreachable();                                                                       \
  }
LONGJMP(longjmp)
LONGJMP(_longjmp)
LONGJMP(siglongjmp)
LONGJMP(__longjmp_chk)

/* ---- pthread_create ---- */

struct start {
  void *(*function)(void *);
  void *argument;
  uint32_t context;
  uint64_t held_signals;
  struct start *next;
};

static struct {
  int lock;
  struct start *free;
} starts;

static struct start *start_exchange(struct start *give) {
  uint64_t signals;
  system_block_signals(&signals);
  while (__atomic_exchange_n(&starts.lock, 1, __ATOMIC_ACQUIRE))
    system_call3(SYS_sched_yield, 0, 0, 0);
  struct start *taken = NULL;
  if (give) {
    give->next = starts.free;
    starts.free = give;
  } else if ((taken = starts.free)) {
    starts.free = taken->next;
  }
  __atomic_store_n(&starts.lock, 0, __ATOMIC_RELEASE);
  system_unblock_signals(&signals);
  return taken;
}

static struct start *start_take(void) {
  struct start *start = start_exchange(NULL);
  if (start) return start;
  start = system_memory(4096);
  for (uint32_t i = 1; start && i < 4096 / sizeof *start; i++)
    start_exchange(&start[i]);
  return start;
}

static void *thread_begins(void *argument) {
  struct start start = *(struct start *)argument;
  start_exchange(argument);
  signal_masks_inherit(start.held_signals);
  if (process_is_recording()) {
    struct thread_state *thread = this_thread();
    if (!thread) thread = threads_attach(&ascribe_cell);
    if (thread && thread->record->owners == 1) thread->record->spawned_in = start.context;
  }
  return start.function(start.argument);
}

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

EXPORTED int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                            void *(*function)(void *), void *restrict argument) {
  static create_function *real;
  if (!real) real = (create_function *)dlsym(RTLD_NEXT, "pthread_create");
  struct start *start = process_is_recording() ? start_take() : NULL;
  if (!start) return real(thread, attributes, function, argument);
  struct thread_state *self = this_thread();
  *start = (struct start){function, argument, ascribe_cell.context, signal_masks_held(), NULL};
  if (!start->context && self) start->context = self->root;
  int status = real(thread, attributes, thread_begins, start);
  if (status) start_exchange(start);
  return status;
}
