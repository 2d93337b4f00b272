#include "runtime/life/thread_life.h"

#include "runtime/contexts/machine.h"
#include "runtime/contexts/rows.h"
#include "runtime/counts/counts.h"
#include "runtime/heap/heap.h"
#include "runtime/registry/alternate_stack.h"
#include "runtime/registry/cell.h"
#include "runtime/registry/process_state.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "runtime/registry/threads.h"
#include "runtime/ticks/ticks.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#define KEPT_APART 256 /* threads whose figures stay their own; later ones share tables */
#define MAIN_SLOTS 1024
#define THREAD_SLOTS 64            /* a page; of the first thread of a forked child, too */
#define ENDED_LOOKED_AT 2          /* by each thread that begins: more than one ends meanwhile */
#define DESTRUCTOR_ROUNDS 4        /* glibc's PTHREAD_DESTRUCTOR_ITERATIONS */
#define KEYS_WITHOUT_ALLOCATION 32 /* glibc: later keys make pthread_setspecific allocate */

static struct {
  int lock;
  pthread_key_t key;
  bool have_key;
  struct thread_state *free;
  struct thread_state *ended, *ended_last; /* their threads may still run handlers */
  struct block_header *records;            /* BLOCK_THREADS */
  uint32_t count;
} lives;

/* Never held in a signal handler of the thread that holds it: signals are blocked around it. Those
 * who wait sleep, for a thread is made with several system calls: 0 free, 1 held, 2 and waited for.
 */
static void lock(uint64_t *signals) {
  int free = 0;
  system_block_signals(signals);
  if (__atomic_compare_exchange_n(&lives.lock, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return;
  while (__atomic_exchange_n(&lives.lock, 2, __ATOMIC_ACQUIRE))
    system_call4(SYS_futex, (long)&lives.lock, FUTEX_WAIT_PRIVATE, 2, 0);
}
static void unlock(const uint64_t *signals) {
  if (__atomic_exchange_n(&lives.lock, 0, __ATOMIC_RELEASE) == 2)
    system_call3(SYS_futex, (long)&lives.lock, FUTEX_WAKE_PRIVATE, 1);
  system_unblock_signals(signals);
}

static struct recorded_thread *record_claim(uint32_t number) {
  struct block_header *block = lives.records;
  if (!block || block->used + sizeof(struct recorded_thread) > block->bytes) {
    block = storage_claim(BLOCK_THREADS, sizeof(struct recorded_thread), 0);
    if (!block) return NULL;
    lives.records = block;
  }
  struct recorded_thread *record = (void *)((char *)block + block->used);
  record->index = number;
  __atomic_fetch_add(&block->used, sizeof *record, __ATOMIC_RELEASE);
  return record;
}

/* Steps that may lack room come first: then a thread has all it needs, or no record. */
static bool state_fill(struct thread_state *thread) {
  thread->timer = -1;
  for (int i = 0; i < EVENTS_MOST; i++)
    thread->events[i].descriptor = -1;
  thread->number = lives.count;
  thread->gate = threads_claim_gate();
  if (!thread->gate) return false;
  bool is_main = !thread->number && !storage_header()->is_fork;
  if (machine_start(thread, is_main ? MAIN_SLOTS : THREAD_SLOTS) && rows_start(thread))
    thread->record = record_claim(thread->number);
  if (thread->record) return true;
  threads_give_gate_back();
  return false;
}

static struct thread_state *state_make(void) {
  uint64_t bytes = sizeof(struct thread_state) + ALTERNATE_STACK_BYTES;
  struct thread_state *thread = system_memory(bytes);
  if (!thread) return NULL;
  if (!state_fill(thread)) {
    system_call3(SYS_munmap, (long)thread, (long)bytes, 0);
    return NULL;
  }
  lives.count++;
  thread->record->root = thread->root;
  thread->record->overflow = thread->overflow;
  thread->kept = thread->number < KEPT_APART;
  thread->random = (uint64_t)thread ^ system_clock(CLOCK_MONOTONIC);
  threads_add(thread);
  return thread;
}

static void add_ended(struct thread_state *thread) {
  thread->next_free = NULL;
  if (lives.ended)
    lives.ended_last->next_free = thread;
  else
    lives.ended = thread;
  lives.ended_last = thread;
}

static bool is_gone(const struct thread_state *thread) {
  return system_call3(SYS_tgkill, threads_process(), thread->record->tid, 0) == -ESRCH;
}

/* After its destructors a thread still runs signal handlers and libc's own clean-up: what it counts
 * in is free once the kernel no longer knows the thread. Where it may not be asked, nothing is. */
static void free_ended(void) {
  for (int i = 0; i < ENDED_LOOKED_AT && lives.ended; i++) {
    struct thread_state *thread = lives.ended;
    lives.ended = thread->next_free;
    if (!is_gone(thread)) {
      add_ended(thread);
      continue;
    }
    counts_free(thread);
    if (thread->kept) continue;
    thread->next_free = lives.free;
    lives.free = thread;
  }
}

static struct thread_state *state_take(void) {
  free_ended();
  struct thread_state *thread = lives.free;
  if (thread)
    lives.free = thread->next_free;
  else
    thread = state_make();
  return thread;
}

struct thread_state *thread_life_attach(struct ascribe_cell *cell) {
  uint64_t signals;
  lock(&signals);
  uint64_t owner = cell->gate->owner;
  if (owner) { /* a signal handler attached it just before, or could not */
    unlock(&signals);
    return owner == ASCRIBE_STANDBY ? NULL : (struct thread_state *)owner;
  }
  struct thread_state *thread = state_take();
  if (thread) {
    struct recorded_thread *record = thread->record;
    record->tid = (uint32_t)system_call3(SYS_gettid, 0, 0, 0);
    record->owners++;
    record->started_ns = system_clock(CLOCK_REALTIME);
    record->live = 1;
    thread->exit_rounds = 0;
    system_call3(SYS_prctl, PR_GET_NAME, (long)record->name, 0);
    __atomic_fetch_add(&storage_header()->threads_started, 1, __ATOMIC_RELAXED);
    thread->gate->owner = (uint64_t)thread;
    cell->gate = thread->gate;
    if (lives.have_key) pthread_setspecific(lives.key, thread);
    ticks_start_thread(thread);
    counts_attach(thread);
    heap_thread_begins(thread);
    alternate_stack_give(thread);
  } else {
    cell->gate = threads_idle_gate();
    counts_attach_unknown();
    storage_count_drop(DROP_THREADS);
  }
  unlock(&signals);
  return thread;
}

struct thread_state *thread_life_of(struct ascribe_cell *cell) {
  uint64_t owner = cell->gate->owner;
  if (owner == ASCRIBE_STANDBY) return NULL;
  if (owner) return (struct thread_state *)owner;
  if (process_is_recording()) return thread_life_attach(cell);
  cell->gate = &ascribe_inert_gate;
  return NULL;
}

static void detach(struct thread_state *thread) {
  uint64_t signals;
  lock(&signals);
  if (!ticks_stop_thread(thread)) thread->kept = true;
  counts_detach(thread);
  heap_thread_ends(thread);
  system_call3(SYS_prctl, PR_GET_NAME, (long)thread->record->name, 0);
  thread->record->live = 0;
  uint64_t now = system_clock(CLOCK_REALTIME);
  if (now) thread->record->lived_ns += now - thread->record->started_ns;
  add_ended(thread);
  unlock(&signals);
}

/* A destructor of thread-specific data. Others of the program's may still call instrumented code
 * after this one: come again in each round glibc grants, and leave in the last. */
static void thread_ends(void *state) {
  struct thread_state *thread = state;
  if (ascribe_cell.gate->owner != (uint64_t)thread) return; /* a forked child's copy */
  if (++thread->exit_rounds < DESTRUCTOR_ROUNDS)
    pthread_setspecific(lives.key, thread);
  else
    detach(thread);
}

/* Destructors run by ascending key, so this one is to have the greatest of those that need no
 * allocation: in the last round, too, the program's come first. */
static void choose_key(void) {
  pthread_key_t keys[KEYS_WITHOUT_ALLOCATION];
  int count = 0, chosen = -1;
  while (count < KEYS_WITHOUT_ALLOCATION && pthread_key_create(&keys[count], thread_ends) == 0) {
    bool fits = keys[count] < KEYS_WITHOUT_ALLOCATION;
    if (fits && (chosen < 0 || keys[count] > keys[chosen])) chosen = count;
    count++;
    if (!fits || keys[count - 1] == KEYS_WITHOUT_ALLOCATION - 1) break;
  }
  for (int i = 0; i < count; i++)
    if (i != chosen) pthread_key_delete(keys[i]);
  lives.have_key = chosen >= 0;
  if (lives.have_key) lives.key = keys[chosen];
}

bool thread_life_start(void) {
  if (!threads_start()) return false;
  choose_key();
  return true;
}

void thread_life_start_child(void) {
  threads_forget();
  lives.lock = 0;
  lives.free = lives.ended = NULL;
  lives.records = NULL;
  lives.count = 0;
}
