#include "attribution/recorded/tick_scales.h"

#include <math.h>
#include <stdlib.h>

#include "attribution/books.h"
#include "base/memory.h"
#include "recording/system_call.h"

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

/* Pauses are known by process only. From outside, all is known by ticks only. */
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

/* A thread may lack more ticks than chance explains. If it has most of them, its clock began late,
 * and the missing ones are like the others; if it lacks most, nothing is known of that time. */
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

/* Returns the time for which threads lack ticks. */
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

/* What all ticks of a process stand for: as recorded, and scaled by thread. */
struct weights {
  double raw_ns, scaled_ns;
};

static struct weights weigh(const struct process_recording *process,
                            const struct tick_scale *scales) {
  const struct recording_header *header = &process->header;
  double rest = header->profiler_weight + (double)header->drops[DROP_TICKS] * header->period_ns;
  struct weights weights = {rest, rest};
  for (size_t i = 0; i < process->tick_count; i++) {
    const struct tick_entry *tick = &process->ticks[i];
    weights.raw_ns += tick->weight;
    weights.scaled_ns += tick->weight * scales[process->contexts[tick->context].thread].factor;
  }
  return weights;
}

/* Ticks that fall into the kernel too tell its part of the CPU time better than the kernel does,
 * which has fewer of its own. Nobody ticked in pauses: their figures stay. */
static void find_kernel_part(const struct process_recording *recorded,
                             struct profile_process *process) {
  double kernels = 0, all = recorded->header.profiler_weight;
  for (size_t i = 0; i < recorded->tick_count; i++) {
    const struct tick_entry *tick = &recorded->ticks[i];
    all += tick->weight;
    if (pc_is_in_kernel(tick->pc)) kernels += tick->weight;
  }
  if (process->tick_source != TICK_PERF || process->tick_flags & TICK_USER_ONLY || all <= 0) return;
  uint64_t paused = process->paused_user_ns + process->paused_system_ns;
  uint64_t ticked = less(process->cpu_user_ns + process->cpu_system_ns, paused);
  uint64_t kernel = llround(kernels / all * less(ticked, process->handler_ns));
  process->cpu_system_ns = process->paused_system_ns + kernel;
  process->cpu_user_ns = process->paused_user_ns + ticked - kernel;
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

/* What a process's ticks stand for, scaled by thread, and what they should stand for. */
struct balance {
  bool few; /* too few to scale them alone */
  double raw_ns, time_ns;
};

/* `ticked`: some process of the recording has ticks; else the kernel's split is as good as any. */
static struct balance scale_process(const struct process_recording *recorded,
                                    struct profile_process *process, struct tick_scale *scales,
                                    bool ticked) {
  struct balance balance = {.few = false};
  uint64_t lacking_ns = scale_threads(recorded, process, scales);
  struct weights weights = weigh(recorded, scales);
  struct process_time time;
  if (!is_sampled(process) || weights.raw_ns >= MOST_NS || weights.scaled_ns >= MOST_NS)
    return balance;
  find_kernel_part(recorded, process);
  process_time_make(process, weights.raw_ns, &time);
  if (ticked) mend(process, &time);
  fit_threads(recorded, process, scales, lacking_ns,
              less(time.sampled_ns + time.unsampled_ns, weights.scaled_ns));
  process_time_make(process, weights.scaled_ns, &time);
  bool few = weights.scaled_ns < FEW_TICKS * (double)process->period_ns;
  return (struct balance){few, weights.scaled_ns, time.sampled_ns};
}

static void multiply(struct tick_scale *scales, size_t thread_count, struct balance balance) {
  if (balance.raw_ns <= 0 || balance.time_ns <= 0) return;
  for (size_t i = 0; i <= thread_count; i++)
    scales[i].factor *= balance.time_ns / balance.raw_ns;
}

static bool has_ticks(const struct recording *recording) {
  for (size_t i = 0; i < recording->process_count; i++) {
    const struct process_recording *process = &recording->processes[i];
    if (process->tick_count || process->header.profiler_ticks || process->header.drops[DROP_TICKS])
      return true;
  }
  return false;
}

struct tick_scale **tick_scales_make(const struct recording *recording,
                                     struct profile_process *figures) {
  size_t count = recording->process_count;
  struct tick_scale **scales = memory_zeroed(count, sizeof(struct tick_scale *));
  bool *few = memory_zeroed(count, sizeof *few);
  struct balance of_few = {.few = true};
  bool ticked = has_ticks(recording);
  for (size_t i = 0; i < count; i++) {
    const struct process_recording *recorded = &recording->processes[i];
    scales[i] = memory_zeroed(recorded->thread_count + 1, sizeof **scales);
    struct balance balance = scale_process(recorded, &figures[i], scales[i], ticked);
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
