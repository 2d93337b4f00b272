#include "outside/result.h"

#include <stdlib.h>

#include "base/memory.h"
#include "outside/sample_slices.h"

static const char *known(const char *text) {
  return text ? text : "";
}

/* Events count anew in each thread: a process that ends before its first tick is due has none,
 * however many of its kind there are. Ticks of others do not speak for it. */
static void silence_short_ones(struct recording *recording) {
  bool any = false;
  for (size_t i = 0; i < recording->process_count; i++)
    any |= recording->processes[i].tick_count != 0;
  for (size_t i = 0; any && i < recording->process_count; i++) {
    struct process_recording *process = &recording->processes[i];
    if (!process->tick_count && !process->header.drops[DROP_TICKS])
      process->header.tick_source = TICK_NONE;
  }
}

static enum process_end end_of(const struct process_image *image) {
  if (image->signal) return PROCESS_END_SIGNAL;
  if (image->replaced) return PROCESS_END_EXEC;
  return image->ended_ns ? PROCESS_END_EXIT : PROCESS_END_UNKNOWN;
}

static struct recording_header header_of(const struct process_image *image,
                                         const struct result_run *run) {
  uint64_t ended_ns = image->ended_ns ? image->ended_ns : run->ended_ns;
  struct recording_header header = {
      .version = RECORDING_VERSION,
      .started_ns = image->started_ns + run->realtime_ns,
      .updated_ns = ended_ns + run->realtime_ns,
      .tsc_updated = ended_ns - image->started_ns, /* as sample_slices.h has them */
      .cpu_user_ns = image->user_ns,
      .cpu_system_ns = image->system_ns,
      .pid = image->pid,
      .parent_pid = image->parent_pid,
      .owner = image->owner,
      .tick_source = TICK_PERF_OUTSIDE,
      .rate_hz = run->rate_hz,
      .tick_flags = run->tick_flags,
      .period_ns = run->period_ns,
      .epoch = image->space.epoch,
      .threads_started = image->threads_started,
  };
  for (int kind = 0; kind < DROP_KINDS; kind++)
    header.drops[kind] = image->drops[kind];
  return header;
}

/* In an order of their own: a copy. */
static void tell_objects(struct process_image *image) {
  size_t count = image->space.object_count;
  free(image->told_objects);
  image->told_objects = memory_zeroed(count, sizeof *image->told_objects);
  for (size_t i = 0; i < count; i++) {
    image->told_objects[i] = image->space.objects[i];
    image->told_objects[i].path = object_files_path(image->space.files[i]);
  }
}

/* Processes that ended soon after their exec have left /proc before they were looked for there:
 * then the name that the kernel told. */
static const char *command_of(const struct process_image *image) {
  if (image->command) return image->command;
  if (image->name[0]) return image->name;
  return image->executable ? image->executable : "(not known)";
}

struct process_recording result_of_image(struct process_image *image) {
  const char *executable = known(image->executable);
  tell_objects(image);
  free(image->slices);
  image->slices = sample_slices_make(image->slice_count);
  struct process_recording result = {
      .sequence = image->sequence,
      .executable = *executable ? executable : image->name,
      .command = command_of(image),
      .directory = known(image->directory),
      .host = "",
      .objects = image->told_objects,
      .object_count = image->space.object_count,
      .functions = image->machine.functions,
      .function_count = image->machine.function_count,
      .contexts = image->machine.contexts,
      .context_count = image->machine.context_count,
      .ticks = image->machine.ticks,
      .tick_count = image->machine.tick_count,
      .slices = image->slices,
      .slice_count = image->slice_count,
      .measure_count = 1,
      .threads = image->entries,
      .thread_count = image->thread_count,
  };
  recording_resolve_objects(&result);
  return result;
}

/* Each tick stands for one period. */
static void weigh_ticks(struct process_recording *process, uint64_t period_ns) {
  for (size_t i = 0; i < process->tick_count; i++) {
    process->ticks[i].weight *= period_ns;
    process->measures[0].squares += (double)process->ticks[i].ticks * period_ns * period_ns;
  }
}

static bool is_passed_through(const struct process_image *image) {
  return image->replaced && !image->waited && !image->machine.tick_count &&
         !image->drops[DROP_TICKS];
}

struct recording result_make(struct process_tree *tree, const struct result_run *run) {
  struct process_recording *processes = memory_zeroed(tree->count, sizeof *processes);
  size_t count = 0;
  for (size_t i = 0; i < tree->count; i++) {
    struct process_image *image = tree->images[i];
    if (is_passed_through(image)) continue;
    processes[count] = result_of_image(image);
    weigh_ticks(&processes[count], run->period_ns);
    processes[count].header = header_of(image, run);
    processes[count].end = end_of(image);
    processes[count].end_signal = (int)image->signal;
    processes[count++].host = run->host;
  }
  for (int kind = 0; kind < DROP_KINDS && count; kind++)
    processes[0].header.drops[kind] += tree->drops[kind];
  if (count) processes[0].header.recorder_ns = run->recorder_ns;
  struct recording result = {processes, count};
  silence_short_ones(&result);
  return result;
}
