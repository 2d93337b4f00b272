/* libFuzzer target: open any recording and use all that comes out of the reader. Aborts when
 * something handed out breaks the contract of reader.h. */
#include "recording/reader.h"

#include <string.h>

#include "packed_recording.h"
#include "require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use_contexts(const struct process_recording *process) {
  for (size_t i = 0; i < process->context_count; i++) {
    const struct context_entry *context = &process->contexts[i];
    require(context->thread < process->thread_count);
    require(context->length > 0 || (context->flags & (CONTEXT_ROOT | CONTEXT_OVERFLOW)));
    for (uint32_t k = 0; k < context->length; k++)
      require(context->history[k] >> 1 < process->function_count);
    require(context->length == 0 || (context->history[context->length - 1] & 1));
  }
}

static void use_counters(const struct process_recording *process) {
  volatile uint64_t sum = 0;
  for (size_t i = 0; i < process->counters_count; i++) {
    const struct counters_entry *counters = &process->counters[i];
    if (counters->count) require(counters->first < process->count_count);
    require(counters->count <= process->count_count);
    for (size_t k = 0; k < counters->count; k++)
      sum += process->counts[counters->first + k];
  }
}

static void use_worlds(const struct process_recording *process) {
  for (size_t i = 0; i < process->object_count; i++) {
    const struct object_entry *object = &process->objects[i];
    struct key_definition found;
    for (uint64_t key = 0; object->world && key < 100; key++)
      if (world_find(object->world, key, &found))
        require(strlen(found.name) + (found.file ? strlen(found.file) : 0) < SIZE_MAX &&
                found.within >> WORLD_SHIFT == 0);
  }
}

static void use_process(const struct process_recording *process) {
  use_contexts(process);
  use_counters(process);
  use_worlds(process);
  for (size_t i = 0; i < process->function_count; i++) {
    const struct function_entry *function = &process->functions[i];
    require(function->object == NOTHING || function->object < process->object_count);
    recording_object_at(process, function->address, 3);
  }
  for (size_t i = 0; i < process->object_count; i++) {
    require(strlen(process->objects[i].path) < RECORDING_UNIT * (size_t)PACKED_MOST_UNITS);
    require(process->objects[i].build_id_bytes <= sizeof process->objects[i].build_id);
  }
  for (size_t i = 0; i < process->transition_count; i++) {
    require(process->transitions[i].from < process->context_count);
    require(process->transitions[i].to < process->context_count);
  }
  for (size_t i = 0; i < process->tick_count; i++) {
    const struct tick_entry *tick = &process->ticks[i];
    require(tick->context < process->context_count);
    require(tick->centre == NOTHING || tick->centre < process->context_count);
  }
  for (size_t i = 0; i < process->thread_count; i++) {
    const struct thread_entry *thread = &process->threads[i];
    require(strlen(thread->name) < sizeof thread->name);
    require(thread->start_function == NOTHING || thread->start_function < process->function_count);
    require(thread->spawned_in == NOTHING || thread->spawned_in < process->context_count);
  }
  require(strlen(process->executable) + strlen(process->command) + strlen(process->directory) +
              strlen(process->host) <
          SIZE_MAX);
}

static void use_recording(struct recording *recording) {
  for (size_t i = 0; i < recording->process_count; i++)
    use_process(&recording->processes[i]);
  recording_close(recording);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *directory = packed_recording_unpack(data, size);
  struct recording *recording;
  struct error error;
  if (recording_open(directory, &recording, NULL, &error) == 0)
    use_recording(recording);
  else
    require(error.text[0] != '\0' && strchr(error.text, '\n') == NULL);
  packed_recording_remove();
  return 0;
}
