#include "runtime/registry/threads.h"

#include "runtime/registry/system.h"

#include <stddef.h>
#include <sys/mman.h>
#include <sys/uio.h>

#define GATES 64 /* per page */

static struct {
  struct thread_state *all;
  struct ascribe_gate *gates;
  uint32_t gates_used;
  long process;              /* its id */
  struct ascribe_gate *idle; /* of threads that have no state. owner: 0 in a child that has not
                                started; spare: 1 once it began to */
} threads;

struct thread_state *threads_all(void) {
  return __atomic_load_n(&threads.all, __ATOMIC_ACQUIRE);
}

void threads_add(struct thread_state *thread) {
  thread->next = threads.all;
  __atomic_store_n(&threads.all, thread, __ATOMIC_RELEASE);
}

/* Gates lie in pages that a forked child sees as zeros. */
struct ascribe_gate *threads_claim_gate(void) {
  if (!threads.gates || threads.gates_used == GATES) {
    void *page = system_memory(GATES * 64);
    if (!page) return NULL;
    system_call3(SYS_madvise, (long)page, GATES * 64, MADV_WIPEONFORK);
    threads.gates = page;
    threads.gates_used = 0;
  }
  return (struct ascribe_gate *)((char *)threads.gates + 64 * threads.gates_used++);
}

void threads_give_gate_back(void) {
  threads.gates_used--;
}

struct ascribe_gate *threads_idle_gate(void) {
  return threads.idle;
}

bool threads_start(void) {
  threads.idle = threads_claim_gate();
  if (!threads.idle) return false;
  threads.idle->owner = ASCRIBE_STANDBY;
  threads.process = system_call3(SYS_getpid, 0, 0, 0);
  return true;
}

long threads_process(void) {
  return threads.process;
}

bool threads_are_wiped(void) {
  return !__atomic_load_n(&threads.idle->owner, __ATOMIC_ACQUIRE);
}

bool threads_are_borrowed(void) {
  if (!threads.idle || threads_are_wiped()) return false;
  long process = system_call3(SYS_getpid, 0, 0, 0);
  return !system_failed(process) && process != threads.process;
}

bool threads_begin_child(void) {
  if (!__atomic_exchange_n(&threads.idle->spare, 1, __ATOMIC_ACQUIRE)) return true;
  while (threads_are_wiped())
    system_call3(SYS_sched_yield, 0, 0, 0);
  return false;
}

void threads_end_child(void) {
  threads.process = system_call3(SYS_getpid, 0, 0, 0);
  __atomic_store_n(&threads.idle->owner, ASCRIBE_STANDBY, __ATOMIC_RELEASE);
}

/* The gates of the parent's threads were wiped; this thread's own will be a new one. */
void threads_forget(void) {
  threads.all = NULL;
}

long threads_copy(void *to, const void *from, uint64_t bytes) {
  struct iovec source = {(void *)from, bytes}, target = {to, bytes};
  return system_call6(SYS_process_vm_readv, threads_process(), (long)&target, 1, (long)&source, 1,
                      0);
}
