/* Walks of this program's own stack, after each instruction of what it does, against libgcc's. */
#include "unwind_frames.h"
#include "unwind_space.h"

#include "unwind/trail.h"

#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unwind.h>

#include "check.h"

#define FRAMES_MOST 512
#define REPORTS_MOST 20

struct stack {
  uint64_t addresses[FRAMES_MOST];
  uint32_t count;
  enum unwind_end end;
};

static struct unwind_space space;
static struct {
  uint64_t stacks, frames, by_trail, told, ends[UNWIND_NEEDS_ROW + 1], judge_lost;
} sums;
static const char *scenario;
static volatile long sink;

/* ---- comparing ---- */

static _Unwind_Reason_Code see_frame(struct _Unwind_Context *context, void *argument) {
  struct stack *theirs = argument;
  int exact = 0;
  uint64_t pc = _Unwind_GetIPInfo(context, &exact);
  if (theirs->count == FRAMES_MOST) return _URC_END_OF_STACK;
  theirs->addresses[theirs->count++] = pc | (exact ? UNWIND_EXACT : 0);
  return _URC_NO_REASON;
}

static sigjmp_buf judge_crashed;
static void on_fault(int signal) {
  siglongjmp(judge_crashed, 1);
}

/* Without this handler's own frames; the outermost frame has a caller at 0 there. False: libgcc has
 * read code at an address where there is none, before it told of it. */
static bool their_stack(struct stack *theirs) {
  uint32_t own = 0;
  theirs->count = 0;
  bool crashed = sigsetjmp(judge_crashed, 1) != 0;
  if (!crashed) _Unwind_Backtrace(see_frame, theirs);
  while (own < theirs->count && !(theirs->addresses[own] & UNWIND_EXACT))
    own++;
  theirs->end = theirs->addresses[theirs->count - 1] ? UNWIND_NO_RULE : UNWIND_OUTERMOST;
  theirs->count -= own + (theirs->end == UNWIND_OUTERMOST);
  memmove(theirs->addresses, theirs->addresses + own, theirs->count * sizeof(uint64_t));
  return !crashed;
}

static void print_stack(const char *whose, const struct stack *stack) {
  printf("  %s ends as %d:", whose, stack->end);
  for (uint32_t i = 0; i < stack->count && i < 24; i++)
    printf(" %s%" PRIx64, stack->addresses[i] & UNWIND_EXACT ? "=" : "",
           stack->addresses[i] & ~UNWIND_EXACT);
  printf("\n");
}

static bool same_from(const struct stack *a, const struct stack *b, uint32_t first) {
  return a->count == b->count && memcmp(a->addresses + first, b->addresses + first,
                                        (a->count - first) * sizeof(uint64_t)) == 0;
}

/* False: nothing is remembered of this stack. */
static bool walk_by_trail(struct unwind_trail *trail, struct stack *stack,
                          const ucontext_t *machine) {
  struct unwind_memory memory = own_memory(machine);
  struct unwind_frame innermost;
  struct unwind_walk walk;
  if (!memory.high) return false;
  unwind_frame_from_context(&innermost, machine->uc_mcontext.gregs);
  unwind_walk_begin(&walk, &innermost);
  unwind_trail_begin(trail, space.generation, memory.high);
  stack->count = 0;
  stack->end = unwind_trail_walk(trail, &walk, &space, &memory, stack->addresses, FRAMES_MOST,
                                 &stack->count);
  uint32_t told = stack->count, known = stack->end == UNWIND_STEPPED ? trail->count : 0;
  sums.told += told;
  sums.by_trail++;
  for (uint32_t i = known; i > 0; i--) {
    CHECK_EQUAL(trail->kept[i - 1].value, i);
    stack->addresses[stack->count++] = trail->kept[i - 1].rip;
  }
  if (known) stack->end = UNWIND_OUTERMOST;
  for (uint32_t i = told; i > 1; i--)
    unwind_trail_keep(trail, i - 1, known + told - i + 1);
  return true;
}

/* What is remembered of the stack some instructions ago does not change the walk. */
static void compare_with_trails(const struct stack *ours, const ucontext_t *machine) {
  static const uint32_t periods[] = {1, 3, 17, 101, 499};
  static struct unwind_trail trails[sizeof periods / sizeof *periods];
  static struct stack by_trail;
  for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
    if (sums.stacks % periods[i] || !walk_by_trail(&trails[i], &by_trail, machine) ||
        (by_trail.end == ours->end && same_from(ours, &by_trail, 0)) ||
        checks_failed++ >= REPORTS_MOST)
      continue;
    printf("%s: what is remembered is wrong\n", scenario);
    print_stack("walked", ours);
    print_stack("with what is remembered", &by_trail);
  }
}

static void on_trap(int signal, siginfo_t *info, void *machine) {
  static struct stack ours, theirs, before;
  ours.count = own_walk(&space, machine, ours.addresses, FRAMES_MOST, &ours.end);
  compare_with_trails(&ours, machine);
  /* In glibc 2.41's swapcontext the tables are wrong between the two stacks. */
  if (!their_stack(&theirs) && theirs.count + 1 == ours.count)
    theirs.addresses[theirs.count++] = ours.addresses[ours.count - 1];
  sums.stacks++;
  sums.frames += ours.count;
  sums.ends[ours.end]++;
  bool same = same_from(&ours, &theirs, 0), same_callers = same_from(&ours, &before, 1);
  before = ours;
  if (same && ours.end == theirs.end) return;
  /* gcc's tables are wrong after the last pop of functions that realign their stack; and libgcc
   * does not know where coroutines end. */
  if (ours.end == UNWIND_OUTERMOST && (same || (same_callers && theirs.count < ours.count))) {
    sums.judge_lost++;
    return;
  }
  if (checks_failed++ >= REPORTS_MOST) return;
  printf("%s: stacks differ\n", scenario);
  print_stack("ours", &ours);
  print_stack("libgcc's", &theirs);
}

/* ---- what is walked ---- */

KEEP static long leaf(long n) {
  return n * 3 + sink;
}
KEEP static long recursive(long n) {
  return n ? recursive(n - 1) + leaf(n) : leaf(n);
}
KEEP static long other(long n);
KEEP static long one(long n) {
  return n > 0 ? other(n - 1) + 1 : leaf(n);
}
KEEP static long other(long n) {
  return n > 0 ? one(n - 1) * 2 : leaf(n);
}
KEEP static long variable_frame(long n) {
  char *room = alloca(16 + n * 24);
  memset(room, (int)n, 16 + n * 24);
  long more[n + 1];
  more[n] = leaf(room[3]);
  return n ? variable_frame(n - 1) + more[n] : more[n];
}
KEEP static long realigned(long n) {
  _Alignas(64) volatile long vector[16];
  vector[n & 15] = n;
  char *room = alloca(32 + n);
  room[0] = (char)leaf(n);
  return n ? realigned(n - 1) + vector[n & 15] + room[0] : leaf(vector[0]);
}
#ifdef __clang__ /* has no nested functions */
#define nested_realigned realigned
#define WITH_FRAME_POINTER
#else
#define WITH_FRAME_POINTER __attribute__((optimize("no-omit-frame-pointer")))
/* Nested functions take r10 for their chain; another register keeps the CFA. */
KEEP static long nested_realigned(long n) {
  __attribute__((noinline)) long inner(long k, ...) {
    _Alignas(64) volatile long vector[8];
    vector[k & 7] = n;
    return leaf(vector[k & 7]) + (k ? inner(k - 1, 1.0) : 0);
  }
  return inner(n, 2.0);
}
#endif
KEEP WITH_FRAME_POINTER static long with_frame_pointer(long n) {
  return n ? with_frame_pointer(n - 1) + realigned(n) : leaf(n);
}
KEEP static long big_frame(long n) {
  volatile char room[20000];
  room[n] = 1;
  return leaf(room[n]) + (n ? big_frame(n - 1) : 0);
}
KEEP __attribute__((cold)) static long unlikely(long n) {
  return leaf(n) + recursive(2);
}
KEEP static long with_cold_part(long n) {
  if (__builtin_expect(n > 1, 0)) return unlikely(n) + unlikely(n + 1) * leaf(n);
  return leaf(n);
}
static jmp_buf back;
/* The call is the function's last instruction: its return address lies outside. */
KEEP __attribute__((noreturn)) static void jump_back(long n) {
  leaf(n);
  longjmp(back, 1);
}
KEEP __attribute__((noreturn)) static void ends_in_call(long n) {
  sink = leaf(n);
  jump_back(n);
}
KEEP static long jumps(long n) {
  if (setjmp(back) == 0) ends_in_call(n);
  return leaf(n);
}
KEEP static int compare_longs(const void *a, const void *b) {
  return *(const long *)a < *(const long *)b ? -1 : leaf(1) != 0;
}
KEEP static long through_libc(long n) {
  long numbers[] = {3, 1, 4, 1, 5, 9};
  char text[64];
  qsort(numbers, 6, sizeof *numbers, compare_longs);
  snprintf(text, sizeof text, "%ld %s %f", n, "text", 1.5);
  char copy[300];
  memset(copy, 'x', sizeof copy - 1);
  copy[299] = 0;
  memmove(copy + 3, copy, 200);
  return (long)strlen(copy) + (strchr(copy, 'y') != NULL) + strtol(text, NULL, 10);
}
KEEP static long vdso_calls(long n) {
  struct timespec now;
  struct timeval time;
  clock_gettime(CLOCK_MONOTONIC, &now);
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  gettimeofday(&time, NULL);
  return now.tv_nsec + n;
}
KEEP static long allocates(long n) {
  char *memory = malloc((size_t)n * 100);
  memory = realloc(memory, (size_t)n * 100000);
  __asm__ volatile("" ::"r"(memory)); /* or clang leaves all of it out */
  free(memory);
  return n;
}

static work_function *const asm_frames[] = {leaf, recursive};
KEEP static long hand_written(long n) {
  long sum = 0;
  for (int i = 0; i < 2; i++) {
    work_function *work = asm_frames[i];
    sum += frame_on_rbx(work, n) + frame_clobbers(work, n) + frame_kept_on_stack(work, n) +
           frame_indexed(work, n) + frame_without_rbp(work, n) + frame_in_register(work, n) +
           frame_many_states(work, n) + frame_vast(work, n);
  }
  return sum;
}
/* A frame on rbx whose callees use rbx: rules alone do not find it. */
KEEP static long through_clobbers(long n) {
  return frame_clobbers(leaf, n) + frame_clobbers(recursive, n);
}
KEEP static long again_on_rbx(long n) {
  return frame_on_rbx(through_clobbers, n) + frame_indexed(through_clobbers, n);
}
KEEP static long lost_registers(long n) {
  return frame_on_rbx(again_on_rbx, n) + frame_kept_on_stack(again_on_rbx, n) +
         frame_clobbers(again_on_rbx, n) + frame_on_rbx(realigned, n);
}
KEEP static long through_undescribed(long n) {
  return frame_undescribed(recursive, n);
}

/* Each of these steps on for itself, as handlers begin without. */
static void on_user_signal(int signal) {
  stepping_on();
  sink = recursive(3) + realigned(2);
  if (signal == SIGUSR1) raise(SIGUSR2);
  sink = leaf(2);
  stepping_off();
}
KEEP static long signals(long n) {
  raise(SIGUSR1);
  return leaf(n);
}
static ucontext_t main_context, coroutine;
static void coroutine_body(void) {
  sink = recursive(3) + variable_frame(2);
  swapcontext(&coroutine, &main_context);
  sink = leaf(1);
}
KEEP static long coroutines(long n) {
  static char stack[65536];
  getcontext(&coroutine);
  coroutine.uc_stack.ss_sp = stack;
  coroutine.uc_stack.ss_size = sizeof stack;
  coroutine.uc_link = &main_context;
  makecontext(&coroutine, coroutine_body, 0);
  swapcontext(&main_context, &coroutine);
  swapcontext(&main_context, &coroutine);
  return n;
}
static void *thread_body(void *argument) {
  stepping_on();
  sink = recursive(3) + realigned(3);
  stepping_off();
  return argument;
}
KEEP static long threads(long n) {
  pthread_t thread;
  stepping_off();
  pthread_create(&thread, NULL, thread_body, NULL);
  pthread_join(thread, NULL);
  stepping_on();
  return n;
}

/* libgcc's own unwinding, which replaces its frames by those that it has found. */
static void clean_up(const long *value) {
  sink = leaf(*value);
}
KEEP static long cleaned_up(long n) {
  __attribute__((cleanup(clean_up))) long value = n;
  if (n != 0) return n < 0 ? leaf(n) : cleaned_up(n - 1) + value;
  stepping_on();
  pthread_exit(NULL);
}
/* Before the thread blocks SIGTRAP. */
static void stop_stepping(void *argument) {
  stepping_off();
}
static void *exiting_body(void *argument) {
  pthread_key_t key;
  pthread_key_create(&key, stop_stepping);
  pthread_setspecific(key, &sums);
  sink = cleaned_up(2);
  return argument;
}
KEEP static long exits_thread(long n) {
  pthread_t thread;
  stepping_off();
  pthread_create(&thread, NULL, exiting_body, NULL);
  pthread_join(thread, NULL);
  stepping_on();
  return n;
}

static const struct {
  const char *name;
  work_function *work;
  uint32_t outermost_least; /* per cent of its stacks */
  uint32_t judge_lost_most;
} scenarios[] = {
    {"recursion", recursive, 100, 0},
    {"mutual recursion", one, 100, 0},
    {"alloca", variable_frame, 100, 0},
    {"realigned", realigned, 100, 10},
    {"realigned and nested", nested_realigned, 100, 10},
    {"frame pointers", with_frame_pointer, 100, 10},
    {"big frames", big_frame, 100, 0},
    {"cold parts", with_cold_part, 100, 0},
    {"no return", jumps, 100, 0},
    {"libc", through_libc, 100, 0},
    {"vdso", vdso_calls, 100, 0},
    {"malloc", allocates, 100, 0},
    {"hand-written", hand_written, 100, 0},
    {"lost registers", lost_registers, 100, 3},
    {"signals", signals, 100, 5},
    {"coroutines", coroutines, 95, 25}, /* not in the code that ends them */
    {"threads", threads, 100, 6},
    {"end of a thread", exits_thread, BY_CLANG ? 99 : 100, 0}, /* by its tables, libgcc agrees */
    {"undescribed", through_undescribed, 5, 0},
};

static void run_scenario(uint32_t number) {
  scenario = scenarios[number].name;
  memset(&sums, 0, sizeof sums);
  stepping_on();
  sink = scenarios[number].work(4);
  stepping_off();
  printf("%s: %" PRIu64 " stacks of %.1f frames, %.1f not remembered; to the outermost %.2f %%; "
         "libgcc lost %.2f %%\n",
         scenario, sums.stacks, (double)sums.frames / (double)sums.stacks,
         (double)sums.told / (double)sums.by_trail,
         100 * (double)sums.ends[UNWIND_OUTERMOST] / (double)sums.stacks,
         100 * (double)sums.judge_lost / (double)sums.stacks);
  CHECK(sums.stacks > 20);
  CHECK(sums.ends[UNWIND_OUTERMOST] * 100 >= sums.stacks * scenarios[number].outermost_least);
  CHECK(sums.judge_lost * 100 <= sums.stacks * scenarios[number].judge_lost_most);
}

int main(void) {
  static char alternate[65536];
  stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
  struct sigaction trap = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
  struct sigaction fault = {.sa_handler = on_fault};
  struct sigaction user = {.sa_handler = on_user_signal, .sa_flags = SA_ONSTACK};
  own_space_read(&space, 4096);
  sigaltstack(&stack, NULL);
  sigaction(SIGTRAP, &trap, NULL);
  sigaction(SIGSEGV, &fault, NULL);
  sigaction(SIGUSR1, &user, NULL);
  sigaction(SIGUSR2, &user, NULL);
  for (uint32_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
    run_scenario(i);
  return check_result();
}
