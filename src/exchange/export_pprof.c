/* The format of pprof: gzip'ed protocol buffers.
 * Source: https://github.com/google/pprof/blob/main/proto/profile.proto. */
#include <stdlib.h>
#include <string.h>

#include "exchange/export_formats.h"
#include "exchange/export_names.h"
#include "exchange/gzip_stream.h"
#include "exchange/pprof_fields.h"
#include "exchange/pprof_places.h"
#include "exchange/protobuf_writer.h"

struct pprof {
  const struct export_data *data; /* of the first metric */
  uint32_t value_count;
  uint64_t *values; /* of one sample: of the first metric samples and what they stand for, calls
                     * if they are counted, and of each other metric what the first has */
  FILE *out;
  struct pprof_places places;
  struct call_lines *call_lines;
  struct stack_path path;         /* of one sample */
  struct source_line *lines;      /* of its frames */
  uint64_t *locations;            /* of its frames, innermost first */
  struct protobuf *thread_labels; /* by thread */
  struct protobuf message, part;
  uint64_t *calls; /* by context: calls that led to it */
  bool counted;    /* some calls are known */
};

enum { CALLS = 2 }; /* among the values */

static uint32_t text(struct pprof *pprof, const char *clean) {
  return text_id(&pprof->places.texts, clean);
}

static uint32_t profile_text(struct pprof *pprof, const char *raw) {
  return text_id_of_profile(&pprof->places.texts, raw);
}

static void write_mapping(struct pprof *pprof, uint32_t object) {
  const struct profile_object *from = &pprof->data->profile->objects[object];
  protobuf_number(&pprof->message, MAPPING_ID, (uint64_t)object + 1);
  protobuf_number(&pprof->message, MAPPING_FILENAME, profile_text(pprof, from->path));
  protobuf_number(&pprof->message, MAPPING_BUILD_ID, profile_text(pprof, from->build_id));
  /* Readers shall not look for symbols themselves: there are no addresses. */
  protobuf_number(&pprof->message, MAPPING_HAS_FUNCTIONS, 1);
  protobuf_number(&pprof->message, MAPPING_HAS_FILENAMES, 1);
  protobuf_number(&pprof->message, MAPPING_HAS_LINE_NUMBERS, 1);
  protobuf_flush(&pprof->message, PROFILE_MAPPING, pprof->out);
}

/* The first mapping is taken for that of the program. */
static void write_mappings(struct pprof *pprof) {
  size_t count = pprof->data->profile->object_count;
  for (int program = 1; program >= 0; program--)
    for (uint32_t i = 0; i < count; i++)
      if (pprof->data->is_program[i] == program) write_mapping(pprof, i);
}

/* ---- samples ---- */

static void put_label(struct pprof *pprof, struct protobuf *labels, const char *key, unsigned field,
                      uint64_t value) {
  pprof->part.count = 0;
  protobuf_number(&pprof->part, LABEL_KEY, text(pprof, key));
  protobuf_number(&pprof->part, field, value);
  protobuf_message(labels, SAMPLE_LABEL, &pprof->part);
}

static void make_thread_labels(struct pprof *pprof) {
  const struct profile *profile = pprof->data->profile;
  pprof->thread_labels = memory_zeroed(profile->thread_count, sizeof *pprof->thread_labels);
  for (size_t i = 0; i < profile->thread_count; i++) {
    const struct profile_thread *thread = &profile->threads[i];
    struct protobuf *labels = &pprof->thread_labels[i];
    if (thread->name[0])
      put_label(pprof, labels, "thread", LABEL_STR, profile_text(pprof, thread->name));
    /* Threads that followed each other in one place have no one id. */
    if (thread->owners == 1) put_label(pprof, labels, "tid", LABEL_NUM, thread->tid);
    put_label(pprof, labels, "pid", LABEL_NUM, profile->processes[thread->process].pid);
  }
}

/* Write a sample with the collected values, and set them to zero again. */
static void write_sample(struct pprof *pprof, uint32_t thread) {
  const struct stack_path *path = &pprof->path;
  ARRAY_ROOM(pprof->locations, path->length);
  for (size_t i = 0; i < path->length; i++)
    pprof->locations[path->length - 1 - i] =
        pprof_location(&pprof->places, path->frames[i].function, pprof->lines[i]);
  protobuf_numbers(&pprof->message, SAMPLE_LOCATION_ID, pprof->locations, path->length);
  protobuf_numbers(&pprof->message, SAMPLE_VALUE, pprof->values, pprof->value_count);
  protobuf_append(&pprof->message, &pprof->thread_labels[thread]);
  protobuf_flush(&pprof->message, PROFILE_SAMPLE, pprof->out);
  memset(pprof->values, 0, pprof->value_count * sizeof *pprof->values);
}

/* Without a stack, lines are those of the only call from one function to the next. */
static void find_path(struct pprof *pprof, const struct export_data *data,
                      const struct export_sample *sample) {
  export_path(data, sample, &pprof->path);
  size_t length = pprof->path.length, last = length - 1;
  const struct path_frame *frames = pprof->path.frames;
  ARRAY_ROOM(pprof->lines, length);
  for (size_t i = 0; i < length; i++) {
    uint32_t line = i == last ? sample->line : frames[i].line;
    pprof->lines[i] =
        line == NOTHING ? (struct source_line){0} : call_lines_of_profile(data->profile, line);
    if (i < last && sample->stack == NOTHING && frames[i].function != PATH_HOLE)
      pprof->lines[i] =
          call_lines_of_arc(pprof->call_lines, frames[i].function, frames[i + 1].function);
  }
}

/* Write the ticks of one metric. Its values begin at index `value`. */
static void write_ticks(struct pprof *pprof, const struct export_data *data, uint32_t value) {
  for (size_t i = 0; i < data->sample_count; i++) {
    const struct export_sample *sample = &data->samples[i];
    find_path(pprof, data, sample);
    pprof->values[value] = sample->amount.ticks;
    pprof->values[value + 1] = sample->ns;
    write_sample(pprof, sample->thread);
  }
}

/* Calls stand where the function begins. */
static void write_calls(struct pprof *pprof) {
  const struct profile *profile = pprof->data->profile;
  for (uint32_t i = 0; i < profile->context_count; i++) {
    const struct profile_context *context = &profile->contexts[i];
    if (!pprof->calls[i] || !context->length) continue;
    struct export_sample sample = {.context = i, .line = NOTHING, .stack = NOTHING};
    const struct profile_function *function = &profile->functions[context_running(context)];
    find_path(pprof, pprof->data, &sample);
    pprof->lines[pprof->path.length - 1] = (struct source_line){function->file, function->line};
    pprof->values[CALLS] = pprof->calls[i];
    write_sample(pprof, context->thread);
  }
}

static void count_calls(struct pprof *pprof) {
  const struct profile *profile = pprof->data->profile;
  pprof->calls = memory_zeroed(profile->context_count, sizeof *pprof->calls);
  for (size_t i = 0; i < profile->transition_count; i++) {
    const struct profile_transition *transition = &profile->transitions[i];
    if (!pprof->data->selected[transition->to]) continue;
    pprof->calls[transition->to] += transition->count;
    pprof->counted |= transition->count > 0;
  }
}

/* ---- the profile ---- */

static void put_value_type(struct pprof *pprof, unsigned field, const char *type,
                           const char *unit) {
  protobuf_number(&pprof->message, VALUE_TYPE_TYPE, text(pprof, type));
  protobuf_number(&pprof->message, VALUE_TYPE_UNIT, text(pprof, unit));
  protobuf_flush(&pprof->message, field, pprof->out);
}

/* Readers know how to scale "nanoseconds", "bytes" and "count". */
static const char *unit_of(const char *unit, const char *event) {
  if (!unit) return "nanoseconds";
  return strcmp(unit, event) == 0 ? "count" : unit;
}

/* Tools know memory by the names that Go's runtime gives it. */
static const char *name_of(const struct profile_metric *metric) {
  if (metric->kind != METRIC_HEAP) return NULL;
  if (strcmp(metric->name, heap_metric_name(HEAP_OF_MALLOC, HEAP_ALLOCATED)) == 0) return "alloc";
  return strcmp(metric->name, heap_metric_name(HEAP_OF_MALLOC, HEAP_LIVE)) == 0 ? "inuse" : NULL;
}

/* Of a metric: what its ticks are, and what they stand for; the latter's name. `samples`: of
 * ticks. */
static const char *put_types(struct pprof *pprof, const struct profile_metric *metric,
                             const char *samples) {
  struct pool *pool = pprof->data->pool;
  const char *heap = name_of(metric);
  const char *name = export_clean(pool, metric->name);
  const char *unit = unit_of(metric->unit ? export_clean(pool, metric->unit) : NULL, name);
  if (heap) {
    char *objects = memory_printed("%s_objects", heap), *space = memory_printed("%s_space", heap);
    samples = pool_string(pool, objects);
    name = pool_string(pool, space);
    free(objects);
    free(space);
  }
  put_value_type(pprof, PROFILE_SAMPLE_TYPE, samples, "count");
  put_value_type(pprof, PROFILE_SAMPLE_TYPE, name, unit);
  return name;
}

static void put_other_types(struct pprof *pprof, const struct profile_metric *metric) {
  char *samples = memory_printed("%s_samples", export_clean(pprof->data->pool, metric->name));
  put_types(pprof, metric, samples);
  free(samples);
}

static void write_head(struct pprof *pprof) {
  const struct run *run = &pprof->data->run;
  const char *unit = unit_of(pprof->data->unit, pprof->data->event);
  const char *event = put_types(pprof, profile_metric(pprof->data->profile), "samples");
  if (pprof->counted) put_value_type(pprof, PROFILE_SAMPLE_TYPE, "calls", "count");
  for (uint32_t i = 0; i < pprof->data->profile->metric_count; i++)
    if (i != pprof->data->profile->metric)
      put_other_types(pprof, &pprof->data->profile->metrics[i]);
  put_value_type(pprof, PROFILE_PERIOD_TYPE, event, unit);
  struct protobuf fields = {0};
  protobuf_number(&fields, PROFILE_TIME_NANOS, run->started_ns);
  if (run->ended_ns > run->started_ns)
    protobuf_number(&fields, PROFILE_DURATION_NANOS, run->ended_ns - run->started_ns);
  protobuf_number(&fields, PROFILE_PERIOD, run->period_ns);
  protobuf_number(&fields, PROFILE_DEFAULT_SAMPLE_TYPE, text(pprof, event));
  protobuf_number(&fields, PROFILE_COMMENT, text(pprof, pprof->data->title));
  for (size_t i = 0; pprof->data->remarks[i]; i++)
    protobuf_number(&fields, PROFILE_COMMENT, text(pprof, pprof->data->remarks[i]));
  fwrite(fields.bytes, 1, fields.count, pprof->out);
  free(fields.bytes);
}

static void open_tables(struct pprof *pprof) {
  const struct profile *profile = pprof->data->profile;
  pprof_places_open(&pprof->places, pprof->data);
  pprof->call_lines = call_lines_open(profile);
  make_thread_labels(pprof);
  count_calls(pprof);
  pprof->value_count = 2 * (uint32_t)profile->metric_count + pprof->counted;
  pprof->values = memory_zeroed(pprof->value_count, sizeof *pprof->values);
}

static void close_tables(struct pprof *pprof) {
  for (size_t i = 0; i < pprof->data->profile->thread_count; i++)
    free(pprof->thread_labels[i].bytes);
  free(pprof->thread_labels);
  call_lines_close(pprof->call_lines);
  pprof_places_close(&pprof->places);
  stack_path_free(&pprof->path);
  free(pprof->lines);
  free(pprof->locations);
  free(pprof->calls);
  free(pprof->values);
  free(pprof->message.bytes);
  free(pprof->part.bytes);
}

/* A stack of a caller and a callee alone would be none of the program's. */
static void say_calls_left_out(const struct export_data *data) {
  if (export_site_counts(data) == SITE_COUNTS_NONE || !data->options->say) return;
  data->options->say(
      "calls that were counted without their stacks are not in it, as pprof has calls "
      "by stacks only: --to callgrind has them");
}

static void write_other_metrics(struct pprof *pprof) {
  const struct profile *profile = pprof->data->profile;
  uint32_t value = CALLS + pprof->counted;
  for (uint32_t i = 0; i < profile->metric_count; i++) {
    if (i == profile->metric) continue;
    struct profile view = metric_view(profile, i);
    struct export_data data;
    export_data_open(&data, &view, pprof->data->options);
    write_ticks(pprof, &data, value);
    export_data_close(&data);
    value += 2;
  }
}

static int write_pprof(const struct export_data *data, FILE *out, struct error *error) {
  struct pprof pprof = {.data = data, .out = gzip_stream_open(out)};
  open_tables(&pprof);
  write_head(&pprof);
  write_mappings(&pprof);
  write_ticks(&pprof, data, 0);
  if (pprof.counted) write_calls(&pprof);
  write_other_metrics(&pprof);
  pprof_places_write(&pprof.places, pprof.out);
  close_tables(&pprof);
  fclose(pprof.out);
  say_calls_left_out(data);
  return 0;
}

const struct export_format export_pprof = {"pprof", ".pb.gz", "pprof, Speedscope", EXPORT_STACKS,
                                           write_pprof};
