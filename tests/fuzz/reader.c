/* libFuzzer target: open any recording and use all that comes out of the reader. Aborts when
 * something handed out breaks the contract of reader.h. */
#include "recording/reader.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "packed_recording.h"

enum { MOST_FILES = 4, MOST_UNITS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition) {
  if (!condition) abort();
}

static char directory_path[] = "/dev/shm/ascribe-fuzz-XXXXXX";

static void remove_directory(void) {
  rmdir(directory_path);
}

static const char *directory(void) {
  static int made;
  if (!made++) {
    require(mkdtemp(directory_path) != NULL);
    atexit(remove_directory);
  }
  return directory_path;
}

static int open_file(unsigned number, int flags) {
  char path[200];
  snprintf(path, sizeof path, "%s/%u.0" RECORDING_SUFFIX, directory(), number);
  if (flags == 0) return unlink(path);
  return open(path, flags, 0600);
}

/* Returns how many files were written. */
static unsigned unpack(const uint8_t *data, size_t size) {
  unsigned files = 0, units = 0;
  int descriptor = -1;
  while (size >= 2 && units < MOST_UNITS) {
    unsigned length = data[0] | data[1] << 8;
    data += 2;
    size -= 2;
    if (descriptor < 0 || (length & PACKED_NEXT_FILE && files < MOST_FILES)) {
      if (descriptor >= 0) close(descriptor);
      descriptor = open_file(++files, O_CREAT | O_TRUNC | O_WRONLY);
      require(descriptor >= 0);
      units = 0;
    }
    length &= PACKED_LENGTH;
    length = length > RECORDING_UNIT ? RECORDING_UNIT : length;
    length = length > size ? (unsigned)size : length;
    require(pwrite(descriptor, data, length, (off_t)units * RECORDING_UNIT) == (ssize_t)length);
    data += length;
    size -= length;
    units++;
    require(ftruncate(descriptor, (off_t)units * RECORDING_UNIT) == 0);
  }
  if (descriptor >= 0) close(descriptor);
  return files;
}

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

static void use_process(const struct process_recording *process) {
  use_contexts(process);
  use_counters(process);
  for (size_t i = 0; i < process->function_count; i++) {
    const struct function_entry *function = &process->functions[i];
    require(function->object == NOTHING || function->object < process->object_count);
    recording_object_at(process, function->address, 3);
  }
  for (size_t i = 0; i < process->object_count; i++) {
    require(strlen(process->objects[i].path) < RECORDING_UNIT * (size_t)MOST_UNITS);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  unsigned files = unpack(data, size);
  struct recording *recording;
  struct error error;
  if (recording_open(directory(), &recording, NULL, &error) == 0) {
    for (size_t i = 0; i < recording->process_count; i++)
      use_process(&recording->processes[i]);
    recording_close(recording);
  } else
    require(error.text[0] != '\0' && strchr(error.text, '\n') == NULL);
  if (recording_open_event(directory(), 1, &recording, NULL, &error) == 0) {
    for (size_t i = 0; i < recording->process_count; i++)
      use_process(&recording->processes[i]);
    recording_close(recording);
  }
  for (unsigned i = 1; i <= files; i++)
    open_file(i, 0);
  return 0;
}
