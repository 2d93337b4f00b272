#include "runtime/ticks/cpu_time.h"

#include "runtime/arch/processor.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"

#include <sys/resource.h>
#include <time.h>

struct usage {
  uint64_t user, system;
};

static struct {
  struct usage before;        /* the recording began */
  bool paused;                /* in a pause */
  struct usage pause;         /* since `before`, when the pause began */
  struct usage earlier_pause; /* sum of those that have ended */
} cpu;

#define CYCLES_PER_NS 2 /* roughly, until the rate is known */

uint64_t cpu_time_cycles(uint64_t ns) {
  const struct recording_header *header = storage_header();
  uint64_t cycles = header->tsc_updated - header->tsc_started;
  uint64_t elapsed_ns = header->updated_ns - header->started_ns;
  uint64_t rate = elapsed_ns ? cycles * 256 / elapsed_ns : 0;
  return ns * (rate ? rate : 256 * CYCLES_PER_NS) / 256;
}

static uint64_t nanoseconds(const struct timeval *time) {
  return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_usec * 1000u;
}

static bool read_usage(int who, struct usage *usage) {
  struct rusage now;
  if (system_failed(system_call3(SYS_getrusage, who, (long)&now, 0))) return false;
  *usage = (struct usage){nanoseconds(&now.ru_utime), nanoseconds(&now.ru_stime)};
  return true;
}

void cpu_time_start(void) {
  cpu.paused = false;
  cpu.earlier_pause = (struct usage){0, 0};
  if (read_usage(RUSAGE_SELF, &cpu.before))
    storage_header()->cpu_before_ns = cpu.before.user + cpu.before.system;
}

bool cpu_time_used(uint64_t *ns, uint64_t *resident_bytes) {
  const struct recording_header *header = storage_header();
  struct rusage now;
  if (system_failed(system_call3(SYS_getrusage, RUSAGE_SELF, (long)&now, 0))) return false;
  uint64_t used = nanoseconds(&now.ru_utime) + nanoseconds(&now.ru_stime);
  uint64_t others = header->cpu_before_ns + header->paused_user_ns + header->paused_system_ns;
  *ns = used > others ? used - others : 0;
  *resident_bytes = (uint64_t)now.ru_maxrss * 1024;
  return true;
}

void cpu_time_update(void) {
  struct recording_header *header = storage_header();
  struct usage now;
  uint64_t tsc = time_stamp(), clock = system_clock(CLOCK_REALTIME);
  if (!clock || !read_usage(RUSAGE_SELF, &now)) return;
  header->tsc_updated = tsc;
  header->cpu_user_ns = now.user - cpu.before.user;
  header->cpu_system_ns = now.system - cpu.before.system;
  if (cpu.paused) {
    header->paused_user_ns = cpu.earlier_pause.user + header->cpu_user_ns - cpu.pause.user;
    header->paused_system_ns = cpu.earlier_pause.system + header->cpu_system_ns - cpu.pause.system;
  }
  header->updated_ns = clock;
}

void cpu_time_set_paused(bool paused) {
  const struct recording_header *header = storage_header();
  cpu_time_update();
  cpu.paused = paused;
  cpu.pause = (struct usage){header->cpu_user_ns, header->cpu_system_ns};
  cpu.earlier_pause = (struct usage){header->paused_user_ns, header->paused_system_ns};
}

/* Reading the clock makes the kernel refresh its user/system split. */
static bool thread_times(uint64_t *now, uint64_t *system_ns) {
  struct usage usage;
  *now = system_clock(CLOCK_THREAD_CPUTIME_ID);
  if (!*now || !read_usage(RUSAGE_THREAD, &usage)) return false;
  *system_ns = usage.system;
  return true;
}

void cpu_time_start_thread(struct thread_state *thread) {
  uint64_t now = 0, system_ns = 0;
  thread_times(&now, &system_ns);
  thread->cpu_base_ns = now - thread->record->cpu_ns;
  thread->cpu_system_base_ns = system_ns - thread->record->cpu_system_ns;
  thread->ticked_ns = now;
}

void cpu_time_update_thread(const struct thread_state *thread) {
  struct recorded_thread *record = thread->record;
  uint64_t now, system_ns;
  if (!thread_times(&now, &system_ns)) return;
  record->cpu_ns = now - thread->cpu_base_ns;
  record->cpu_system_ns = system_ns - thread->cpu_system_base_ns;
  record->cpu_ticked_ns = record->ticked_ns;
}

/* The kernel's number for the clock of another thread: its id, and which of its clocks (sched). */
static int clock_of(uint32_t tid) {
  return (int)(~tid << 3 | 6);
}

void cpu_time_look_at_thread(const struct thread_state *thread) {
  uint64_t now = system_clock(clock_of(thread->record->tid));
  if (now > thread->cpu_base_ns) thread->record->cpu_ns = now - thread->cpu_base_ns;
}
