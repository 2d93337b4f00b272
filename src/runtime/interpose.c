/* Calls of libc's that the runtime answers first, in dynamically linked programs: the real one is
 * what the dynamic linker finds next.
 *
 * setjmp and longjmp: code without hooks that catches a longjmp goes on in the context in which it
 * called setjmp. (Code with hooks puts its own context back after setjmp returns.)
 * dlopen and dlclose: the next tick looks at what is mapped.
 * pthread_create: a thread knows the context that made it, and is sampled from its first
 * instruction. */
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/cell.h"
#include "runtime/function_table.h"
#include "runtime/next_function.h"
#include "runtime/objects.h"
#include "runtime/process.h"
#include "runtime/signal_masks.h"
#include "runtime/stacks.h"
#include "runtime/storage.h"
#include "runtime/system.h"
#include "runtime/threads.h"

#define EXPORTED __attribute__((visibility("default")))

static struct thread_state *this_thread(void) {
  uint64_t owner = ascribe_cell.gate->owner;
  return owner > ASCRIBE_STANDBY ? (struct thread_state *)owner : NULL;
}

/* ---- setjmp, longjmp ---- */

/* The first four are known by number to interpose_jumps.S. */
enum interposed {
  SETJMP,
  SETJMP_PLAIN,
  SIGSETJMP,
  DLOPEN,
  DLCLOSE,
  LONGJMP,
  LONGJMP_PLAIN,
  SIGLONGJMP,
  LONGJMP_CHECKED,
  PTHREAD_CREATE,
};
static struct next_function real[] = {
    [SETJMP] = {"setjmp", NULL},
    [SETJMP_PLAIN] = {"_setjmp", NULL},
    [SIGSETJMP] = {"__sigsetjmp", NULL},
    [DLOPEN] = {"dlopen", NULL},
    [DLCLOSE] = {"dlclose", NULL},
    [LONGJMP] = {"longjmp", NULL},
    [LONGJMP_PLAIN] = {"_longjmp", NULL},
    [SIGLONGJMP] = {"siglongjmp", NULL},
    [LONGJMP_CHECKED] = {"__longjmp_chk", NULL},
    [PTHREAD_CREATE] = {"pthread_create", NULL},
};
NEXT_FUNCTIONS_FOUND_EARLY(real);

static struct jump_record *jump_record(struct thread_state *thread, const void *buffer) {
  return &thread->jumps[(uint64_t)buffer / 16 % JUMP_RECORDS];
}

/* From interpose_jumps.S, before the real function, which it returns. */
void *ascribe_setjmp_entered(const void *buffer, enum interposed which);
void *ascribe_setjmp_entered(const void *buffer, enum interposed which) {
  struct thread_state *thread = this_thread();
  if (thread) *jump_record(thread, buffer) = (struct jump_record){buffer, ascribe_cell.context};
  return next_function(&real[which]);
}

static void restore_context(const void *buffer) {
  struct thread_state *thread = this_thread();
  if (!thread) return;
  const struct jump_record *record = jump_record(thread, buffer);
  if (record->buffer == buffer) ascribe_cell.context = record->context;
}

typedef void jump_function(void *, int);

#define DEFINE_LONGJMP(name, which)                                                                \
  EXPORTED __attribute__((noreturn)) void ascribe_##name(void *buffer, int value) __asm__(#name);  \
  void ascribe_##name(void *buffer, int value) {                                                   \
    jump_function *jump = (jump_function *)next_function(&real[which]);                            \
    restore_context(buffer);                                                                       \
    jump(buffer, value);                                                                           \
    __builtin_unreachable();                                                                       \
  }
DEFINE_LONGJMP(longjmp, LONGJMP)
DEFINE_LONGJMP(_longjmp, LONGJMP_PLAIN)
DEFINE_LONGJMP(siglongjmp, SIGLONGJMP)
DEFINE_LONGJMP(__longjmp_chk, LONGJMP_CHECKED)

/* ---- dlopen, dlclose ---- */

/* From interpose_jumps.S, as above: dlopen looks at its return address for who calls. */
void *ascribe_dlopen_entered(const void *path, enum interposed which);
void *ascribe_dlopen_entered(const void *path, enum interposed which) {
  objects_expect_load();
  return next_function(&real[which]);
}

static int take_unloaded(struct dl_phdr_info *info, size_t bytes, void *unloaded) {
  *(uint64_t *)unloaded = info->dlpi_subs;
  return 1;
}

EXPORTED int dlclose(void *handle) {
  static uint64_t known; /* atomic: how many objects were ever unloaded */
  uint64_t unloaded = 0;
  int status = ((int (*)(void *))next_function(&real[DLCLOSE]))(handle);
  dl_iterate_phdr(take_unloaded, &unloaded);
  if (__atomic_exchange_n(&known, unloaded, __ATOMIC_ACQ_REL) != unloaded) objects_expect_unload();
  return status;
}

/* ---- pthread_create ---- */

struct start {
  void *(*function)(void *);
  void *argument;
  uint32_t context;
  uint64_t stack_bytes; /* 0: not known */
  int taken;            /* atomic */
  uint64_t held_signals;
};

#define STARTS 63

/* Threads on their way: pages of them, never freed. No lock, for a fork may come at any moment. */
struct starts {
  struct starts *next;
  struct start start[STARTS];
};
static struct starts *all_starts; /* atomic */

static struct start *start_take(void) {
  for (;;) {
    struct starts *first = __atomic_load_n(&all_starts, __ATOMIC_ACQUIRE);
    for (struct starts *page = first; page; page = page->next)
      for (int i = 0; i < STARTS; i++)
        if (!__atomic_exchange_n(&page->start[i].taken, 1, __ATOMIC_ACQUIRE))
          return &page->start[i];
    struct starts *page = system_memory(sizeof *page);
    if (!page) return NULL;
    page->next = first;
    while (!__atomic_compare_exchange_n(&all_starts, &page->next, page, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
      ;
  }
}

static void start_give_back(struct start *start) {
  __atomic_store_n(&start->taken, 0, __ATOMIC_RELEASE);
}

/* Reports know it by its name: what lies outside is libc's. */
static void *ascribe_thread_begins(void *argument) {
  struct start start = *(struct start *)argument;
  start_give_back(argument);
  signal_masks_inherit(start.held_signals);
  if (process_is_recording()) {
    struct thread_state *thread = this_thread();
    if (!thread) thread = threads_attach(&ascribe_cell);
    if (thread) stacks_note_thread(thread, start.stack_bytes);
    if (thread && thread->record->owners == 1) {
      thread->record->spawned_in = start.context;
      uint32_t first = stacks_are_sampled() ? function_id((uint64_t)start.function) : FUNCTION_NONE;
      if (first != FUNCTION_NONE) thread->record->start_function = first + 1;
    }
  }
  return start.function(start.argument);
}

static uint64_t stack_bytes(const pthread_attr_t *attributes) {
  pthread_attr_t plain;
  size_t bytes = 0;
  if (!attributes) {
    if (pthread_attr_init(&plain)) return 0;
    attributes = &plain;
  }
  return pthread_attr_getstacksize(attributes, &bytes) ? 0 : bytes;
}

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

EXPORTED int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                            void *(*function)(void *), void *restrict argument) {
  create_function *create = (create_function *)next_function(&real[PTHREAD_CREATE]);
  struct start *start = process_is_recording() ? start_take() : NULL;
  if (!start) return create(thread, attributes, function, argument);
  struct thread_state *self = this_thread();
  *start = (struct start){.function = function,
                          .argument = argument,
                          .context = ascribe_cell.context,
                          .stack_bytes = stack_bytes(attributes),
                          .taken = 1,
                          .held_signals = signal_masks_held()};
  if (!start->context && self) start->context = self->root;
  int status = create(thread, attributes, ascribe_thread_begins, start);
  if (status) start_give_back(start);
  return status;
}
