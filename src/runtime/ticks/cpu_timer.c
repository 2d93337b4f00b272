#include "runtime/ticks/cpu_timer.h"

#include "runtime/registry/system.h"

#include <time.h>

static char ours; /* its address is how the handler knows its own */

bool cpu_timer_start(struct thread_state *thread) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
  event.sigev_value.sival_ptr = &ours;
  event._sigev_un._tid = (int)thread->record->tid;
  int timer = -1;
  if (system_failed(
          system_call3(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, (long)&event, (long)&timer)))
    return false;
  thread->timer = timer;
  return true;
}

void cpu_timer_stop(struct thread_state *thread) {
  if (thread->timer >= 0) system_call3(SYS_timer_delete, thread->timer, 0, 0);
  thread->timer = -1;
}

static void set(const struct thread_state *thread, uint64_t ns, uint64_t again_ns) {
  struct itimerspec next = {
      .it_interval = {(time_t)(again_ns / 1000000000u), (long)(again_ns % 1000000000u)},
      .it_value = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)}};
  if (thread->timer >= 0) system_call4(SYS_timer_settime, thread->timer, 0, (long)&next, 0);
}

void cpu_timer_set(const struct thread_state *thread, uint64_t ns) {
  set(thread, ns, 0);
}

void cpu_timer_repeat(const struct thread_state *thread, uint64_t ns) {
  set(thread, ns, ns);
}

bool cpu_timer_is(const siginfo_t *info) {
  return info->si_code == SI_TIMER && info->si_value.sival_ptr == &ours;
}
