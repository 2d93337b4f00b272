#include <string.h>

#include "base/array.h"
#include "recording/reader_image.h"

/* As functions_find, for what can only be a function: damaged files have return addresses there. */
static uint32_t find_entered(struct image *image, uint32_t id, int *status) {
  uint32_t found = functions_find(image, id, status);
  if (found == NOTHING || image->process.functions[found].kind == ENTRY_FUNCTION) return found;
  image->process.truncated = 1;
  return NOTHING;
}

/* Turn a history of function ids into one of indices, in place. Entries whose function nobody
 * knows (its process's file is gone) are left out; if that is the running function, no context
 * can be told and it becomes a root. */
static int resolve_history(struct image *image, struct context_entry *context) {
  uint32_t *history = (uint32_t *)context->history; /* ours, in the arena */
  uint32_t kept = 0, last = NOTHING;
  int status = 0;
  for (uint32_t i = 0; i < context->length; i++) {
    last = context->flags & CONTEXT_STACK ? functions_find(image, history[i] >> 1, &status)
                                          : find_entered(image, history[i] >> 1, &status);
    if (last != NOTHING) history[kept++] = last << 1 | (history[i] & 1);
  }
  if (kept < context->length) {
    image->process.truncated = 1;
    context->length = last == NOTHING ? 0 : kept;
    if (context->length == 0) context->flags |= CONTEXT_ROOT;
  }
  return status;
}

/* Append a context that has no record in this file, with an id. Returns its index or NOTHING. */
static uint32_t append_context(struct image *image, uint32_t id,
                               const struct context_entry *context) {
  size_t count = image->process.context_count;
  struct context_entry *contexts =
      array_reserve(image->process.contexts, &image->context_capacity, count + 1, sizeof *contexts);
  if (!contexts) return NOTHING;
  image->process.contexts = contexts;
  uint32_t *ids = array_reserve(image->context_ids, &image->context_id_capacity,
                                count - image->own_contexts + 1, sizeof *ids);
  if (!ids) return NOTHING;
  image->context_ids = ids;
  uint32_t place = (uint32_t)(count - image->own_contexts);
  ids[place] = id;
  contexts[count] = *context;
  if (count >= NOTHING || hash_index_add(&image->inherited_contexts, hash_mix(id), place) < 0)
    return NOTHING;
  image->process.context_count++;
  return (uint32_t)count;
}

/* A copy of a context of an ancestor, whose history is in indices of the ancestor. */
static int copy_context(struct image *image, const struct image *ancestor, uint32_t theirs,
                        struct context_entry *copy) {
  const struct context_entry *context = &ancestor->process.contexts[theirs];
  uint32_t *history = arena_take(&image->arena, context->length * sizeof *history);
  if (!history) return -1;
  for (uint32_t i = 0; i < context->length; i++)
    history[i] = ancestor->function_ids[context->history[i] >> 1] << 1 | (context->history[i] & 1);
  *copy = (struct context_entry){
      .history = history, .length = context->length, .flags = context->flags};
  return resolve_history(image, copy);
}

static int has_id(const void *array, uint32_t index, const void *key) {
  return ((const uint32_t *)array)[index] == *(const uint32_t *)key;
}

/* The thread that forked is the child's main thread, whoever it was in the parent. */
static int inherited_context(struct image *image, uint32_t id, struct context_entry *context) {
  uint32_t thread = thread_find(image, 0);
  if (thread == NOTHING) return -1;
  const struct image *ancestor = image->parent;
  while (ancestor && id < ancestor->process.header.context_base)
    ancestor = ancestor->parent;
  uint32_t theirs = ancestor ? contexts_own(ancestor, id) : NOTHING;
  if (theirs == NOTHING) {
    image->process.truncated = 1;
    *context = (struct context_entry){.flags = CONTEXT_READY | CONTEXT_ROOT};
  } else if (copy_context(image, ancestor, theirs, context) < 0)
    return -1;
  context->thread = thread;
  return 0;
}

/* The index of a context: of this file, of an ancestor's (copied on first use), or made here (a
 * thread's root without a record). *found is NOTHING if there is none. */
static int resolve_context(struct image *image, uint32_t id, uint32_t *found) {
  uint32_t base = image->process.header.context_base;
  if (id >= base && id < MADE_ROOT_FIRST) {
    *found = contexts_own(image, id);
    return 0;
  }
  uint32_t place =
      hash_index_find(&image->inherited_contexts, hash_mix(id), has_id, image->context_ids, &id);
  if (place != HASH_INDEX_NONE) {
    *found = (uint32_t)image->own_contexts + place;
    return 0;
  }
  struct context_entry context = {.flags = CONTEXT_READY | CONTEXT_ROOT};
  if (id >= MADE_ROOT_FIRST) {
    if (id - MADE_ROOT_FIRST >= image->process.thread_count) {
      *found = NOTHING;
      return 0;
    }
    context.thread = id - MADE_ROOT_FIRST;
  } else if (inherited_context(image, id, &context) < 0)
    return -1;
  *found = append_context(image, id, &context);
  return *found == NOTHING ? -1 : 0;
}

static int resolve_optional(struct image *image, uint32_t id, uint32_t *found) {
  *found = NOTHING;
  return id ? resolve_context(image, id, found) : 0;
}

static int resolve_transitions(struct image *image) {
  struct transition_entry *entries = image->process.transitions;
  size_t kept = 0;
  for (size_t i = 0; i < image->process.transition_count; i++) {
    uint32_t from, to;
    if (resolve_context(image, entries[i].from, &from) < 0 ||
        resolve_context(image, entries[i].to, &to) < 0)
      return -1;
    if (from == NOTHING || to == NOTHING) {
      image->process.truncated = 1;
      continue;
    }
    entries[kept] = entries[i];
    entries[kept].from = from;
    entries[kept++].to = to;
  }
  image->process.transition_count = kept;
  return 0;
}

static int resolve_calls(struct image *image) {
  struct call_entry *entries = image->process.calls;
  size_t kept = 0;
  int status = 0;
  for (size_t i = 0; i < image->process.call_count; i++) {
    entries[kept] = entries[i];
    entries[kept].function = find_entered(image, entries[i].function, &status);
    if (entries[kept].function != NOTHING)
      kept++;
    else
      image->process.truncated = 1;
  }
  image->process.call_count = kept;
  return status;
}

static int resolve_ticks(struct image *image) {
  struct tick_entry *entries = image->process.ticks;
  size_t kept = 0;
  for (size_t i = 0; i < image->process.tick_count; i++) {
    uint32_t context, centre, stack;
    if (resolve_context(image, entries[i].context, &context) < 0 ||
        resolve_optional(image, entries[i].centre, &centre) < 0 ||
        resolve_optional(image, entries[i].stack, &stack) < 0)
      return -1;
    if (context == NOTHING || (entries[i].centre != 0 && centre == NOTHING) ||
        (entries[i].stack != 0 && stack == NOTHING)) {
      image->process.truncated = 1;
      continue;
    }
    entries[kept] = entries[i];
    entries[kept].context = context;
    entries[kept].centre = centre;
    entries[kept++].stack = stack;
  }
  image->process.tick_count = kept;
  return 0;
}

static int resolve_threads(struct image *image) {
  int status = 0;
  /* Resolving may enter the thread that forked, which has neither of these. */
  size_t count = image->process.thread_count;
  for (size_t i = 0; i < count && status == 0; i++) {
    struct recorded_thread recorded = image->recorded_threads[i];
    uint32_t function = NOTHING, spawned = NOTHING;
    if (recorded.start_function)
      function = find_entered(image, recorded.start_function - 1, &status);
    if (recorded.spawned_in && resolve_context(image, recorded.spawned_in, &spawned) < 0)
      status = -1;
    image->process.threads[i].start_function = function;
    image->process.threads[i].spawned_in = spawned;
  }
  return status;
}

int image_resolve(struct image *image) {
  image->own_contexts = image->process.context_count;
  for (size_t i = 0; i < image->own_contexts; i++)
    if (resolve_history(image, &image->process.contexts[i]) < 0) return -1;
  if (resolve_transitions(image) < 0 || resolve_calls(image) < 0 || resolve_ticks(image) < 0 ||
      resolve_threads(image) < 0)
    return -1;
  recording_resolve_objects(&image->process);
  return 0;
}
