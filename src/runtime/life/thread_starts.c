#include "runtime/life/thread_starts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/contexts/function_table.h"
#include "runtime/contexts/rows.h"
#include "runtime/guise/signal_masks.h"
#include "runtime/heap/heap.h"
#include "runtime/life/thread_life.h"
#include "runtime/registry/cell.h"
#include "runtime/registry/process_state.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "runtime/registry/threads.h"
#include "runtime/stacks/stacks.h"

/* What a thread begins with. */
struct start {
  void *function; /* of the type that its creator takes */
  void *argument;
  uint32_t context;
  uint32_t centre;      /* of costs: that of its maker */
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

/* ---- in the new thread ---- */

static struct start begin(void *argument) {
  struct start start = *(struct start *)argument;
  start_give_back(argument);
  signal_masks_inherit(start.held_signals);
  if (!process_is_recording()) return start;
  struct thread_state *thread = threads_current();
  if (!thread) thread = thread_life_attach(&ascribe_cell);
  heap_thread_came();
  if (thread) ascribe_centre = start.centre;
  if (thread) stacks_note_thread(thread, start.stack_bytes);
  if (!thread || thread->record->owners != 1) return start;
  thread->record->spawned_in = start.context;
  uint32_t first = stacks_are_sampled() ? function_id((uint64_t)start.function) : FUNCTION_NONE;
  if (first != FUNCTION_NONE) thread->record->start_function = first + 1;
  return start;
}

/* Reports know these two by their names: what lies outside is libc's. So their frames stay. */
static void *ascribe_thread_begins(void *argument) {
  struct start start = begin(argument);
  void *result = ((void *(*)(void *))start.function)(start.argument);
  __asm__ volatile("");
  return result;
}
static int ascribe_thread_begins_c11(void *argument) {
  struct start start = begin(argument);
  int result = ((int (*)(void *))start.function)(start.argument);
  __asm__ volatile("");
  return result;
}

/* ---- in its creator ---- */

static void withdraw(struct start *start) {
  heap_thread_came();
  start_give_back(start);
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

/* Hooks keep the context; without any it is the stack. */
static uint32_t context_here(void) {
  struct thread_state *thread = threads_current();
  if (!thread || system_forbids(SYS_rt_sigprocmask)) return 0;
  if (stacks_are_sampled() && !(storage_header()->hooks & HOOKS_WITH_CONTEXTS))
    return stacks_context_here(thread);
  uint32_t context = rows_context(thread, ascribe_cell.row);
  return context ? context : thread->root;
}

/* Null: the thread is not to be recorded. */
static struct start *prepare(void *function, void *argument, const pthread_attr_t *attributes) {
  struct start *start = process_is_recording() ? start_take() : NULL;
  heap_expect_thread();
  if (start)
    *start = (struct start){.function = function,
                            .argument = argument,
                            .context = context_here(),
                            .centre = ascribe_centre,
                            .stack_bytes = stack_bytes(attributes),
                            .taken = 1,
                            .held_signals = signal_masks_held()};
  return start;
}

int thread_starts_pthread(pthread_creator *create, pthread_t *thread,
                          const pthread_attr_t *attributes, void *(*function)(void *),
                          void *argument) {
  struct start *start = prepare((void *)function, argument, attributes);
  if (!start) return create(thread, attributes, function, argument);
  uint64_t given = signal_masks_give();
  int status = create(thread, attributes, ascribe_thread_begins, start);
  signal_masks_take_back(given);
  if (status) withdraw(start);
  return status;
}

int thread_starts_thrd(thrd_creator *create, pthread_t *thread, thrd_function *function,
                       void *argument) {
  struct start *start = prepare((void *)function, argument, NULL);
  if (!start) return create(thread, function, argument);
  uint64_t given = signal_masks_give();
  int status = create(thread, ascribe_thread_begins_c11, start);
  signal_masks_take_back(given);
  if (status) withdraw(start);
  return status;
}
