#include <stdio.h>
#include <stdlib.h>

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

/* Most histories are an earlier context's with one entry more: then that context says it all. */
static int write_contexts(struct writer *writer, const char *name, const struct profile *profile) {
  struct context_table table;
  context_table_open(&table, (struct profile *)profile);
  uint64_t *calls = memory_zeroed(profile->context_count, sizeof *calls);
  uint64_t *recursive = memory_zeroed(profile->context_count, sizeof *recursive);
  count_context_calls(profile, calls, recursive);
  char *text = NULL;
  int result = writer_begin(writer, name);
  for (size_t i = 0; result == 0 && i < profile->context_count; i++) {
    const struct profile_context *context = &profile->contexts[i];
    uint32_t parent = NOTHING;
    if (context->length)
      parent = context_find(&table, context->thread, context->history, context->length - 1);
    if (parent != NOTHING && parent > i) parent = NOTHING;
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
  context_table_close(&table);
  return writer_end(writer, result);
}

int writer_contexts(struct writer *writer) {
  return write_contexts(writer, "raw_contexts", writer->profile);
}

int writer_centre_contexts(struct writer *writer) {
  return write_contexts(writer, "raw_centre_contexts", &writer->centres->view);
}
