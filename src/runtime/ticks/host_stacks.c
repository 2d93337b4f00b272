#include "runtime/ticks/host_stacks.h"

#include <errno.h>

#include "runtime/contexts/machine.h"
#include "runtime/objects/objects.h"
#include "runtime/registry/cell.h"
#include "runtime/registry/process_state.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "runtime/registry/threads.h"
#include "runtime/ticks/tick_table.h"

#define ROOM 4096 /* points of a stack; what is further out is cut off */
#define HELD_MOST 256
#define COPIES_MOST (16u * ROOM) /* in one call */

/* Ticks at one place that wait for their stack. Until it is told they are where they would be
 * without a host: the recording is complete at every moment. */
struct held {
  struct recorded_tick *at;
  uint64_t weight;
  uint32_t ticks;
  unsigned event;
  struct tick_code code;
};

struct host_stacks {
  ascribe_point points[ROOM]; /* innermost first */
  uint32_t count;
  bool is_cut;
  uint32_t owner; /* of the thread state: recorded_thread.owners */
  uint32_t held_count;
  struct held held[HELD_MOST];
};

static struct host_stacks *stacks_of(struct thread_state *thread) {
  if (!thread->host) thread->host = system_memory(sizeof *thread->host);
  struct host_stacks *stacks = thread->host;
  if (stacks && stacks->owner != thread->record->owners) {
    stacks->owner = thread->record->owners;
    stacks->held_count = 0; /* another thread's */
  }
  return stacks;
}

/* ---- whom to ask ---- */

void host_stacks_set(ascribe_stack callback, void *data) {
  struct host_callback *own = &ascribe_host_callback;
  uint32_t unloads = process_unloads();
  uint32_t seen = callback ? objects_see((uint64_t)callback) : 0;
  own->call = NULL;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  own->data = data;
  own->unloads = unloads;
  own->seen = seen;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  own->call = callback;
}

/* A library may go without a word. The kernel knows before dlclose returns. */
static bool is_there(struct host_callback *own) {
  char byte;
  uint32_t unloads = process_unloads();
  if (unloads != own->unloads) {
    own->unloads = unloads;
    if (objects_see((uint64_t)own->call) != own->seen) own->call = NULL;
  }
  if (!own->call) return false;
  long read = threads_copy(&byte, (const void *)own->call, 1);
  return read == 1 || (system_failed(read) && read != -EFAULT);
}

/* What is no point is left out. */
static void keep(struct host_stacks *stacks, const ascribe_point *points, uint32_t count) {
  uint32_t kept = 0;
  stacks->is_cut = count > ROOM;
  if (stacks->is_cut) count = ROOM;
  for (uint32_t i = 0; i < count; i++)
    if (hosts_take_point(points[i])) stacks->points[kept++] = points[i];
  stacks->count = kept;
}

bool host_stacks_may_copy(void) {
  struct host_callback *own = &ascribe_host_callback;
  return !own->is_called || own->copies++ < COPIES_MOST;
}

static int ask(struct host_callback *own, struct host_stacks *stacks) {
  own->copies = 0;
  own->is_called = true;
  int count = own->call(stacks->points, ROOM, own->data);
  own->is_called = false;
  if (count < ASCRIBE_STACK_LATER) count = ASCRIBE_STACK_NONE;
  if (count > 0) keep(stacks, stacks->points, (uint32_t)count);
  return count > 0 ? (int)stacks->count : count;
}

/* ---- where a tick belongs ---- */

/* The context of the calls that have not returned; 0: there are none. */
static uint32_t context_of(struct thread_state *thread, const struct host_stacks *stacks,
                           uint32_t inner) {
  uint32_t context = thread->root;
  ascribe_point idle = 0; /* its step led back to the context: recursion is deep */
  if (stacks->is_cut) context = machine_stack_step(thread, context, STACK_CUT);
  for (uint32_t i = stacks->count; i > inner; i--) {
    if (stacks->points[i - 1] == idle) continue;
    uint32_t next = machine_stack_step(thread, context, stacks->points[i - 1]);
    idle = next == context ? stacks->points[i - 1] : 0;
    context = next;
  }
  return context == thread->root ? 0 : context;
}

static uint32_t belongs_to(struct thread_state *thread, const struct host_stacks *stacks,
                           struct tick_code *code) {
  if (code->is_own) {
    code->pc = stacks->points[0];
    code->seen = 0;
  }
  return context_of(thread, stacks, code->is_own);
}

bool host_stacks_ask(struct thread_state *thread, struct tick_code *code, uint32_t *stack,
                     bool *later) {
  struct host_callback *own = &ascribe_host_callback;
  if (!own->call || own->is_called || !is_there(own)) return false;
  struct host_stacks *stacks = stacks_of(thread);
  int count = stacks ? ask(own, stacks) : 0;
  *later = count < 0;
  if (count <= 0) return false;
  *stack = belongs_to(thread, stacks, code);
  return true;
}

/* ---- later ---- */

void host_stacks_hold(struct thread_state *thread, unsigned event, struct recorded_tick *to,
                      const struct tick_code *code, uint64_t weight) {
  struct host_stacks *stacks = thread->host;
  storage_count_drop(DROP_STACKS); /* until it is told */
  uint32_t i = 0;
  while (i < stacks->held_count &&
         (stacks->held[i].at != to || stacks->held[i].code.is_own != code->is_own))
    i++;
  if (!to || i == HELD_MOST) return;
  if (i == stacks->held_count)
    stacks->held[stacks->held_count++] = (struct held){.at = to, .event = event, .code = *code};
  stacks->held[i].ticks++;
  stacks->held[i].weight += weight;
}

static void move(struct thread_state *thread, const struct held *held) {
  struct tick_code code = held->code;
  uint32_t stack = belongs_to(thread, thread->host, &code);
  const struct tick_move to = {.ticks = held->ticks,
                               .weight = held->weight,
                               .stack = stack,
                               .pc = code.pc,
                               .seen = code.seen};
  if (tick_table_move(thread, held->event, held->at, &to))
    __atomic_fetch_sub(&storage_header()->drops[DROP_STACKS], held->ticks, __ATOMIC_RELAXED);
}

void host_stacks_tell(struct thread_state *thread, const ascribe_point *points, uint32_t count) {
  struct host_stacks *stacks = thread->host;
  uint64_t signals;
  if (!stacks || !stacks->held_count || ascribe_host_callback.is_called) return;
  system_block_signals(&signals);
  stacks = stacks_of(thread);
  keep(stacks, points, count);
  for (uint32_t i = 0; stacks->count && i < stacks->held_count; i++)
    move(thread, &stacks->held[i]);
  stacks->held_count = 0;
  system_unblock_signals(&signals);
}
