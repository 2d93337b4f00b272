#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "recording/reader_image.h"

#define NESTED_MOST 1000 /* places in each other, so that damaged ones come to an end */

/* Files have numbers of their own. */
enum { KEY_OF_CODE, KEY_OF_FILE };

struct defined {
  uint64_t within;
  const char *name;
  const char *module, *path; /* of a cost centre; or null */
  uint32_t file, line, column, end_line, end_column, place;
  uint64_t bytes; /* of a closure */
};

struct world {
  uint32_t number;
  const char *name;     /* null: not defined */
  struct map keys;      /* (key, KEY_OF_CODE or KEY_OF_FILE) -> index */
  struct defined *code; /* functions and places */
  const char **files;   /* paths */
  size_t code_count, file_count;
  char *core; /* core forms, one piece behind the other; not zero-terminated */
  size_t core_bytes;
  const struct world *parent; /* of the process that this one was forked from; or null */
};

/* ---- looking up ---- */

static const char *file_of(const struct world *world, uint32_t file) {
  for (; file && world; world = world->parent) {
    uint32_t index = map_find(&world->keys, file, KEY_OF_FILE);
    if (index != UINT32_MAX) return world->files[index];
  }
  return NULL;
}

static const struct defined *find_defined(const struct world *world, uint64_t key) {
  for (; world; world = world->parent) {
    uint32_t index = map_find(&world->keys, key, KEY_OF_CODE);
    if (index != UINT32_MAX) return &world->code[index];
  }
  return NULL;
}

/* Its own, or that of what it is in. */
static const char *source_of(const struct world *world, const struct defined *defined) {
  for (int i = 0; i < NESTED_MOST && defined; i++) {
    if (defined->path) return defined->path;
    if (defined->file || !defined->within) return file_of(world, defined->file);
    defined = find_defined(world, defined->within);
  }
  return NULL;
}

bool world_find(const struct world *world, uint64_t key, struct key_definition *definition) {
  const struct defined *found = find_defined(world, key);
  if (!found) return false;
  *definition = (struct key_definition){.name = found->name,
                                        .within = found->within,
                                        .module = found->module,
                                        .file = source_of(world, found),
                                        .line = found->line,
                                        .column = found->column,
                                        .end_line = found->end_line,
                                        .end_column = found->end_column,
                                        .place = found->place,
                                        .bytes = found->bytes};
  return true;
}

uint64_t world_function(const struct world *world, uint64_t key) {
  struct key_definition definition;
  for (int i = 0; i < NESTED_MOST && world_find(world, key, &definition); i++) {
    if (!definition.within) return key;
    key = definition.within;
  }
  return 0;
}

const char *world_core(const struct world *world, size_t *bytes) {
  *bytes = world->core_bytes;
  return world->core;
}

/* ---- reading ---- */

static struct world *world_numbered(struct image *image, uint32_t number) {
  uint32_t index = map_find_or_add(&image->world_numbers, number, 0, (uint32_t)image->world_count);
  if (index == image->world_count) {
    ARRAY_GROW(image->worlds, image->world_count);
    image->worlds[image->world_count++] = memory_zeroed(1, sizeof(struct world));
    image->worlds[index]->number = number;
  }
  return image->worlds[index];
}

/* Whether the key is new. */
static bool enter_key(struct world *world, uint64_t key, uint32_t of, size_t count) {
  return map_find_or_add(&world->keys, key, of, next_index(count)) == count;
}

static void add_file(struct world *world, uint64_t key, const char *path) {
  if (!enter_key(world, key, KEY_OF_FILE, world->file_count)) return;
  ARRAY_GROW(world->files, world->file_count);
  world->files[world->file_count++] = path;
}

/* The text of the record behind `text`, which is one of it; null: there is no other. */
static const char *text_behind(const struct recorded_definition *record, const char *text) {
  const char *next = text + strlen(text) + 1, *end = (const char *)record + record->bytes;
  return next < end && memchr(next, '\0', (size_t)(end - next)) ? next : NULL;
}

static const char *kept_text(struct image *image, const char *text) {
  return text ? arena_text(&image->arena, text, strlen(text)) : NULL;
}

static void add_centre(struct image *image, struct world *world,
                       const struct recorded_definition *record, const char *name) {
  if (!enter_key(world, record->key, KEY_OF_CODE, world->code_count)) return;
  const char *module = text_behind(record, record->text);
  const char *path = module ? text_behind(record, module) : NULL;
  ARRAY_GROW(world->code, world->code_count);
  world->code[world->code_count++] = (struct defined){.name = name,
                                                      .module = kept_text(image, module),
                                                      .path = kept_text(image, path),
                                                      .line = record->line};
}

static void add_code(struct world *world, const struct recorded_definition *record,
                     const char *name) {
  if (!enter_key(world, record->key, KEY_OF_CODE, world->code_count)) return;
  ARRAY_GROW(world->code, world->code_count);
  world->code[world->code_count++] =
      (struct defined){.within = record->kind == DEFINED_PLACE ? record->within : 0,
                       .name = name,
                       .file = record->file,
                       .line = record->line,
                       .column = record->column,
                       .end_line = record->end_line,
                       .end_column = record->end_column,
                       .place = record->place};
}

static void add_closure(struct world *world, const struct recorded_definition *record,
                        const char *description) {
  if (!enter_key(world, record->key, KEY_OF_CODE, world->code_count)) return;
  ARRAY_GROW(world->code, world->code_count);
  world->code[world->code_count++] =
      (struct defined){.name = description, .place = record->place, .bytes = record->within};
}

static void add_core(struct world *world, const char *text) {
  size_t bytes = strlen(text);
  ARRAY_ROOM(world->core, world->core_bytes + bytes + 1);
  memcpy(world->core + world->core_bytes, text, bytes);
  world->core[world->core_bytes + bytes] = ' ';
  world->core_bytes += bytes + 1;
}

static bool is_definition(const struct recorded_definition *record) {
  if (!memchr(record->text, '\0', record->bytes - sizeof *record)) return false;
  return record->kind == DEFINED_WORLD ||
         (record->key && (record->key | record->within) >> WORLD_SHIFT == 0);
}

static void add_definition(struct image *image, struct world *world,
                           const struct recorded_definition *record) {
  const char *text = arena_text(&image->arena, record->text, strlen(record->text));
  switch (record->kind) {
  case DEFINED_WORLD:
    if (!world->name) world->name = text;
    break;
  case DEFINED_FILE:
    add_file(world, record->key, text);
    break;
  case DEFINED_FUNCTION:
  case DEFINED_PLACE:
    add_code(world, record, text);
    break;
  case DEFINED_CENTRE:
    add_centre(image, world, record, text);
    break;
  case DEFINED_CLOSURE:
    add_closure(world, record, text);
    break;
  case DEFINED_CORE:
    add_core(world, text);
    break;
  }
}

void worlds_read(struct image *image, const struct block *block) {
  if (block->first >= WORLDS_MOST) {
    image->process.truncated = 1;
    return;
  }
  struct world *world = world_numbered(image, block->first);
  struct block_stream stream;
  block_stream_start(&stream, image, block);
  const struct recorded_definition *record;
  while (!stream.failed && (record = block_stream_record(&stream, sizeof *record + 8, 8)))
    if (!record->kind)
      continue; /* not written yet, or given up */
    else if (is_definition(record))
      add_definition(image, world, record);
    else
      stream.failed = 1;
  image->process.truncated |= stream.failed;
  block_stream_stop(&stream);
}

bool recording_closure(const struct process_recording *process, uint32_t number,
                       struct key_definition *definition) {
  return process->centres && world_find(process->centres, CLOSURE_KEY(number), definition);
}

/* ---- worlds are objects ---- */

static void add_object(struct image *image, const struct world *world, const char *name) {
  struct process_recording *process = &image->process;
  uint32_t index = next_index(process->object_count++);
  ARRAY_GROW(process->objects, index);
  uint64_t start = WORLD_ADDRESS(world->number, 0);
  process->objects[index] = (struct object_entry){.start = start,
                                                  .end = start + (1ull << WORLD_SHIFT),
                                                  .unloaded = UINT64_MAX,
                                                  .path = name,
                                                  .world = world};
  if (start == CENTRE_ADDRESS(0)) process->centres = world;
}

/* A forked child goes on with its parent's program: what the child adds stands behind it. */
static void inherit_core(struct world *world, const struct world *parent) {
  size_t bytes = parent->core_bytes;
  if (!bytes) return;
  ARRAY_ROOM(world->core, world->core_bytes + bytes);
  if (world->core_bytes) memmove(world->core + bytes, world->core, world->core_bytes);
  memcpy(world->core, parent->core, bytes);
  world->core_bytes += bytes;
}

/* The parent's objects are in order, its own worlds among them. */
static void inherit(struct image *image, const struct object_entry *object) {
  uint32_t own = map_find(&image->world_numbers, object->world->number, 0);
  if (own == UINT32_MAX) {
    add_object(image, object->world, object->path);
    return;
  }
  image->worlds[own]->parent = object->world;
  inherit_core(image->worlds[own], object->world);
  if (!image->worlds[own]->name) image->worlds[own]->name = object->path;
}

static const char *name_of(struct image *image, const struct world *world) {
  if (world->name) return world->name;
  char *name = memory_printed("world %u", world->number);
  const char *kept = arena_text(&image->arena, name, strlen(name));
  free(name);
  return kept;
}

void worlds_resolve(struct image *image) {
  const struct process_recording *parent = image->parent ? &image->parent->process : NULL;
  for (size_t i = 0; parent && i < parent->object_count; i++)
    if (parent->objects[i].world) inherit(image, &parent->objects[i]);
  for (size_t i = 0; i < image->world_count; i++)
    add_object(image, image->worlds[i], name_of(image, image->worlds[i]));
}

void worlds_free(struct image *image) {
  for (size_t i = 0; i < image->world_count; i++) {
    struct world *world = image->worlds[i];
    map_free(&world->keys);
    free(world->code);
    free(world->core);
    free(world->files);
    free(world);
  }
  free(image->worlds);
  map_free(&image->world_numbers);
}
