#include "attribution/recorded/tick_scales.h"

#include <math.h>
#include <stdlib.h>

#include "attribution/books.h"
#include "base/array.h"

enum { FEW_TICKS = 100 };

/* No time is as long: what a damaged recording claims stays within 64 bits. */
#define MOST_NS 0x1p63

static bool is_sampled(const struct profile_process *process) {
  return process->tick_source == TICK_PERF || process->tick_source == TICK_TIMER ||
         process->tick_source == TICK_PERF_OUTSIDE;
}

/* ---- threads ---- */

/* A thread when its clock was last read. */
struct thread_time {
  uint64_t time_ns;  /* that ticks can fall into */
  uint64_t raw_ns;   /* that they stand for */
  uint64_t apart_ns; /* the kernel's figure that was taken off: it has it by its own ticks */
};

static uint64_t less(uint64_t whole, uint64_t part) {
  return part < whole ? whole - part : 0;
}

/* Pauses are known of the process only; of what was read from outside, all by its ticks. */
static bool threads_are_known(const struct profile_process *process) {
  return (process->tick_source == TICK_PERF || process->tick_source == TICK_TIMER) &&
         !process->paused_user_ns && !process->paused_system_ns;
}

static struct thread_time thread_time(const struct profile_process *process,
                                      const struct thread_entry *thread, double handler_ns) {
  struct thread_time time = {.raw_ns = thread->cpu_ticked_ns};
  if (process->tick_flags & TICK_USER_ONLY) time.apart_ns = thread->cpu_system_ns;
  time.time_ns = less(less(thread->cpu_ns, time.apart_ns), fmin(handler_ns * thread->ticks, 1e18));
  return time;
}

/* Where more than chance explains is missing: of a thread that has most of its ticks the others are
 * like these (its clock began late), of one that has not nothing is known. */
static struct tick_scale thread_scale(const struct profile_process *process,
                                      const struct thread_time *time) {
  struct tick_scale scale = {.factor = 1};
  if (time->raw_ns >= time->time_ns ||
      process_time_is_chance(process, time->time_ns - time->raw_ns, time->time_ns, time->apart_ns))
    return scale;
  if (process_time_is_covered(time->raw_ns, time->time_ns))
    scale.factor = (double)time->time_ns / time->raw_ns;
  else
    scale.unsampled_ns = time->time_ns - time->raw_ns;
  return scale;
}

static double handler_ns_of_tick(const struct process_recording *recorded,
                                 const struct profile_process *process) {
  uint64_t ticks = 0;
  for (size_t i = 0; i < recorded->thread_count; i++)
    ticks += recorded->threads[i].ticks;
  return ticks ? (double)process->handler_ns / ticks : 0;
}

/* The sum of what threads' ticks do not stand for. */
static uint64_t scale_threads(const struct process_recording *recorded,
                              const struct profile_process *process, struct tick_scale *scales) {
  double unsampled_ns = 0, handler_ns = handler_ns_of_tick(recorded, process);
  for (size_t i = 0; i <= recorded->thread_count; i++)
    scales[i].factor = 1;
  if (!threads_are_known(process)) return 0;
  for (size_t i = 0; i < recorded->thread_count; i++) {
    struct thread_time time = thread_time(process, &recorded->threads[i], handler_ns);
    scales[i] = thread_scale(process, &time);
    unsampled_ns += scales[i].unsampled_ns;
  }
  return unsampled_ns < MOST_NS ? unsampled_ns : MOST_NS;
}

/* ---- processes ---- */

/* What all ticks stand for, scaled by thread. */
static double weight_of(const struct process_recording *process, const struct tick_scale *scales) {
  const struct recording_header *header = &process->header;
  double weight = header->profiler_weight + (double)header->drops[DROP_TICKS] * header->period_ns;
  for (size_t i = 0; i < process->tick_count; i++) {
    const struct tick_entry *tick = &process->ticks[i];
    weight += tick->weight * (scales ? scales[process->contexts[tick->context].thread].factor : 1);
  }
  return weight;
}

static bool is_in_kernel(uint64_t pc) {
  return pc == PC_SYSTEM_CALL || pc == PC_INTERRUPT ||
         (pc >= PC_NUMBERED_CALL && pc < PC_NUMBERED_CALL + SYSTEM_CALLS_MOST);
}

/* Where ticks fall into the kernel too, they tell its part better than its own do. */
static void split_by_ticks(const struct process_recording *recorded,
                           struct profile_process *process) {
  double kernels = 0, all = recorded->header.profiler_weight;
  for (size_t i = 0; i < recorded->tick_count; i++) {
    const struct tick_entry *tick = &recorded->ticks[i];
    all += tick->weight;
    if (is_in_kernel(tick->pc)) kernels += tick->weight;
  }
  if (process->tick_source != TICK_PERF || process->tick_flags & TICK_USER_ONLY || all <= 0) return;
  uint64_t whole = process->cpu_user_ns + process->cpu_system_ns;
  process->cpu_system_ns = llround(kernels / all * (whole - process->handler_ns));
  process->cpu_user_ns = whole - process->cpu_system_ns;
}

/* Pauses stay in the process's figures. */
static void mend(struct profile_process *process, const struct process_time *time) {
  uint64_t paused_user = process->paused_user_ns, paused_system = process->paused_system_ns;
  if (paused_user > process->cpu_user_ns) paused_user = process->cpu_user_ns;
  if (paused_system > process->cpu_system_ns) paused_system = process->cpu_system_ns;
  process->cpu_user_ns = time->user_ns + paused_user;
  process->cpu_system_ns = time->system_ns + paused_system;
}

/* The process lacks no more than its threads: their figures are of other moments than its own. */
static void fit_threads(const struct process_recording *recorded, struct profile_process *process,
                        struct tick_scale *scales, uint64_t lacking_ns, uint64_t most_ns) {
  double part = lacking_ns > most_ns ? (double)most_ns / lacking_ns : 1;
  for (size_t i = 0; i < recorded->thread_count; i++) {
    scales[i].unsampled_ns *= part;
    process->threads_unsampled_ns += scales[i].unsampled_ns;
  }
}

/* The process alone: what its ticks stand for, by thread, and what they are to stand for. */
struct balance {
  bool few; /* its ticks do not tell */
  double raw_ns, time_ns;
};

static struct balance scale_process(const struct process_recording *recorded,
                                    struct profile_process *process, struct tick_scale *scales) {
  struct balance balance = {.few = false};
  uint64_t lacking_ns = scale_threads(recorded, process, scales);
  double raw_ns = weight_of(recorded, NULL), scaled_ns = weight_of(recorded, scales);
  struct process_time time;
  if (!is_sampled(process) || raw_ns >= MOST_NS || scaled_ns >= MOST_NS) return balance;
  split_by_ticks(recorded, process);
  process_time_make(process, raw_ns, &time);
  mend(process, &time);
  fit_threads(recorded, process, scales, lacking_ns,
              less(time.sampled_ns + time.unsampled_ns, scaled_ns));
  process_time_make(process, scaled_ns, &time);
  bool few = scaled_ns < FEW_TICKS * (double)process->period_ns;
  return (struct balance){few, scaled_ns, time.sampled_ns};
}

static void multiply(struct tick_scale *scales, size_t thread_count, struct balance balance) {
  if (balance.raw_ns <= 0 || balance.time_ns <= 0) return;
  for (size_t i = 0; i <= thread_count; i++)
    scales[i].factor *= balance.time_ns / balance.raw_ns;
}

struct tick_scale **tick_scales_make(const struct recording *recording,
                                     struct profile_process *figures) {
  size_t count = recording->process_count;
  struct tick_scale **scales = memory_zeroed(count, sizeof(struct tick_scale *));
  bool *few = memory_zeroed(count, sizeof *few);
  struct balance of_few = {.few = true};
  for (size_t i = 0; i < count; i++) {
    const struct process_recording *recorded = &recording->processes[i];
    scales[i] = memory_zeroed(recorded->thread_count + 1, sizeof **scales);
    struct balance balance = scale_process(recorded, &figures[i], scales[i]);
    few[i] = balance.few;
    if (few[i]) {
      of_few.raw_ns += balance.raw_ns;
      of_few.time_ns += balance.time_ns;
    } else {
      multiply(scales[i], recorded->thread_count, balance);
    }
  }
  for (size_t i = 0; i < count; i++)
    if (few[i]) multiply(scales[i], recording->processes[i].thread_count, of_few);
  free(few);
  return scales;
}

void tick_scales_free(struct tick_scale **scales, size_t process_count) {
  for (size_t i = 0; scales && i < process_count; i++)
    free(scales[i]);
  free(scales);
}
