/* pprof's format, compressed or not: Go's profiles, and those of tools for C++. */
#include <stdlib.h>
#include <string.h>

#include "exchange/gzip_bytes.h"
#include "exchange/import_formats.h"
#include "exchange/object_frames.h"
#include "exchange/pprof_fields.h"
#include "exchange/pprof_types.h"
#include "exchange/whole_input.h"

/* Frames of a location, outermost first. */
struct span {
  uint32_t first, count; /* count 0: not looked at yet */
};

struct pprof_import {
  struct pprof_tables tables;
  struct pprof_values values;
  bool unsampled[METRICS_MOST]; /* by metric: there are values without a sample of it */
  struct stack_profile stacks;
  struct object_frames objects;
  uint32_t *object_of;  /* by mapping */
  struct map functions; /* (function, mapping, body) -> function of the profile */
  struct span *spans;   /* by location */
  struct object_frame *frames;
  size_t frame_count;
  uint64_t *stack; /* ids of locations of the sample at hand, innermost first */
  size_t stack_count;
  uint64_t *numbers; /* values of the sample at hand */
  size_t number_count;
  struct error *error;
};

/* ---- locations ---- */

static const char *text_or_null(const struct pprof_import *import, uint32_t text) {
  const char *string = pprof_text(&import->tables, text);
  return string[0] ? string : NULL;
}

static void make_objects(struct pprof_import *import) {
  const struct pprof_tables *tables = &import->tables;
  import->object_of = memory_zeroed(tables->mapping_count, sizeof *import->object_of);
  for (size_t i = 0; i < tables->mapping_count; i++) {
    const struct pprof_mapping *mapping = &tables->mappings[i];
    const char *path = pprof_text(tables, mapping->path);
    const char *build_id = pprof_text(tables, mapping->build_id);
    import->object_of[i] = NOTHING;
    if (path[0] || build_id[0])
      import->object_of[i] =
          stack_profile_object(&import->stacks, path[0] ? path : build_id, build_id);
  }
}

static uint32_t object_of(const struct pprof_import *import, const struct pprof_location *at) {
  return at->mapping == UINT32_MAX ? NOTHING : import->object_of[at->mapping];
}

static uint32_t function_of(struct pprof_import *import, uint32_t index, uint32_t object,
                            enum body body) {
  uint64_t key = (uint64_t)object << 32 | index;
  uint32_t id = map_find(&import->functions, key, body);
  if (id != UINT32_MAX) return id;
  const struct pprof_function *from = &import->tables.functions[index];
  struct profile_function function = {.name = text_or_null(import, from->name),
                                      .linkage = text_or_null(import, from->linkage),
                                      .file = text_or_null(import, from->file),
                                      .line = from->line,
                                      .object = object};
  if (!function.name) function.name = function.linkage ? function.linkage : "(no name)";
  id = stack_profile_function(&import->stacks, &function, body);
  return map_find_or_add(&import->functions, key, body, id);
}

static struct object_frame *new_frame(struct pprof_import *import) {
  ARRAY_GROW(import->frames, import->frame_count);
  return &import->frames[import->frame_count++];
}

static int add_line(struct pprof_import *import, struct protobuf_input message, uint32_t object,
                    enum body body) {
  struct protobuf_field field;
  uint64_t id = 0, line = 0;
  int got;
  while ((got = protobuf_read(&message, &field)) > 0) {
    if (field.number == LINE_FUNCTION_ID) id = field.value;
    if (field.number == LINE_LINE) line = field.value < UINT32_MAX ? field.value : 0;
  }
  if (got < 0)
    return pprof_error(&import->tables, message.at, "no line of a location", import->error);
  uint32_t index = map_find(&import->tables.function_ids, id, 0);
  if (index == UINT32_MAX)
    return pprof_error(&import->tables, message.at, "a line of a function that is not there",
                       import->error);
  uint32_t function = function_of(import, index, object, body);
  const char *file = text_or_null(import, import->tables.functions[index].file);
  uint32_t line_id = stack_profile_line(&import->stacks, function, file, line);
  *new_frame(import) = (struct object_frame){function, line_id};
  return 0;
}

static void add_address(struct pprof_import *import, const struct pprof_location *location,
                        uint32_t object) {
  struct object_frame found[MOST_FRAMES_OF_ADDRESS];
  uint64_t offset = location->address;
  if (location->mapping != UINT32_MAX) {
    const struct pprof_mapping *mapping = &import->tables.mappings[location->mapping];
    offset = location->address - mapping->start + mapping->file_offset;
  }
  size_t count = object_frames_at(&import->objects, object, offset, found);
  for (size_t i = 0; i < count; i++)
    *new_frame(import) = found[i];
}

static void reverse(struct object_frame *frames, size_t count) {
  for (size_t i = 0; i < count / 2; i++) {
    struct object_frame frame = frames[i];
    frames[i] = frames[count - 1 - i];
    frames[count - 1 - i] = frame;
  }
}

/* The lines of a location stand innermost first: all but the last are inlined into that. */
static int find_frames(struct pprof_import *import, uint32_t index) {
  const struct pprof_location *location = &import->tables.locations[index];
  struct protobuf_input message = location->lines;
  struct protobuf_field field;
  size_t first = import->frame_count, lines = 0, line = 0;
  uint32_t object = object_of(import, location);
  while (protobuf_read(&message, &field) > 0)
    lines += field.number == LOCATION_LINE;
  message = location->lines;
  while (protobuf_read(&message, &field) > 0) {
    if (field.number != LOCATION_LINE) continue;
    enum body body = ++line < lines ? BODY_INLINED : BODY_OWN;
    if (add_line(import, field.bytes, object, body) != 0) return -1;
  }
  if (lines)
    reverse(import->frames + first, lines);
  else
    add_address(import, location, object);
  import->spans[index] = (struct span){first, import->frame_count - first};
  return 0;
}

static int put_location(struct pprof_import *import, uint64_t id, const unsigned char *at) {
  uint32_t index = map_find(&import->tables.location_ids, id, 0);
  if (index == UINT32_MAX)
    return pprof_error(&import->tables, at, "a sample at a location that is not there",
                       import->error);
  if (!import->spans[index].count && find_frames(import, index) != 0) return -1;
  struct span span = import->spans[index];
  for (uint32_t i = 0; i < span.count; i++) {
    const struct object_frame *frame = &import->frames[span.first + i];
    stack_profile_frame(&import->stacks, frame->function, frame->line);
  }
  return 0;
}

/* ---- samples ---- */

struct sample {
  const char *thread; /* "" if not told */
  uint64_t tid, pid;
};

static uint64_t within_32_bits(uint64_t value) {
  return value < UINT32_MAX ? value : 0;
}

/* Which thread it was, where the labels say so as Ascribe and others write it. */
static int take_label(struct pprof_import *import, struct sample *sample,
                      struct protobuf_input message) {
  struct protobuf_field field;
  uint64_t key = 0, text = 0, value = 0;
  int got;
  while ((got = protobuf_read(&message, &field)) > 0) {
    if (field.number == LABEL_KEY) key = field.value;
    if (field.number == LABEL_STR) text = field.value;
    if (field.number == LABEL_NUM) value = field.value;
  }
  if (got < 0) return pprof_error(&import->tables, message.at, "no label", import->error);
  const struct pprof_tables *tables = &import->tables;
  const char *name = pprof_text(tables, pprof_text_index(tables, key));
  bool is_thread = strcmp(name, "thread") == 0 || strcmp(name, "thread_name") == 0;
  if (text && is_thread) sample->thread = pprof_text(tables, pprof_text_index(tables, text));
  if (strcmp(name, "tid") == 0 || strcmp(name, "thread_id") == 0)
    sample->tid = within_32_bits(value);
  if (strcmp(name, "pid") == 0 || strcmp(name, "process_id") == 0)
    sample->pid = within_32_bits(value);
  return 0;
}

static int parse_sample(struct pprof_import *import, struct protobuf_input message,
                        struct sample *sample) {
  struct protobuf_field field;
  uint64_t value;
  int got;
  import->stack_count = import->number_count = 0;
  while ((got = protobuf_read(&message, &field)) > 0) {
    if (field.number == SAMPLE_LABEL && take_label(import, sample, field.bytes) != 0) return -1;
    if (field.number != SAMPLE_LOCATION_ID && field.number != SAMPLE_VALUE) continue;
    bool is_location = field.number == SAMPLE_LOCATION_ID;
    while (protobuf_read_number(&field, &value)) {
      if (is_location) {
        ARRAY_GROW(import->stack, import->stack_count);
        import->stack[import->stack_count++] = value;
      } else {
        ARRAY_GROW(import->numbers, import->number_count);
        import->numbers[import->number_count++] = value;
      }
    }
    if (field.bytes.at != field.bytes.end)
      return pprof_error(&import->tables, field.bytes.at, "damaged numbers", import->error);
  }
  if (got < 0) return pprof_error(&import->tables, message.at, "no sample", import->error);
  if (import->number_count >= import->tables.type_count) return 0;
  return pprof_error(&import->tables, message.at, "a sample with too few values", import->error);
}

/* The sample's amount of one metric. */
static int take_amount(struct pprof_import *import, size_t metric, const unsigned char *at,
                       struct amount *amount) {
  const struct pprof_value *value = &import->values.list[metric];
  uint64_t samples = value->samples == SIZE_MAX ? 0 : import->numbers[value->samples];
  uint64_t weight = import->numbers[value->value];
  if (weight > INT64_MAX || samples > INT64_MAX)
    return pprof_error(&import->tables, at,
                       "a negative value: differences of profiles cannot be imported",
                       import->error);
  amount->ticks = samples;
  if (__builtin_mul_overflow(weight, value->factor, &amount->raw_ns))
    return pprof_error(&import->tables, at, "the sum of all values is too large", import->error);
  import->unsampled[metric] |= weight && !samples;
  return 0;
}

static int begin_stack(struct pprof_import *import, const struct sample *sample,
                       const unsigned char *at) {
  struct stack_profile *stacks = &import->stacks;
  uint32_t process = stack_profile_process(stacks, sample->pid, "");
  stack_profile_begin(stacks, stack_profile_thread(stacks, process, sample->tid, sample->thread));
  for (size_t i = import->stack_count; i-- > 0;)
    if (put_location(import, import->stack[i], at) != 0) return -1;
  return 0;
}

static int charge(struct pprof_import *import, const struct sample *sample,
                  const unsigned char *at) {
  bool begun = false;
  for (size_t i = 0; i < import->values.count; i++) {
    struct amount amount;
    if (take_amount(import, i, at, &amount) != 0) return -1;
    if (!amount.raw_ns) continue;
    if (!begun && begin_stack(import, sample, at) != 0) return -1;
    begun = true;
    if (stack_profile_charge(&import->stacks, (uint32_t)i, amount) != 0)
      return pprof_error(&import->tables, at, "the sum of all values is too large", import->error);
  }
  return 0;
}

static int take_samples(struct pprof_import *import) {
  for (size_t i = 0; i < import->tables.sample_count; i++) {
    struct protobuf_input message = import->tables.samples[i];
    struct sample sample = {.thread = ""};
    if (parse_sample(import, message, &sample) != 0) return -1;
    if (charge(import, &sample, message.at) != 0) return -1;
  }
  return 0;
}

/* The first metric is that which was asked for, or one that has values. */
static int choose_first(struct pprof_import *import, const char *wanted) {
  const struct amount *all = import->stacks.all;
  uint32_t first = 0;
  while (!wanted && first < import->values.count - 1 && !all[first].raw_ns)
    first++;
  if (!all[first].raw_ns)
    return error_set(import->error, "%s: no sample has a value of %s", import->tables.name,
                     import->values.list[wanted ? first : 0].name);
  metrics_put_first(import->stacks.profile, first);
  return 0;
}

/* ---- the file ---- */

static void add_metrics(struct pprof_import *import) {
  struct profile *profile = import->stacks.profile;
  for (size_t i = 0; i < import->values.count; i++) {
    const struct pprof_value *value = &import->values.list[i];
    if (i) metrics_add(profile, METRIC_GIVEN, value->name, value->unit);
    profile->metrics[i].name = value->name;
    profile->metrics[i].unit = value->unit;
  }
}

static void describe(struct pprof_import *import) {
  struct profile *profile = import->stacks.profile;
  for (size_t i = 0; i < import->values.count; i++)
    profile->metrics[i].evidence = import->unsampled[i] ? EVIDENCE_UNKNOWN : EVIDENCE_TICKS;
  if (import->values.left_out) {
    char *note = memory_printed("%zu sample type%s: of a name that another has, or too many",
                                import->values.left_out, import->values.left_out == 1 ? "" : "s");
    profile->origin.note = pool_string(profile->pool, note);
    free(note);
  }
  uint64_t time = import->tables.time_ns, duration = import->tables.duration_ns;
  for (size_t i = 0; i < profile->process_count; i++) {
    profile->processes[i].started_ns = time;
    profile->processes[i].updated_ns = time < INT64_MAX / 2 ? time + duration : time;
  }
}

static int read_tables(struct pprof_import *import, const char *name, const unsigned char *bytes,
                       size_t count, const struct import_options *options) {
  struct pool *pool = import->stacks.profile->pool;
  if (pprof_tables_read(&import->tables, name, bytes, count, pool, import->error) != 0) return -1;
  if (pprof_values_choose(&import->tables, options->event, &import->values, import->error) != 0)
    return -1;
  add_metrics(import);
  import->spans = memory_zeroed(import->tables.location_count, sizeof *import->spans);
  make_objects(import);
  if (take_samples(import) != 0) return -1;
  describe(import);
  return choose_first(import, options->event);
}

static int read_plain(const char *name, const unsigned char *bytes, size_t count,
                      const struct import_options *options, struct profile **profile,
                      struct error *error) {
  struct pprof_import import = {.error = error, .objects.stacks = &import.stacks};
  stack_profile_open(&import.stacks, "pprof", "");
  int result = read_tables(&import, name, bytes, count, options);
  pprof_tables_free(&import.tables);
  object_frames_close(&import.objects);
  map_free(&import.functions);
  free(import.object_of);
  free(import.spans);
  free(import.frames);
  free(import.stack);
  free(import.numbers);
  struct profile *made = stack_profile_finish(&import.stacks);
  if (result == 0)
    *profile = made;
  else
    profile_free(made);
  return result;
}

static int read_pprof(struct input *input, const struct import_options *options,
                      struct profile **profile, struct error *error) {
  struct whole_input whole;
  if (whole_input_read(&whole, input, error) != 0) return -1;
  int result = read_plain(input->name, (const unsigned char *)whole.text, whole.bytes, options,
                          profile, error);
  whole_input_free(&whole);
  return result;
}

/* The first field is as a rule a sample type: a message of two small numbers. */
static bool matches(const char *start, size_t count) {
  struct protobuf_input input = {(const unsigned char *)start,
                                 (const unsigned char *)start + count};
  struct protobuf_field field;
  if (gzip_is_start(start, count)) return true;
  if (protobuf_read(&input, &field) <= 0 || field.is_number) return false;
  if (field.number != PROFILE_SAMPLE_TYPE) return false;
  input = field.bytes;
  return protobuf_read(&input, &field) > 0 && field.is_number;
}

const struct import_format import_pprof = {
    .name = "pprof", .words = "a profile of pprof", .matches = matches, .read = read_pprof};
