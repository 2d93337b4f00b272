/* CPU time of processes that were killed: what looks at clocks, ticks and who waited for them tell.
 */
#include "recording/process_ends.h"

#include "check.h"

#define MS 1000000ull

static struct thread_entry threads[3];
static struct process_recording processes[3];
static struct recording recording = {.processes = processes};

/* Each of one thread, whose clock was last looked at after `known_ms`, when its ticks stood for
 * `ticked_ms`; `since_ms` came later. */
static void killed(uint64_t known_ms, uint64_t ticked_ms, uint64_t since_ms) {
  size_t i = recording.process_count++;
  threads[i] = (struct thread_entry){.cpu_ns = known_ms * MS,
                                     .cpu_ticked_ns = ticked_ms * MS,
                                     .ticked_ns = (ticked_ms + since_ms) * MS};
  processes[i] =
      (struct process_recording){.header = {.pid = (uint32_t)i + 1, .cpu_user_ns = known_ms * MS},
                                 .threads = &threads[i],
                                 .thread_count = 1};
}

static uint64_t cpu_ms(size_t i) {
  return (processes[i].header.cpu_user_ns + processes[i].header.cpu_system_ns) / MS;
}

/* Ticks since the last look count; earlier ones stand for more or less by chance. */
static void by_ticks(void) {
  recording.process_count = 0;
  killed(30, 100, 0);
  killed(30, 20, 40);
  process_ends_find(&recording);
  CHECK_EQUAL(cpu_ms(0), 30);
  CHECK_EQUAL(cpu_ms(1), 70);
}

/* Who waited for one knows. */
static void only_one(void) {
  recording.process_count = 0;
  killed(30, 30, 40);
  process_ends_find(&recording);
  process_ends_complete(&recording, 30 * MS, 5 * MS);
  CHECK_EQUAL(cpu_ms(0), 35);
  CHECK_EQUAL(processes[0].header.cpu_system_ns, 5 * MS);
  CHECK_EQUAL(processes[0].unknown_ns, 0);
}

/* But not whose it is, where it may have gone on as a program that was not recorded. */
static void gone_on(void) {
  recording.process_count = 0;
  killed(30, 30, 0);
  processes[0].header.parent_pid = 7;
  process_ends_find(&recording);
  process_ends_child(&recording, 7, 1000 * MS, 0);
  process_ends_complete(&recording, 300 * MS, 0);
  CHECK_EQUAL(cpu_ms(0), 30);
  CHECK_EQUAL(processes[0].unknown_ns, 270 * MS);
}

/* And of several, how much it was in all. */
static void several(void) {
  recording.process_count = 0;
  killed(30, 30, 40);
  killed(10, 10, 20);
  process_ends_find(&recording);
  process_ends_complete(&recording, 130 * MS, 0);
  CHECK_EQUAL(cpu_ms(0) + cpu_ms(1), 100);
  CHECK_EQUAL(processes[0].unknown_ns, 30 * MS);
  recording.process_count = 0;
  killed(30, 30, 40);
  killed(10, 10, 20);
  process_ends_find(&recording);
  process_ends_complete(&recording, 70 * MS, 0);
  CHECK_EQUAL(cpu_ms(0), 50);
  CHECK_EQUAL(cpu_ms(1), 20);
  CHECK_EQUAL(processes[0].unknown_ns, 0);
}

int main(void) {
  by_ticks();
  only_one();
  gone_on();
  several();
  return check_result();
}
