#include <string.h>

#include "base/memory.h"
#include "recording/reader_image.h"

/* As functions_find, for what can only be a function: damaged files have return addresses there. */
static uint32_t find_entered(struct image *image, uint32_t id) {
  uint32_t found = functions_find(image, id);
  if (found == NOTHING || image->process.functions[found].kind == ENTRY_FUNCTION) return found;
  image->process.truncated = 1;
  return NOTHING;
}

/* Turn a history of function ids into one of indices, in place. Entries whose function nobody
 * knows (its process's file is gone) are left out; if that is the running function, no context
 * can be told and it becomes a root. */
static void resolve_history(struct image *image, struct context_entry *context) {
  uint32_t *history = (uint32_t *)context->history; /* ours, in the arena */
  uint32_t kept = 0, last = NOTHING;
  for (uint32_t i = 0; i < context->length; i++) {
    last = context->flags & CONTEXT_STACK ? functions_find(image, history[i] >> 1)
                                          : find_entered(image, history[i] >> 1);
    if (last != NOTHING) history[kept++] = last << 1 | (history[i] & 1);
  }
  if (kept < context->length) {
    image->process.truncated = 1;
    context->length = last == NOTHING ? 0 : kept;
    if (context->length == 0) context->flags |= CONTEXT_ROOT;
  }
}

/* Append a context that has no record in this file, with an id. Returns its index. */
static uint32_t append_context(struct image *image, uint32_t id,
                               const struct context_entry *context) {
  struct process_recording *process = &image->process;
  uint32_t index = next_index(process->context_count++);
  uint32_t place = index - (uint32_t)image->own_contexts;
  ARRAY_GROW(process->contexts, index);
  ARRAY_GROW(image->context_ids, place);
  process->contexts[index] = *context;
  image->context_ids[place] = id;
  hash_index_add(&image->inherited_contexts, hash_mix(id), place);
  return index;
}

/* A copy of a context of an ancestor, whose history is in indices of the ancestor. */
static struct context_entry copy_context(struct image *image, const struct image *ancestor,
                                         uint32_t theirs) {
  const struct context_entry *context = &ancestor->process.contexts[theirs];
  uint32_t *history = arena_take(&image->arena, context->length * sizeof *history);
  for (uint32_t i = 0; i < context->length; i++)
    history[i] = ancestor->function_ids[context->history[i] >> 1] << 1 | (context->history[i] & 1);
  struct context_entry copy = {
      .history = history, .length = context->length, .flags = context->flags};
  resolve_history(image, &copy);
  return copy;
}

static int has_id(const void *array, uint32_t index, const void *key) {
  return ((const uint32_t *)array)[index] == *(const uint32_t *)key;
}

static struct context_entry inherited_context(struct image *image, uint32_t id) {
  const struct image *ancestor = image->parent;
  while (ancestor && id < ancestor->process.header.context_base)
    ancestor = ancestor->parent;
  uint32_t theirs = ancestor ? contexts_own(ancestor, id) : NOTHING;
  if (theirs != NOTHING) return copy_context(image, ancestor, theirs);
  image->process.truncated = 1;
  return (struct context_entry){.flags = CONTEXT_READY | CONTEXT_ROOT};
}

uint32_t resolve_context(struct image *image, uint32_t id) {
  uint32_t base = image->process.header.context_base;
  if (is_row_id(id) && !(id = rows_context(image, id))) return NOTHING;
  if (id >= base && id < MADE_ROOT_FIRST) return contexts_own(image, id);
  uint32_t place =
      hash_index_find(&image->inherited_contexts, hash_mix(id), has_id, image->context_ids, &id);
  if (place != HASH_INDEX_NONE) return (uint32_t)image->own_contexts + place;
  bool made = id >= MADE_ROOT_FIRST;
  /* The thread that forked is the child's main thread, whoever it was in the parent. */
  uint32_t thread = made ? id - MADE_ROOT_FIRST : thread_find(image, 0);
  if (thread >= image->process.thread_count) return NOTHING;
  struct context_entry context = {.flags = CONTEXT_READY | CONTEXT_ROOT};
  if (!made) context = inherited_context(image, id);
  context.thread = thread;
  return append_context(image, id, &context);
}

static uint32_t resolve_optional(struct image *image, uint32_t id) {
  return id ? resolve_context(image, id) : NOTHING;
}

/* Both contexts of a transition, from ids to indices. False: the file is damaged. */
static bool resolve_both(struct image *image, uint32_t *from, uint32_t *to) {
  *from = resolve_context(image, *from);
  *to = resolve_context(image, *to);
  bool known = *from != NOTHING && *to != NOTHING;
  if (!known) image->process.truncated = 1;
  return known;
}

static void resolve_transitions(struct image *image) {
  struct transition_entry *entries = image->process.transitions;
  size_t kept = 0;
  for (size_t i = 0; i < image->process.transition_count; i++) {
    struct transition_entry entry = entries[i];
    if (resolve_both(image, &entry.from, &entry.to)) entries[kept++] = entry;
  }
  image->process.transition_count = kept;
}

static void resolve_entries(struct image *image) {
  struct entries_part *parts = image->process.entries;
  size_t kept = 0;
  for (size_t i = 0; i < image->process.entry_count; i++) {
    struct entries_part part = parts[i];
    if (resolve_both(image, &part.from, &part.to)) parts[kept++] = part;
  }
  image->process.entry_count = kept;
}

static void resolve_calls(struct image *image) {
  struct call_entry *entries = image->process.calls;
  size_t kept = 0;
  for (size_t i = 0; i < image->process.call_count; i++) {
    entries[kept] = entries[i];
    entries[kept].function = find_entered(image, entries[i].function);
    if (entries[kept].function != NOTHING)
      kept++;
    else
      image->process.truncated = 1;
  }
  image->process.call_count = kept;
}

static void resolve_ticks(struct image *image) {
  struct tick_entry *entries = image->process.ticks;
  size_t kept = 0;
  for (size_t i = 0; i < image->process.tick_count; i++) {
    uint32_t context = resolve_context(image, entries[i].context);
    uint32_t stack = resolve_optional(image, entries[i].stack);
    if (context == NOTHING || (entries[i].stack != 0 && stack == NOTHING)) {
      image->process.truncated = 1;
      continue;
    }
    uint32_t centre = resolve_optional(image, entries[i].centre);
    entries[kept] = entries[i];
    entries[kept].context = context;
    entries[kept].centre = centre;
    entries[kept++].stack = stack;
  }
  image->process.tick_count = kept;
}

static void resolve_threads(struct image *image) {
  /* Resolving may enter the thread that forked, which has neither of these. */
  size_t count = image->process.thread_count;
  for (size_t i = 0; i < count; i++) {
    struct recorded_thread recorded = image->recorded_threads[i];
    uint32_t function =
        recorded.start_function ? find_entered(image, recorded.start_function - 1) : NOTHING;
    uint32_t spawned = resolve_optional(image, recorded.spawned_in);
    image->process.threads[i].start_function = function;
    image->process.threads[i].spawned_in = spawned;
  }
}

void image_resolve(struct image *image) {
  image->own_contexts = image->process.context_count;
  for (size_t i = 0; i < image->own_contexts; i++)
    resolve_history(image, &image->process.contexts[i]);
  rows_add_calls(image);
  resolve_transitions(image);
  resolve_entries(image);
  resolve_calls(image);
  resolve_ticks(image);
  resolve_threads(image);
  heap_resolve_centres(image);
  closures_resolve_centres(image);
  messages_resolve(image);
  rows_add_leaves(image);
  heap_resolve(image);
  worlds_resolve(image);
  closures_resolve(image);
  recording_resolve_objects(&image->process);
}
