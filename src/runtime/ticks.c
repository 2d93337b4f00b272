#include "runtime/ticks.h"

#include "runtime/alternate_stack.h"
#include "runtime/cell.h"
#include "runtime/cpu_time.h"
#include "runtime/cycle_counter.h"
#include "runtime/machine.h"
#include "runtime/objects.h"
#include "runtime/pauses.h"
#include "runtime/signals.h"
#include "runtime/stacks.h"
#include "runtime/storage.h"
#include "runtime/system.h"
#include "runtime/threads.h"
#include "runtime/tick_table.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <ucontext.h>

/* Ticks with one period. A new period for every tick would make it a third dearer, as the kernel
 * sets its timer twice. Simulated for programs that repeat themselves with any period, this makes
 * the variance of a share at most 1.35 times what the interval assumes. */
#define SAME_PERIOD 4
#define HANDLER_CYCLES_MOST 1000000 /* some tenths of a millisecond */
#define UPDATE_EVERY 8              /* ticks between two looks at the CPU time */
#ifndef TRAP_PERF
#define TRAP_PERF 6
#endif

extern const char __start_ascribe_text[], __stop_ascribe_text[]; /* the runtime's own code */

static struct {
  uint64_t period_ns; /* 0: no ticks */
  bool perf;
} clock_state;

/* xorshift64: the period must not run in step with the program; nothing more is asked of it. */
static uint64_t jittered_period(struct thread_state *thread) {
  uint64_t x = thread->random;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  thread->random = x;
  /* Uniform between half and one and a half. */
  return clock_state.period_ns / 2 + x % clock_state.period_ns;
}

static uint64_t next_period(struct thread_state *thread) {
  return pauses_on() ? pauses_period_ns() : jittered_period(thread);
}

static void charge(struct thread_state *thread, const ucontext_t *machine, uint64_t weight) {
  struct recorded_thread *record = thread->record;
  uint64_t pc = (uint64_t)machine->uc_mcontext.gregs[REG_RIP];
  record->ticks++;
  record->lost += weight - 1;
  if (pc >= (uint64_t)__start_ascribe_text && pc < (uint64_t)__stop_ascribe_text) {
    __atomic_fetch_add(&storage_header()->profiler_ticks, weight, __ATOMIC_RELAXED);
    return;
  }
  uint32_t seen = objects_see(pc);
  uint32_t stack = stacks_are_sampled() ? stacks_context(thread, machine) : 0;
  tick_table_charge(thread, &ascribe_cell, stack, pc, seen, weight);
}

/* What the handler costs is CPU time of the program's, and no tick can fall into it. Another thread
 * or machine may have run in between: what is far too long for a handler counts as a long one. */
static void charge_handler(uint64_t started) {
  uint64_t cycles = __builtin_ia32_rdtsc() - started;
  if (cycles > HANDLER_CYCLES_MOST) cycles = HANDLER_CYCLES_MOST;
  __atomic_fetch_add(&storage_header()->handler_cycles, cycles, __ATOMIC_RELAXED);
}

struct tick {
  struct thread_state *thread;
  const ucontext_t *machine;
  uint64_t weight;
};

static void charge_tick(void *argument) {
  const struct tick *tick = argument;
  charge(tick->thread, tick->machine, tick->weight);
}

/* Async-signal context; all signals are blocked, so it does not nest. */
static void on_tick(struct thread_state *thread, ucontext_t *machine, uint64_t weight) {
  uint64_t started = __builtin_ia32_rdtsc();
  struct tick tick = {thread, machine, weight};
  alternate_stack_call(thread, charge_tick, &tick);
  if (thread->record->ticks % UPDATE_EVERY == 1) {
    cpu_time_update();
    thread->record->cpu_ns = system_clock(CLOCK_THREAD_CPUTIME_ID);
  }
  charge_handler(started);
}

/* Null in a thread whose end or beginning the tick has missed. */
static struct thread_state *ticking_thread(void) {
  uint64_t owner = ascribe_cell.gate->owner;
  return owner > ASCRIBE_STANDBY ? (struct thread_state *)owner : NULL;
}

/* The program may have closed the descriptor: then the period stays as it is. */
static void perf_set_period(const struct thread_state *thread, uint64_t period) {
  if (thread->perf_descriptor >= 0)
    system_call3(SYS_ioctl, thread->perf_descriptor, PERF_EVENT_IOC_PERIOD, (long)&period);
}

static void timer_set(const struct thread_state *thread, uint64_t ns) {
  struct itimerspec next = {.it_value = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)}};
  if (thread->timer >= 0) system_call4(SYS_timer_settime, thread->timer, 0, (long)&next, 0);
}

/* Other threads would wait for the end of a pause's long period. */
static void wake_clocks(struct thread_state *self) {
  for (const struct thread_state *thread = threads_all(); thread; thread = thread->next) {
    perf_set_period(thread, jittered_period(self));
    timer_set(thread, jittered_period(self));
  }
}

/* Whether a tick counts: not in a pause, nor where one begins or ends in its thread. */
static bool is_wanted(struct thread_state *thread) {
  enum pause_state state = pauses_look();
  bool paused = state == PAUSE_ON;
  if (state == PAUSE_ENDED) wake_clocks(thread);
  if (paused) cpu_time_update();
  if (paused == thread->paused) return !paused;
  machine_pause(thread, paused);
  return false;
}

/* ---- perf events ---- */

static void perf_tick(siginfo_t *info, void *machine) {
  struct thread_state *thread = ticking_thread();
  if (!thread) return;
  bool wanted = is_wanted(thread);
  if (wanted) on_tick(thread, machine, 1);
  if (!wanted || thread->record->ticks % SAME_PERIOD == 0)
    perf_set_period(thread, next_period(thread));
}

static long perf_open(uint64_t period) {
  struct perf_event_attr attr;
  for (unsigned i = 0; i < sizeof attr; i++)
    ((volatile char *)&attr)[i] = 0;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.size = sizeof attr;
  attr.config = PERF_COUNT_SW_TASK_CLOCK;
  attr.sample_period = period;
  /* Samples in user code only: their signal comes at once, in no system call, and can so end none
   * with EINTR. What the kernel used is known from getrusage. */
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  attr.sigtrap = 1;
  attr.remove_on_exec = 1;
  attr.sig_data = (uint64_t)&clock_state; /* how the handler knows its own */
  return system_call6(SYS_perf_event_open, (long)&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
}

/* The program may have closed our descriptor and have a file of its own under its number. */
static bool perf_still_ours(const struct thread_state *thread) {
  uint64_t id = 0;
  if (thread->perf_descriptor < 0) return false;
  long status = system_call3(SYS_ioctl, thread->perf_descriptor, PERF_EVENT_IOC_ID, (long)&id);
  return !system_failed(status) && id == thread->perf_id;
}

/* Out of the way of descriptors that the program counts on; the mapping keeps the event alive
 * should the program close every descriptor. False: those out of the way are all in use. */
static bool perf_keep(struct thread_state *thread, long opened) {
  struct rlimit limit = {1024, 1024};
  system_call3(SYS_getrlimit, RLIMIT_NOFILE, (long)&limit, 0);
  uint64_t high = limit.rlim_cur > 1024 ? 1024 - 256 : limit.rlim_cur / 4 * 3;
  long descriptor = system_call3(SYS_fcntl, opened, F_DUPFD_CLOEXEC, (long)high);
  system_call3(SYS_close, opened, 0, 0);
  if (system_failed(descriptor)) return false;
  long page = system_call6(SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  thread->perf_page = system_failed(page) ? NULL : (void *)page;
  if (thread->perf_page) system_call3(SYS_madvise, page, 4096, MADV_DONTFORK);
  system_call3(SYS_ioctl, descriptor, PERF_EVENT_IOC_ID, (long)&thread->perf_id);
  thread->perf_descriptor = (int)descriptor;
  return true;
}

/* ---- timers ---- */

static void timer_tick(siginfo_t *info, void *machine) {
  struct thread_state *thread = ticking_thread();
  if (!thread || thread->timer < 0) return;
  /* The kernel looks at CPU timers at its own ticks only: what it was late by are periods that
   * this tick stands for too. */
  uint64_t now = system_clock(CLOCK_THREAD_CPUTIME_ID), then = thread->record->cpu_ns;
  uint64_t weight =
      now > then ? (now - then + clock_state.period_ns / 2) / clock_state.period_ns : 1;
  if (is_wanted(thread)) on_tick(thread, machine, weight ? weight : 1);
  thread->record->cpu_ns = now;
  timer_set(thread, next_period(thread));
}

static void timer_start(struct thread_state *thread) {
  if (!signals_install(SIGPROF, timer_tick)) return;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
  event.sigev_value.sival_ptr = &clock_state;
  event._sigev_un._tid = (int)thread->record->tid;
  int timer = -1;
  if (system_failed(
          system_call3(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, (long)&event, (long)&timer)))
    return;
  thread->timer = timer;
  thread->record->cpu_ns = system_clock(CLOCK_THREAD_CPUTIME_ID);
  timer_set(thread, next_period(thread));
}

/* ---- */

bool tick_is_ours(const siginfo_t *info) {
  if (info->si_signo == SIGPROF)
    return info->si_code == SI_TIMER && info->si_value.sival_ptr == &clock_state;
  /* siginfo's fields after a TRAP_PERF, as in Linux's uapi: the address, then the sig_data. */
  return info->si_code == TRAP_PERF &&
         *(const uint64_t *)((const char *)info + 24) == (uint64_t)&clock_state;
}

/* Valgrind's own way to be asked: a request that is four rotations to anybody else. */
static bool under_valgrind(void) {
  volatile uint64_t request[6] = {0x1001 /* RUNNING_ON_VALGRIND */};
  uint64_t answer = 0;
  __asm__ volatile(
      "rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
      : "+d"(answer)
      : "a"(request)
      : "cc", "memory", "rdi");
  return answer;
}

/* Whether SIGTRAP can be the tick. Valgrind takes the kernel's for its own fault. Before Linux 5.18
 * the kernel kills a program that blocks it when a sample is due; and a debugger takes every
 * SIGTRAP for its own. */
static bool sigtrap_is_safe(void) {
  struct utsname names;
  char status[2048];
  if (under_valgrind()) return false;
  if (system_failed(system_call3(SYS_uname, (long)&names, 0, 0))) return false;
  const char *at = names.release;
  uint32_t version[2] = {0, 0};
  for (int i = 0; i < 2; i++, at++)
    for (; *at >= '0' && *at <= '9'; at++)
      version[i] = version[i] * 10 + (uint32_t)(*at - '0');
  if (version[0] < 5 || (version[0] == 5 && version[1] < 18)) return false;
  uint64_t length = system_read_file("/proc/self/status", status, sizeof status);
  static const char key[] = "TracerPid:\t";
  for (uint64_t i = 0; i + sizeof key < length; i++) {
    uint64_t k = 0;
    while (key[k] && status[i + k] == key[k])
      k++;
    if (!key[k]) return status[i + k] == '0';
  }
  return true;
}

void ticks_start(uint32_t rate_hz, bool cycles) {
  struct recording_header *header = storage_header();
  header->rate_hz = rate_hz;
  header->tsc_started = __builtin_ia32_rdtsc();
  uint32_t stacks = stacks_are_sampled() ? TICK_STACKS : 0;
  header->tick_flags = TICK_USER_ONLY | stacks;
  cpu_time_start();
  if (cycles && cycles_start()) return;
  if (!rate_hz) return;
  clock_state.period_ns = 1000000000u / rate_hz;
  long probe = sigtrap_is_safe() ? perf_open(clock_state.period_ns * 1000) : -EOPNOTSUPP;
  clock_state.perf = !system_failed(probe);
  if (clock_state.perf) {
    system_call3(SYS_close, probe, 0, 0);
    clock_state.perf = signals_install(SIGTRAP, perf_tick);
  } else
    header->tick_errno = (uint32_t)-probe;
  header->tick_source = clock_state.perf ? TICK_PERF : TICK_TIMER;
  header->period_ns = clock_state.period_ns;
  if (!clock_state.perf) header->tick_flags = stacks; /* CPU timers run in the kernel too */
  pauses_start();
}

void ticks_start_thread(struct thread_state *thread) {
  if (!clock_state.period_ns) return;
  if (pauses_on() != thread->paused) machine_pause(thread, pauses_on());
  if (!clock_state.perf) {
    timer_start(thread);
    return;
  }
  long descriptor = perf_open(next_period(thread));
  if (system_failed(descriptor) || !perf_keep(thread, descriptor))
    timer_start(thread); /* too many open files, or the kernel's limit */
}

void ticks_stop_thread(struct thread_state *thread) {
  thread->record->cpu_ns = system_clock(CLOCK_THREAD_CPUTIME_ID);
  if (thread->timer >= 0) system_call3(SYS_timer_delete, thread->timer, 0, 0);
  if (thread->perf_page) system_call3(SYS_munmap, (long)thread->perf_page, 4096, 0);
  if (perf_still_ours(thread)) system_call3(SYS_close, thread->perf_descriptor, 0, 0);
  thread->timer = thread->perf_descriptor = -1;
  thread->perf_page = NULL;
}

void ticks_start_child(struct thread_state *inherited) {
  for (; inherited; inherited = inherited->next)
    if (perf_still_ours(inherited)) system_call3(SYS_close, inherited->perf_descriptor, 0, 0);
}
