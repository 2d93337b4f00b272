#include "runtime/cpu_time.h"

#include "runtime/storage.h"
#include "runtime/system.h"
#include "runtime/time_stamp.h"

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

static uint64_t nanoseconds(const struct timeval *time) {
  return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_usec * 1000u;
}

static bool read_usage(struct usage *usage) {
  struct rusage now;
  if (system_failed(system_call3(SYS_getrusage, RUSAGE_SELF, (long)&now, 0))) return false;
  *usage = (struct usage){nanoseconds(&now.ru_utime), nanoseconds(&now.ru_stime)};
  return true;
}

void cpu_time_start(void) {
  cpu.paused = false;
  cpu.earlier_pause = (struct usage){0, 0};
  if (read_usage(&cpu.before))
    storage_header()->cpu_before_ns = cpu.before.user + cpu.before.system;
}

void cpu_time_update(void) {
  struct recording_header *header = storage_header();
  struct usage now;
  uint64_t tsc = time_stamp(), clock = system_clock(CLOCK_REALTIME);
  if (!clock || !read_usage(&now)) return;
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
