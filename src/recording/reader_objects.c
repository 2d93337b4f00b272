#include <stdlib.h>
#include <string.h>

#include "base/count_before.h"
#include "base/memory.h"
#include "recording/reader_image.h"

static int is_object(const struct recorded_object *record) {
  size_t room = record->bytes - sizeof *record;
  return record->start < record->end && memchr(record->path, '\0', room) != NULL;
}

static void add_object(struct image *image, const struct recorded_object *record) {
  struct process_recording *process = &image->process;
  uint32_t index = next_index(process->object_count++);
  struct object_entry object = {.start = record->start,
                                .end = record->end,
                                .offset = record->offset,
                                .loaded = record->loaded,
                                .unloaded = record->unloaded ? record->unloaded : UINT64_MAX,
                                .path =
                                    arena_text(&image->arena, record->path, strlen(record->path))};
  if (record->build_id_bytes <= sizeof object.build_id) {
    object.build_id_bytes = record->build_id_bytes;
    memcpy(object.build_id, record->build_id, record->build_id_bytes);
  }
  ARRAY_GROW(process->objects, index);
  process->objects[index] = object;
}

void objects_read(struct image *image, const struct block *block) {
  struct block_stream stream;
  block_stream_start(&stream, image, block);
  const struct recorded_object *record;
  while (!stream.failed && (record = block_stream_record(&stream, sizeof *record + 8, 8)))
    if (is_object(record))
      add_object(image, record);
    else
      stream.failed = 1;
  image->process.truncated |= stream.failed;
  block_stream_stop(&stream);
}

static int by_start(const void *left, const void *right) {
  const struct object_entry *a = left, *b = right;
  if (a->start != b->start) return a->start < b->start ? -1 : 1;
  return a->loaded < b->loaded ? -1 : a->loaded > b->loaded;
}

static void objects_sort(struct process_recording *process) {
  if (process->object_count)
    qsort(process->objects, process->object_count, sizeof *process->objects, by_start);
  uint64_t reach = 0;
  for (size_t i = 0; i < process->object_count; i++) {
    if (process->objects[i].end > reach) reach = process->objects[i].end;
    process->objects[i].reach = reach;
  }
}

uint32_t recording_object_at(const struct process_recording *process, uint64_t address,
                             uint64_t epoch) {
  size_t low = COUNT_BEFORE(process->object_count, i, process->objects[i].start <= address);
  uint32_t last_gone = NOTHING;
  for (size_t i = low; i-- > 0 && process->objects[i].reach > address;) {
    const struct object_entry *object = &process->objects[i];
    if (address >= object->end) continue;
    if (epoch == UINT64_MAX) {
      if (object->unloaded == UINT64_MAX) return (uint32_t)i;
      if (last_gone == NOTHING || object->unloaded > process->objects[last_gone].unloaded)
        last_gone = (uint32_t)i;
    } else if (object->loaded <= epoch && epoch < object->unloaded)
      return (uint32_t)i;
  }
  return last_gone;
}

/* A function that a child got from its parent was numbered by the parent's epochs. */
void recording_resolve_objects(struct process_recording *process) {
  objects_sort(process);
  for (size_t i = 0; i < process->function_count; i++) {
    struct function_entry *function = &process->functions[i];
    bool is_call = function->kind == ENTRY_CALL;
    uint64_t address = is_call ? CALLING_BYTE(function->address) : function->address;
    function->object = recording_object_at(process, address, function->epoch);
    if (function->object == NOTHING)
      function->object = recording_object_at(process, address, UINT64_MAX);
  }
}

/* Where the reader hands out the value of this key; null: nowhere. */
static const char **text_place(struct process_recording *process, const char *key, size_t length) {
  const struct {
    const char *key;
    const char **place;
  } places[] = {{"exe", &process->executable},
                {"command", &process->command},
                {"cwd", &process->directory},
                {"host", &process->host}};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (strlen(places[i].key) == length && memcmp(places[i].key, key, length) == 0)
      return places[i].place;
  return NULL;
}

/* A list separated by commas. */
static void add_events(struct image *image, const char *from, const char *end) {
  for (size_t i = 0; i < EVENTS_MOST && from < end; i++) {
    const char *comma = memchr(from, ',', (size_t)(end - from)), *to = comma ? comma : end;
    image->process.measures[i].event = arena_text(&image->arena, from, (size_t)(to - from));
    from = to + 1;
  }
}

static void add_text(struct image *image, const char *text, size_t length) {
  static const char events[] = "event=";
  const char *equals = memchr(text, '=', length), *end = text + length;
  if (length > strlen(events) && memcmp(text, events, strlen(events)) == 0)
    add_events(image, text + strlen(events), end);
  if (!equals) return;
  const char **place = text_place(&image->process, text, (size_t)(equals - text));
  if (place) *place = arena_text(&image->arena, equals + 1, (size_t)(end - equals - 1));
}

void texts_read(struct image *image, const struct block *block) {
  enum { LARGEST_TEXT = 4 << 20 };
  struct block_stream stream;
  block_stream_start(&stream, image, block);
  size_t bytes = block->end - block->start;
  if (bytes > LARGEST_TEXT) bytes = LARGEST_TEXT;
  const char *text = bytes ? block_stream_peek(&stream, bytes) : NULL;
  for (size_t at = 0; text && at < bytes && text[at] != '\0';) {
    size_t length = strnlen(text + at, bytes - at);
    add_text(image, text + at, length);
    at += length + 1;
  }
  image->process.truncated |= stream.failed;
  block_stream_stop(&stream);
}
