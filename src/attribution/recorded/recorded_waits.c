#include "attribution/recorded/recorded_waits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/recorded/recorded_slices.h"
#include "profile/appended.h"

/* `slice`: when it was, or NOTHING. How much single looks stand for differs, which is known from
 * the rows of the recording. */
static void charge(struct wait_adder *adder, uint32_t place_id, struct profile_tick tick,
                   uint32_t slice) {
  struct profile_builder *builder = adder->places->builder;
  struct profile_metric *metric = &adder->profile->metrics[adder->metric];
  uint32_t column = places_column(adder->places, place_id);
  const struct place *place = places_get(adder->places, place_id);
  uint32_t instruction = builder_instruction(builder, adder->metric,
                                             (struct profile_instruction){.line = tick.line,
                                                                          .column = column,
                                                                          .object = place->object,
                                                                          .offset = place->offset,
                                                                          .self = tick.amount,
                                                                          .within = NOTHING,
                                                                          .expansion = NOTHING});
  if (tick.amount.ticks)
    metrics_measure(metric, (uint32_t)adder->profile->process_count - 1)->squares +=
        (double)tick.amount.raw_ns * tick.amount.raw_ns / tick.amount.ticks;
  if (slice == NOTHING) {
    builder_tick_apart(builder, adder->metric, tick);
    return;
  }
  struct profile_slice_tick part = {slice, builder_tick(builder, adder->metric, tick), instruction,
                                    tick.amount};
  (void)APPENDED(metric->series, metric->series_count, part);
}

/* By thread of what was seen: the profile's, or NOTHING. */
static uint32_t *find_threads(const struct process_recording *process,
                              const struct process_recording *seen, uint32_t first_thread) {
  uint32_t *threads = memory_zeroed(seen->thread_count, sizeof *threads);
  struct map by_index = {0};
  for (size_t i = 0; i < process->thread_count; i++)
    map_find_or_add(&by_index, process->threads[i].index, 0, i);
  for (size_t i = 0; i < seen->thread_count; i++) {
    uint32_t found = map_find(&by_index, seen->threads[i].index, 0);
    threads[i] = found == UINT32_MAX ? NOTHING : first_thread + found;
  }
  map_free(&by_index);
  return threads;
}

static uint64_t less(uint64_t whole, uint64_t part) {
  return part < whole ? whole - part : 0;
}

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* By thread of what was seen. A process that ended by _exit or a signal has not said when: it lived
 * at least as long as it was seen. */
struct life {
  uint64_t lived_ns, waited_ns; /* waited_ns: of lived_ns, without a processor and not for one */
  uint64_t looked_at_ns;        /* of waited_ns, what its ticks stand for */
  uint64_t recorded_ns;         /* of lived_ns, what the recording says */
  uint64_t ticks_ns;            /* the sum of its ticks' weights */
};

static struct life *find_lives(const struct process_recording *process,
                               const struct process_recording *seen, const uint32_t *threads,
                               uint32_t first_thread) {
  struct life *lives = memory_zeroed(seen->thread_count, sizeof *lives);
  for (size_t i = 0; i < seen->thread_count; i++) {
    const struct thread_entry *entry = &seen->threads[i];
    if (threads[i] == NOTHING) continue;
    const struct thread_entry *recorded = &process->threads[threads[i] - first_thread];
    lives[i].recorded_ns = recorded->lived_ns;
    lives[i].lived_ns = recorded->lived_ns > entry->lived_ns ? recorded->lived_ns : entry->lived_ns;
    /* Looks know it best, but for what ran before the first and after the last of them. */
    uint64_t apart_ns = lives[i].lived_ns - entry->lived_ns;
    uint64_t ran_ns = entry->cpu_ns + least(less(recorded->cpu_ns, entry->cpu_ns), apart_ns);
    lives[i].waited_ns = less(lives[i].lived_ns, ran_ns + entry->ready_ns);
    lives[i].looked_at_ns = less(lives[i].waited_ns, entry->unseen_ns);
  }
  for (size_t i = 0; i < seen->tick_count; i++)
    lives[seen->contexts[seen->ticks[i].context].thread].ticks_ns += seen->ticks[i].weight;
  return lives;
}

/* Each thread's looks stand for what it waited itself, however many they are, but for the time in
 * which nobody could look: then what it did is not known. In a pause it is not
 * known how much that is. */
static uint64_t weight_of(const struct life *life, const struct tick_entry *tick, bool paused) {
  if (paused || !life->ticks_ns) return tick->weight;
  return llround((double)tick->weight / life->ticks_ns * life->looked_at_ns);
}

static void add_ticks(struct wait_adder *adder, const struct seen_waits *waits,
                      const uint32_t *threads, const struct life *lives, const uint32_t *slices) {
  const struct process_recording *seen = &waits->seen;
  for (size_t i = 0; i < seen->tick_count; i++) {
    const struct tick_entry *recorded = &seen->ticks[i];
    uint32_t of = seen->contexts[recorded->context].thread, thread = threads[of];
    if (thread == NOTHING) continue;
    uint32_t place = places_find(adder->places, recorded->pc, recorded->epoch);
    struct profile_tick tick = stack_tick_find(adder->ticks, thread, recorded->stack, place);
    tick.amount = (struct amount){recorded->ticks, weight_of(&lives[of], recorded, waits->paused)};
    charge(adder, place, tick, slices[recorded->slice]);
  }
}

/* Where there was no pause, what threads lived and did not run or want to run, they waited: those
 * too that were never looked at. */
static void add_sums(struct profile_process *process, const struct process_recording *recorded,
                     const uint32_t *threads, const struct life *lives) {
  const struct seen_waits *waits = recorded->waits;
  uint64_t ran_ns = process->cpu_user_ns + process->cpu_system_ns;
  for (size_t i = 0; i < recorded->thread_count; i++)
    process->lived_ns += recorded->threads[i].lived_ns;
  for (size_t i = 0; i < waits->seen.thread_count; i++)
    if (threads[i] != NOTHING) process->lived_ns += lives[i].lived_ns - lives[i].recorded_ns;
  if (waits->paused || process->lived_ns < waits->looked_ns) {
    process->lived_ns = waits->looked_ns;
    ran_ns = waits->ran_ns;
  }
  process->looked_ns = waits->looked_ns;
  process->ready_ns = waits->ready_ns;
  process->waited_ns = less(process->lived_ns, ran_ns + waits->ready_ns);
  process->unseen_errno = (uint32_t)waits->refused;
}

void waits_add(struct wait_adder *adder, const struct process_recording *process,
               uint32_t first_thread, uint32_t first_slice) {
  const struct process_recording *seen = &process->waits->seen;
  if (adder->metric == 0)
    adder->metric = metrics_add(adder->profile, METRIC_WAITING, "waiting", NULL);
  uint32_t *threads = find_threads(process, seen, first_thread);
  places_enter(adder->places, seen);
  stack_frames_enter(adder->frames, seen);
  struct life *lives = find_lives(process, seen, threads, first_thread);
  uint32_t *slices = recorded_slices_cut(adder->profile, process, first_slice, seen);
  add_ticks(adder, process->waits, threads, lives, slices);
  free(slices);
  stack_frames_leave(adder->frames);
  add_sums(&adder->profile->processes[adder->profile->process_count - 1], process, threads, lives);
  free(lives);
  free(threads);
}
