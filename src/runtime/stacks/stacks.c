#include "runtime/stacks/stacks.h"

#include "runtime/arch/processor.h"
#include "runtime/contexts/machine.h"
#include "runtime/objects/images.h"
#include "runtime/objects/objects.h"
#include "runtime/registry/alternate_stack.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "runtime/registry/threads.h"
#include "unwind/trail.h"

#include <errno.h>
#include <sys/resource.h>

#define CACHE_SLOTS_FIRST 512
#define CACHE_SLOTS_MOST (16 * CACHE_SLOTS_FIRST)
#define DEPTH_FIRST 512
#define DEPTH_MOST (1u << 17) /* frames; deeper stacks are cut */
#define SPARE_BYTES 131072    /* of a thread's stack: guard pages, what is above `stack_high` */
#define MAIN_STACK_MOST (1ull << 30)
#define FIRST_FRAME 24 /* below the arguments: their number, and what aligns the stack */
#define PAGE 4096

static struct unwind_cache cache; /* slots null: nobody walks stacks */
static bool sampled;

static bool start(void) {
  if (cache.slots) return true; /* a forked child goes on with its parent's */
  if (!images_start()) return false;
  cache.slots = system_memory(CACHE_SLOTS_MOST * sizeof *cache.slots);
  cache.mask = CACHE_SLOTS_FIRST - 1;
  cache.mask_most = CACHE_SLOTS_MOST - 1;
  return cache.slots;
}

bool stacks_start(bool by_ticks) {
  bool started = start();
  sampled |= started && by_ticks;
  return started;
}

bool stacks_are_sampled(void) {
  return sampled;
}

/* libc's own data of the thread, which the thread pointer points at, lies at the upper end. */
void stacks_note_thread(struct thread_state *thread, uint64_t bytes) {
  uint64_t frame = (uint64_t)__builtin_frame_address(0), end = thread_pointer();
  thread->stack_low = thread->stack_high = thread->stack_first = 0;
  if (bytes <= SPARE_BYTES || end <= frame || end - frame >= bytes) return;
  thread->stack_high = end;
  thread->stack_low = end - bytes + SPARE_BYTES;
}

void stacks_inherit(struct thread_state *thread, const struct thread_state *parents) {
  uint64_t here = (uint64_t)__builtin_frame_address(0);
  for (; parents; parents = parents->next)
    if (here >= parents->stack_low && here < parents->stack_high) {
      thread->stack_low = parents->stack_low;
      thread->stack_high = parents->stack_high;
      thread->stack_first = parents->stack_first;
    }
}

/* The kernel keeps other mappings further below the top than the limit allows the stack to grow. */
void stacks_note_main(struct thread_state *thread, uint64_t top, const void *arguments) {
  struct rlimit limit = {MAIN_STACK_MOST, 0};
  system_call3(SYS_getrlimit, RLIMIT_STACK, (long)&limit, 0);
  uint64_t bytes = limit.rlim_cur < MAIN_STACK_MOST ? limit.rlim_cur : MAIN_STACK_MOST;
  thread->stack_high = top;
  thread->stack_low = top > bytes ? top - bytes : top;
  thread->stack_first = (uint64_t)arguments - FIRST_FRAME;
}

/* ---- stacks that are not the thread's own: coroutines', alternate ones ---- */

/* The words that were read last. The memory may be of any kind, and may go away. */
struct window {
  uint64_t start, bytes;
  uint64_t words[64];
};

/* Through the kernel: memory that is not the stack that it seemed to be may go at any moment. Where
 * that is forbidden (seccomp), what is there now is believed to stay. */
static uint64_t copy(void *to, uint64_t from, uint64_t bytes) {
  long got = threads_copy(to, (const void *)from, bytes);
  if (!system_failed(got)) return (uint64_t)got;
  if (got == -EFAULT || !system_readable(from)) return 0;
  for (uint64_t i = 0; i < bytes / 8; i++)
    ((uint64_t *)to)[i] = *(const unwind_stack_word *)(from + 8 * i);
  return bytes;
}

static bool load_elsewhere(void *context, uint64_t address, uint64_t *value) {
  struct window *window = context;
  if (address % 8) return false;
  if (address - window->start >= window->bytes) {
    uint64_t bytes = PAGE - address % PAGE;
    if (bytes > sizeof window->words) bytes = sizeof window->words;
    window->start = address;
    window->bytes = copy(window->words, address, bytes) / 8 * 8;
    if (!window->bytes) return false;
  }
  *value = window->words[(address - window->start) / 8];
  return true;
}

bool stacks_read(uint64_t address, uint64_t *value) {
  return copy(value, address, sizeof *value) == sizeof *value;
}

/* ---- walking ---- */

static const struct unwind_object *find_object(const void *unused, uint64_t address) {
  const struct unwind_object *object = images_find(unused, address);
  return object || !objects_see(address) ? object : images_find(unused, address);
}

static bool enlarge(struct stack_walker *walker) {
  uint32_t room = walker->address_room ? walker->address_room * 4 : DEPTH_FIRST;
  if (room > DEPTH_MOST) return false;
  uint64_t *addresses = system_memory(room * sizeof *addresses);
  if (!addresses) return false;
  for (uint32_t i = 0; i < walker->address_room; i++)
    addresses[i] = walker->addresses[i];
  /* A handler may jump out at any moment: see stacks_lead. */
  uint64_t *before = walker->addresses, bytes = walker->address_room * sizeof *addresses;
  __atomic_store_n(&walker->addresses, addresses, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  walker->address_room = room;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (before) system_call3(SYS_munmap, (long)before, (long)bytes, 0);
  return true;
}

void stacks_make_room(struct thread_state *thread) {
  uint64_t signals;
  system_block_signals(&signals);
  if (!thread->walker.address_room) enlarge(&thread->walker);
  system_unblock_signals(&signals);
}

/* The first function of a process has no caller, but the unwind tables of the dynamic linker's
 * entry do not say so. */
static bool is_first(const struct thread_state *thread, const struct unwind_frame *frame) {
  uint64_t sp = frame->registers[UNWIND_RSP];
  return thread->stack_first && sp >= thread->stack_first && sp < thread->stack_high;
}

struct unwinding {
  struct unwind_space space;
  struct window window;
  struct unwind_memory memory;
  struct unwind_walk walk;
};

static void begin_in(struct unwinding *unwinding, const struct thread_state *thread, uint64_t sp) {
  unwinding->space = (struct unwind_space){
      .find_object = find_object,
      .cache = &cache,
      .generation = __atomic_load_n(&storage_header()->epoch, __ATOMIC_RELAXED),
  };
  unwinding->window.bytes = 0;
  unwinding->memory =
      (struct unwind_memory){.load_elsewhere = load_elsewhere, .context = &unwinding->window};
  if (sp >= thread->stack_low && sp < thread->stack_high) {
    unwinding->memory.low = sp;
    unwinding->memory.high = thread->stack_high;
    unwinding->memory.bytes = (const void *)sp;
  }
}

static void begin(struct unwinding *unwinding, const struct thread_state *thread,
                  const struct unwind_frame *innermost) {
  begin_in(unwinding, thread, innermost->registers[UNWIND_RSP]);
  unwind_walk_begin(&unwinding->walk, innermost);
}

static uint32_t walk_through(struct stack_walker *walker, const struct thread_state *thread,
                             struct unwinding *unwinding, bool *complete) {
  uint32_t depth = 0;
  enum unwind_end end = UNWIND_MORE;
  while (end == UNWIND_MORE && (depth < walker->address_room || enlarge(walker))) {
    uint32_t count;
    end = unwind_walk(&unwinding->walk, &unwinding->space, &unwinding->memory,
                      walker->addresses + depth, walker->address_room - depth, &count);
    depth += count;
  }
  *complete = end == UNWIND_OUTERMOST || is_first(thread, &unwinding->walk.frame);
  return depth;
}

/* Fill the addresses of the thread's ticks. The number of them; *complete: the outermost frame was
 * reached. */
static uint32_t walk(struct thread_state *thread, const struct unwind_frame *innermost,
                     bool *complete) {
  struct unwinding unwinding;
  begin(&unwinding, thread, innermost);
  return walk_through(&thread->walker, thread, &unwinding, complete);
}

/* A frame below a signal handler was interrupted at the address itself, which may be the first
 * byte of a line or a function: one more makes it what is returned to after it. */
static uint64_t return_address(uint64_t told) {
  return told & UNWIND_EXACT ? (told & ~UNWIND_EXACT) + 1 : told;
}

/* The context that the addresses from `inner` on outwards lead to. `trail`: null, or what keeps
 * them. */
static uint32_t step_in(struct thread_state *thread, uint32_t context, uint32_t inner,
                        uint32_t depth, struct unwind_trail *trail) {
  uint64_t idle = 0; /* an address whose step led back to the context: recursion is deep */
  for (uint32_t i = depth; i > inner; i--) {
    uint64_t address = return_address(thread->walker.addresses[i - 1]);
    if (address != idle) {
      uint32_t next = machine_stack_step(thread, context, address);
      idle = next == context ? address : 0;
      context = next;
    }
    if (trail && context != thread->overflow) unwind_trail_keep(trail, i - 1, context);
  }
  return context;
}

static uint32_t outermost_context(struct thread_state *thread, bool complete) {
  return complete ? thread->root : machine_stack_step(thread, thread->root, STACK_CUT);
}

static struct unwind_trail *trail_of(struct stack_walker *walker) {
  if (!walker->trail) walker->trail = system_memory(sizeof *walker->trail);
  return walker->trail;
}

/* So that `frames` of a stack are remembered: else each walk of deep recursion would take all that
 * are further in once more. */
static void trail_make_room(struct unwind_trail *trail, uint32_t frames) {
  uint32_t before = trail->room, room = before ? before : DEPTH_FIRST;
  if (before && frames <= before) return;
  while (room < frames && room < DEPTH_MOST)
    room *= 2;
  if (room == before) return;
  void *old = trail->kept, *new = system_memory(unwind_trail_bytes(room));
  if (!new) return;
  unwind_trail_enlarge(trail, new, room);
  if (old) system_call3(SYS_munmap, (long)old, (long)unwind_trail_bytes(before), 0);
}

/* What a walk by the trail came to. */
struct trailed {
  uint32_t depth; /* addresses that the last walk did not have */
  bool met;       /* the rest is as it was, and led to `value` */
  uint32_t value;
  bool complete; /* not met: the outermost frame was reached */
};

/* Most of the frames are those of the walk before. */
static struct trailed walk_by_trail(struct stack_walker *walker, const struct thread_state *thread,
                                    struct unwinding *unwinding) {
  struct trailed trailed = {0};
  struct unwind_trail *trail = walker->trail;
  enum unwind_end end = UNWIND_MORE;
  unwind_trail_begin(trail, unwinding->space.generation, unwinding->memory.high);
  while (end == UNWIND_MORE && (trailed.depth < walker->address_room || enlarge(walker))) {
    trail_make_room(trail, walker->address_room);
    end = unwind_trail_walk(trail, &unwinding->walk, &unwinding->space, &unwinding->memory,
                            walker->addresses, walker->address_room, &trailed.depth);
  }
  trail_make_room(trail, trail->count + trailed.depth);
  trailed.met = end == UNWIND_STEPPED;
  if (trailed.met)
    trailed.value = trail->kept[trail->count - 1].value;
  else
    trailed.complete = end == UNWIND_OUTERMOST || is_first(thread, &unwinding->walk.frame);
  return trailed;
}

static uint32_t context_by_trail(struct thread_state *thread, struct unwinding *unwinding) {
  struct trailed trailed = walk_by_trail(&thread->walker, thread, unwinding);
  uint32_t context = trailed.met ? trailed.value : outermost_context(thread, trailed.complete);
  /* The innermost is where the tick fell. */
  return step_in(thread, context, 1, trailed.depth, thread->walker.trail);
}

static uint32_t context_of_callers(struct thread_state *thread, const ucontext_t *machine) {
  struct unwind_frame innermost;
  struct unwinding unwinding;
  unwind_frame_from_context(&innermost, machine->uc_mcontext.gregs);
  begin(&unwinding, thread, &innermost);
  if (unwinding.memory.high && trail_of(&thread->walker))
    return context_by_trail(thread, &unwinding);
  bool complete;
  uint32_t depth = walk(thread, &innermost, &complete);
  return step_in(thread, outermost_context(thread, complete), 1, depth, NULL);
}

/* In the kernel, the function that led there has not returned either. */
uint32_t stacks_context(struct thread_state *thread, const ucontext_t *machine, bool in_kernel) {
  uint32_t context = context_of_callers(thread, machine);
  uint64_t pc = interrupted_pc(machine);
  return in_kernel ? machine_stack_step(thread, context, return_address(pc | UNWIND_EXACT))
                   : context;
}

void stacks_forget(struct stack_walker *walker) {
  if (walker->trail) walker->trail->count = 0;
}

static __attribute__((noinline)) uint32_t lead_by_walk(struct stack_walker *walker,
                                                       const struct thread_state *thread,
                                                       const struct stack_caller *caller,
                                                       stacks_step *step, void *owner) {
  struct unwinding unwinding;
  struct trailed trailed = {0};
  begin_in(&unwinding, thread, caller->stack);
  unwind_walk_begin_at_call(&unwinding.walk, caller->address, caller->stack, caller->frame);
  struct unwind_trail *trail = unwinding.memory.high ? trail_of(walker) : NULL;
  if (trail)
    trailed = walk_by_trail(walker, thread, &unwinding);
  else
    trailed.depth = walk_through(walker, thread, &unwinding, &trailed.complete);
  uint32_t value = trailed.value;
  if (!trailed.met && !trailed.complete) value = step(owner, value, STACK_CUT);
  for (uint32_t i = trailed.depth; i > 0; i--) {
    value = step(owner, value, return_address(walker->addresses[i - 1]));
    if (trail) unwind_trail_keep(trail, i - 1, value);
  }
  return value;
}

/* Most calls are where the one before was, or further out. */
uint32_t stacks_lead(struct stack_walker *walker, const struct thread_state *thread,
                     const struct stack_caller *caller, stacks_step *step, void *owner) {
  struct unwind_trail *trail = walker->trail;
  if (__builtin_expect(
          trail && caller->stack - thread->stack_low < thread->stack_high - thread->stack_low, 1)) {
    unwind_trail_begin(trail, __atomic_load_n(&storage_header()->epoch, __ATOMIC_RELAXED),
                       thread->stack_high);
    if (unwind_trail_knows_call(trail, caller->address, caller->stack, caller->frame))
      return trail->kept[trail->count - 1].value;
  }
  return lead_by_walk(walker, thread, caller, step, owner);
}

/* ---- outside of ticks ---- */

extern const char __start_ascribe_text[], __stop_ascribe_text[];

static bool is_ours(uint64_t address) {
  address &= ~UNWIND_EXACT;
  return address >= (uint64_t)__start_ascribe_text && address <= (uint64_t)__stop_ascribe_text;
}

struct request {
  struct thread_state *thread;
  struct unwind_frame innermost;
  uint32_t context; /* the answer */
};

static void find_context(void *argument) {
  struct request *request = argument;
  struct thread_state *thread = request->thread;
  bool complete;
  uint32_t depth = walk(thread, &request->innermost, &complete), inner = 0;
  while (inner < depth && is_ours(thread->walker.addresses[inner]))
    inner++;
  request->context = step_in(thread, outermost_context(thread, complete), inner, depth, NULL);
}

uint32_t stacks_context_here(struct thread_state *thread) {
  struct request request = {.thread = thread};
  uint64_t signals;
  frame_here(&request.innermost);
  system_block_signals(&signals);
  alternate_stack_call(thread, find_context, &request);
  system_unblock_signals(&signals);
  return request.context;
}
