#include "exchange/object_frames.h"

#include <stdio.h>

#include "attribution/recorded/recorded_object.h"
#include "base/base_name.h"

void object_frames_close(struct object_frames *frames) {
  if (frames->symbols) symbols_free(frames->symbols);
  frames->symbols = NULL;
}

uint32_t object_frames_unknown(struct stack_profile *stacks, uint32_t object) {
  char text[600] = "(no symbol)";
  if (object != NOTHING) {
    const char *path = stacks->profile->objects[object].path;
    snprintf(text, sizeof text, "(no symbol) in %s", base_name(path));
  }
  struct profile_function function = {.name = text, .object = object};
  return stack_profile_function(stacks, &function, BODY_OWN);
}

/* Only a file that is known to be the same is asked. */
static struct symbol_file *open_object(struct object_frames *frames, uint32_t object) {
  const struct profile_object *of = &frames->stacks->profile->objects[object];
  struct symbol_file *file = NULL;
  if (!of->build_id[0] || of->path[0] != '/') return NULL;
  if (!frames->symbols) frames->symbols = symbols_create();
  return recorded_object_file(frames->symbols, of, &file, NULL) == 0 ? file : NULL;
}

static struct object_frame add_frame(struct stack_profile *stacks, uint32_t object,
                                     const struct symbol_frame *frame) {
  const struct symbol *symbol = &frame->symbol;
  struct profile_function function = {.name = symbol->name,
                                      .linkage = symbol->linkage,
                                      .file = symbol->file,
                                      .line = symbol->line,
                                      .object = object};
  enum body body = frame->inlined ? BODY_INLINED : BODY_OWN;
  uint32_t id = stack_profile_function(stacks, &function, body);
  const struct source_position *at = &frame->position;
  return (struct object_frame){id, stack_profile_line(stacks, id, at->file, at->line)};
}

size_t object_frames_at(struct object_frames *frames, uint32_t object, uint64_t offset,
                        struct object_frame list[MOST_FRAMES_OF_ADDRESS]) {
  struct symbol_frame found[MOST_FRAMES_OF_ADDRESS];
  struct symbol_file *file = object == NOTHING ? NULL : open_object(frames, object);
  uint64_t address = file ? symbol_file_address(file, offset) : 0;
  size_t count = address ? symbol_file_frames(file, address, found, MOST_FRAMES_OF_ADDRESS) : 0;
  for (size_t i = 0; i < count; i++)
    list[i] = add_frame(frames->stacks, object, &found[i]);
  if (count) return count;
  uint32_t unknown = object_frames_unknown(frames->stacks, object);
  list[0] = (struct object_frame){unknown, stack_profile_line(frames->stacks, unknown, NULL, 0)};
  return 1;
}
