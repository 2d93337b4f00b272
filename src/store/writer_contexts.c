#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/context_table.h"
#include "recording/history.h"
#include "store/writer_rows.h"

/* A history as a JSON array of function ids, negative where the entry is not marked. */
static const char *history_text(const struct profile_context *context, char **text) {
  ARRAY_ROOM(*text, (size_t)context->length * 12 + 3);
  char *at = *text;
  *at++ = '[';
  for (uint32_t i = 0; i < context->length; i++)
    at += sprintf(at, "%s%s%u", i ? "," : "", history_marked(context->history[i]) ? "" : "-",
                  history_function(context->history[i]) + 1);
  *at++ = ']';
  *at = '\0';
  return *text;
}

static void count_context_calls(const struct profile *profile, uint64_t *calls,
                                uint64_t *recursive) {
  for (size_t i = 0; i < profile->transition_count; i++) {
    const struct profile_transition *transition = &profile->transitions[i];
    uint32_t caller = context_running(&profile->contexts[transition->from]);
    uint32_t callee = context_running(&profile->contexts[transition->to]);
    (caller == callee ? recursive : calls)[transition->to] += transition->count;
  }
}

/* A root is entered by nobody, which is known. */
static bool is_counted(const struct profile *profile, const struct profile_context *context) {
  uint32_t running = context_running(context);
  return running == NOTHING || profile->functions[running].kind != FUNCTION_SAMPLED;
}

/* ---- contexts with one entry less ---- */

struct parents {
  const struct profile *profile;
  uint32_t *of;               /* by context, of those before; or NOTHING */
  bool is_open;               /* `table` is */
  struct context_table table; /* all contexts, where a look nearby does not do */
};

static bool begins_with(const struct profile_context *context,
                        const struct profile_context *beginning) {
  return context->thread == beginning->thread &&
         (!beginning->length || memcmp(context->history, beginning->history,
                                       beginning->length * sizeof *beginning->history) == 0);
}

/* In a tree that is written branch by branch it is above the context before. */
static uint32_t parent_nearby(const struct parents *parents, uint32_t id, uint32_t length) {
  const struct profile_context *contexts = parents->profile->contexts;
  uint32_t at = id ? id - 1 : NOTHING;
  while (at != NOTHING && contexts[at].length > length)
    at = parents->of[at];
  bool is_it =
      at != NOTHING && contexts[at].length == length && begins_with(&contexts[id], &contexts[at]);
  return is_it ? at : NOTHING;
}

/* Only an earlier one. */
static uint32_t find_parent(struct parents *parents, uint32_t id) {
  const struct profile_context *context = &parents->profile->contexts[id];
  if (!context->length) return NOTHING;
  uint32_t parent = parent_nearby(parents, id, context->length - 1);
  if (parent != NOTHING) return parent;
  if (!parents->is_open) context_table_open(&parents->table, (struct profile *)parents->profile);
  parents->is_open = true;
  parent = context_find(&parents->table, context->thread, context->history, context->length - 1);
  return parent != NOTHING && parent < id ? parent : NOTHING;
}

/* Most histories are an earlier context's with one entry more: then that context says it all. */
static int write_contexts(struct writer *writer, const char *name, const struct profile *profile) {
  struct parents parents = {.profile = profile};
  parents.of = memory_zeroed(profile->context_count, sizeof *parents.of);
  uint64_t *calls = memory_zeroed(profile->context_count, sizeof *calls);
  uint64_t *recursive = memory_zeroed(profile->context_count, sizeof *recursive);
  count_context_calls(profile, calls, recursive);
  char *text = NULL;
  int result = writer_begin(writer, name);
  for (size_t i = 0; result == 0 && i < profile->context_count; i++) {
    const struct profile_context *context = &profile->contexts[i];
    uint32_t parent = parents.of[i] = find_parent(&parents, (uint32_t)i);
    struct row_out *out = writer_row(writer);
    put_id(out, i);
    put_id(out, context->thread);
    put_id(out, parent);
    put_id(out, context_running(context));
    put_number(out, context->length);
    put_calls(out, is_counted(profile, context), calls[i]);
    put_calls(out, is_counted(profile, context), recursive[i]);
    put_number(out, context_self(profile, i).ticks);
    writer_put_ns(writer, context_self(profile, i));
    put_text(out, parent == NOTHING && context->length ? history_text(context, &text) : NULL);
    result = writer_write(writer);
  }
  free(text);
  free(calls);
  free(recursive);
  free(parents.of);
  if (parents.is_open) context_table_close(&parents.table);
  return writer_end(writer, result);
}

int writer_contexts(struct writer *writer) {
  return write_contexts(writer, "raw_contexts", writer->profile);
}

int writer_centre_contexts(struct writer *writer) {
  return write_contexts(writer, "raw_centre_contexts", &writer->centres->view);
}
