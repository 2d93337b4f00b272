/* The text that `perf script` prints: samples with their stacks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_name.h"
#include "base/begins.h"
#include "exchange/import_formats.h"
#include "exchange/perf_events.h"
#include "exchange/perf_text.h"
#include "exchange/printed_date.h"
#include "symbols/demangle.h"

struct frame {
  const char *symbol;
  uint32_t object; /* NOTHING: not told */
  bool inlined;
  const char *file; /* or null */
  uint32_t line;
};

struct perf_import {
  struct input *input;
  struct error *error;
  struct perf_events events;
  struct map functions; /* (symbol, object) -> function; bit 63 of the object: inlined */
  uint32_t last_object; /* that of the last frame, whose name was last_object_name */
  const char *last_object_name;
  char host[256];
  uint64_t captured_ns;
  uint64_t lost; /* samples that perf could not deliver */
  /* the sample at hand */
  uint32_t event; /* NOTHING: none */
  uint32_t thread;
  struct amount amount;
  struct frame *frames; /* innermost first */
  size_t frame_count;
};

/* ---- frames ---- */

static bool is_unknown(const char *name) {
  return strcmp(name, "[unknown]") == 0 || !*name;
}

static bool is_mangled(const char *symbol) {
  return symbol[0] == '_' && (symbol[1] == 'Z' || symbol[1] == 'R');
}

static uint32_t new_function(struct stack_profile *stacks, const struct frame *frame) {
  struct profile_function function = {.object = frame->object};
  enum body body = frame->inlined ? BODY_INLINED : BODY_OWN;
  char text[600];
  if (is_unknown(frame->symbol)) {
    const struct profile_object *objects = stacks->profile->objects;
    snprintf(text, sizeof text, "(no symbol)%s%s", frame->object == NOTHING ? "" : " in ",
             frame->object == NOTHING ? "" : base_name(objects[frame->object].path));
    function.name = text;
    return stack_profile_function(stacks, &function, body);
  }
  char *name = demangle(frame->symbol);
  char *linkage = memory_text_part(frame->symbol, demangle_base_length(frame->symbol));
  function.name = name;
  function.linkage = is_mangled(linkage) ? linkage : NULL;
  uint32_t id = stack_profile_function(stacks, &function, body);
  free(name);
  free(linkage);
  return id;
}

static uint32_t function_of(struct perf_import *import, const struct frame *frame) {
  uint64_t where = (uint64_t)frame->inlined << 63 | frame->object;
  uint32_t id = map_find(&import->functions, (uintptr_t)frame->symbol, where);
  if (id != UINT32_MAX) return id;
  id = new_function(&import->events.stacks, frame);
  return map_find_or_add(&import->functions, (uintptr_t)frame->symbol, where, id);
}

static uint32_t object_of(struct perf_import *import, const char *name) {
  struct stack_profile *stacks = &import->events.stacks;
  if (!name || is_unknown(name)) return NOTHING;
  if (import->last_object_name && strcmp(import->last_object_name, name) == 0)
    return import->last_object;
  import->last_object = stack_profile_object(stacks, name, "");
  import->last_object_name = stacks->profile->objects[import->last_object].path;
  return import->last_object;
}

static void take_frame(struct perf_import *import, const struct perf_frame *parsed) {
  ARRAY_GROW(import->frames, import->frame_count);
  import->frames[import->frame_count++] =
      (struct frame){.symbol = stack_profile_text(&import->events.stacks, parsed->symbol),
                     .object = object_of(import, parsed->object),
                     .inlined = parsed->inlined};
}

/* ---- samples ---- */

static int end_sample(struct perf_import *import) {
  struct stack_profile *stacks = &import->events.stacks;
  uint32_t event = import->event;
  import->event = NOTHING;
  if (event == NOTHING) return 0;
  stack_profile_begin(stacks, import->thread);
  uint32_t outer = NOTHING; /* object of the function that the next ones are inlined into */
  for (size_t i = import->frame_count; i-- > 0;) {
    struct frame *frame = &import->frames[i];
    if (frame->inlined)
      frame->object = outer;
    else
      outer = frame->object;
    uint32_t function = function_of(import, frame);
    uint32_t line = stack_profile_line(stacks, function, frame->file, frame->line);
    stack_profile_frame(stacks, function, line);
  }
  if (stack_profile_charge(stacks, event, import->amount) == 0) return 0;
  return input_error(import->input, import->error, "the sum of all periods is too large");
}

static int begin_sample(struct perf_import *import, const struct perf_sample *sample) {
  struct stack_profile *stacks = &import->events.stacks;
  uint32_t event =
      perf_events_find(&import->events, sample->event, sample->event && sample->period);
  if (event == NOTHING)
    return input_error(import->input, import->error, "more than %d different events", METRICS_MOST);
  const char *command = sample->pid ? sample->command : "";
  uint32_t process = stack_profile_process(stacks, sample->pid, command);
  import->thread = stack_profile_thread(stacks, process, sample->tid, sample->command);
  import->amount = (struct amount){1, import->events.weighed[event] ? sample->period : 1};
  import->event = event;
  import->frame_count = 0;
  struct perf_frame frame;
  if (!*sample->rest) return 0;
  sample->rest[-1] = ' '; /* frames begin with a blank */
  if (perf_frame_parse(sample->rest - 1, &frame)) take_frame(import, &frame);
  return 0;
}

/* ---- lines ---- */

/* "# hostname : vm" and so on, of `perf script --header`. */
static void take_comment(struct perf_import *import, const char *line) {
  const char *value;
  if ((value = text_after(line, "# hostname : ")))
    snprintf(import->host, sizeof import->host, "%s", value);
  else if ((value = text_after(line, "# captured on    : ")))
    import->captured_ns = printed_date_read(value, PERF_DATE);
}

/* "PERF_RECORD_LOST lost 12", and others that are not about samples. */
static bool take_record(struct perf_import *import, const char *line) {
  const char *record = strstr(line, "PERF_RECORD_");
  if (!record) return false;
  const char *lost = text_after(record, "PERF_RECORD_LOST lost ");
  if (!lost) lost = text_after(record, "PERF_RECORD_LOST_SAMPLES lost ");
  if (lost) import->lost += strtoull(lost, NULL, 10);
  return true;
}

/* Where the last frame is.  Instructions and source text are no figures and left out. */
static void take_detail(struct perf_import *import, char *line) {
  struct perf_source source;
  if (!import->frame_count || !perf_source_parse(line, &source)) return;
  struct frame *frame = &import->frames[import->frame_count - 1];
  frame->file = stack_profile_text(&import->events.stacks, source.file);
  frame->line = source.line;
}

/* What perf prints below a sample's first line. */
static bool take_below_sample(struct perf_import *import, char *line) {
  bool indented = *line == ' ' || *line == '\t' || *line == '|';
  struct perf_frame frame;
  if (import->event == NOTHING || !indented || (*line != '\t' && perf_is_sample(line)))
    return false;
  if (perf_frame_parse(line, &frame))
    take_frame(import, &frame);
  else
    take_detail(import, line);
  return true;
}

static int take_line(struct perf_import *import, char *line) {
  struct perf_sample sample;
  if (!*line) return end_sample(import);
  if (*line == '#') {
    take_comment(import, line);
    return 0;
  }
  if (take_below_sample(import, line)) return 0;
  if (take_record(import, line)) return end_sample(import);
  if (!perf_sample_parse(line, &sample))
    return input_error(import->input, import->error, "not a sample of perf script: %.60s", line);
  if (end_sample(import) != 0) return -1;
  return begin_sample(import, &sample);
}

/* ---- the file ---- */

static void describe(const struct perf_import *import, struct profile *profile) {
  for (size_t i = 0; i < profile->process_count; i++) {
    struct profile_process *process = &profile->processes[i];
    process->host = pool_string(profile->pool, import->host);
    process->started_ns = process->updated_ns = import->captured_ns;
  }
  struct profile_origin *origin = &profile->origin;
  if (!import->lost) return;
  char text[600];
  snprintf(text, sizeof text, "%s%s%llu samples that perf lost", origin->note ? origin->note : "",
           origin->note ? "; " : "", (unsigned long long)import->lost);
  origin->note = pool_string(profile->pool, text);
}

static int read_lines(struct perf_import *import) {
  char *line;
  size_t length;
  int got;
  while ((got = input_line(import->input, &line, &length, import->error)) > 0)
    if (take_line(import, line) != 0) return -1;
  if (got < 0) return -1;
  if (import->input->cut_off)
    return input_error(import->input, import->error, "the file ends in the middle of a line");
  return end_sample(import);
}

static int read_perf_script(struct input *input, const struct import_options *options,
                            struct profile **profile, struct error *error) {
  struct perf_import import = {.input = input, .error = error, .event = NOTHING};
  int result = read_lines(&import);
  struct profile *made = NULL;
  struct error ignored;
  if (perf_events_finish(&import.events, options->event, &made, result == 0 ? error : &ignored) !=
      0)
    result = -1;
  map_free(&import.functions);
  free(import.frames);
  if (result == 0) {
    describe(&import, made);
    *profile = made;
  } else {
    profile_free(made);
  }
  return result;
}

static bool matches(const char *start, size_t count) {
  char line[512];
  if (count > 10 && memcmp(start, "# ========", 10) == 0) return true;
  for (size_t at = 0; at < count;) {
    const char *newline = memchr(start + at, '\n', count - at);
    size_t length = newline ? (size_t)(newline - start) - at : count - at;
    struct perf_sample sample;
    snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : sizeof line - 1),
             start + at);
    if (*line && *line != '#')
      return strstr(line, "PERF_RECORD_") ||
             (perf_sample_parse(line, &sample) &&
              (sample.event || (newline && at + length + 1 < count && newline[1] == '\t')));
    at += length + 1;
  }
  return false;
}

const struct import_format import_perf_script = {.name = "perf-script",
                                                 .words = "text of perf script",
                                                 .matches = matches,
                                                 .read = read_perf_script};
