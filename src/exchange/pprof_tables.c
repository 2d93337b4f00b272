#include "exchange/pprof_tables.h"

#include <stdlib.h>
#include <string.h>

#include "exchange/pprof_fields.h"

int pprof_error(const struct pprof_tables *tables, const unsigned char *at, const char *what,
                struct error *error) {
  return error_set(error, "%s: %s, at byte %zu of the profile", tables->name, what,
                   (size_t)(at - tables->bytes));
}

static int no_message(const struct pprof_tables *tables, const struct protobuf_input *input,
                      struct error *error) {
  return pprof_error(tables, input->at, "not a pprof profile, or damaged", error);
}

const char *pprof_text(const struct pprof_tables *tables, uint32_t text) {
  if (text >= tables->text_count) return "";
  const struct protobuf_input *bytes = &tables->texts[text];
  char *copy = memory_text_part((const char *)bytes->at, bytes->end - bytes->at);
  const char *string = pool_string(tables->pool, copy);
  free(copy);
  return string;
}

/* ---- messages ---- */

static uint32_t text_index(uint64_t number) {
  return number < UINT32_MAX ? number : UINT32_MAX;
}

uint32_t pprof_text_index(const struct pprof_tables *tables, uint64_t number) {
  return number < tables->text_count ? number : 0;
}

static uint32_t line_number(uint64_t value) {
  return value < UINT32_MAX ? value : 0;
}

static int read_type(struct pprof_tables *tables, struct protobuf_input message,
                     struct error *error) {
  struct pprof_value_type type = {0};
  struct protobuf_field field;
  int got;
  while ((got = protobuf_read(&message, &field)) > 0) {
    if (field.number == VALUE_TYPE_TYPE) type.type = text_index(field.value);
    if (field.number == VALUE_TYPE_UNIT) type.unit = text_index(field.value);
  }
  if (got < 0) return no_message(tables, &message, error);
  ARRAY_GROW(tables->types, tables->type_count);
  tables->types[tables->type_count++] = type;
  return 0;
}

static int read_mapping(struct pprof_tables *tables, struct protobuf_input message,
                        struct error *error) {
  struct pprof_mapping mapping = {0};
  struct protobuf_field field;
  uint64_t id = 0;
  int got;
  while ((got = protobuf_read(&message, &field)) > 0) {
    if (field.number == MAPPING_ID) id = field.value;
    if (field.number == MAPPING_MEMORY_START) mapping.start = field.value;
    if (field.number == MAPPING_MEMORY_LIMIT) mapping.limit = field.value;
    if (field.number == MAPPING_FILE_OFFSET) mapping.file_offset = field.value;
    if (field.number == MAPPING_FILENAME) mapping.path = text_index(field.value);
    if (field.number == MAPPING_BUILD_ID) mapping.build_id = text_index(field.value);
  }
  if (got < 0) return no_message(tables, &message, error);
  map_find_or_add(&tables->mapping_ids, id, 0, tables->mapping_count);
  ARRAY_GROW(tables->mappings, tables->mapping_count);
  tables->mappings[tables->mapping_count++] = mapping;
  return 0;
}

static int read_function(struct pprof_tables *tables, struct protobuf_input message,
                         struct error *error) {
  struct pprof_function function = {0};
  struct protobuf_field field;
  uint64_t id = 0;
  int got;
  while ((got = protobuf_read(&message, &field)) > 0) {
    if (field.number == FUNCTION_ID) id = field.value;
    if (field.number == FUNCTION_NAME) function.name = text_index(field.value);
    if (field.number == FUNCTION_SYSTEM_NAME) function.linkage = text_index(field.value);
    if (field.number == FUNCTION_FILENAME) function.file = text_index(field.value);
    if (field.number == FUNCTION_START_LINE) function.line = line_number(field.value);
  }
  if (got < 0) return no_message(tables, &message, error);
  map_find_or_add(&tables->function_ids, id, 0, tables->function_count);
  ARRAY_GROW(tables->functions, tables->function_count);
  tables->functions[tables->function_count++] = function;
  return 0;
}

/* `mapping` is the file's id until all mappings are there. */
static int read_location(struct pprof_tables *tables, struct protobuf_input message,
                         struct error *error) {
  struct pprof_location location = {.lines = message, .mapping = UINT32_MAX};
  struct protobuf_field field;
  uint64_t id = 0;
  int got;
  while ((got = protobuf_read(&message, &field)) > 0) {
    if (field.number == LOCATION_ID) id = field.value;
    if (field.number == LOCATION_MAPPING_ID) location.mapping = text_index(field.value);
    if (field.number == LOCATION_ADDRESS) location.address = field.value;
    if (field.number == LOCATION_LINE && field.is_number)
      return no_message(tables, &message, error);
  }
  if (got < 0) return no_message(tables, &message, error);
  map_find_or_add(&tables->location_ids, id, 0, tables->location_count);
  ARRAY_GROW(tables->locations, tables->location_count);
  tables->locations[tables->location_count++] = location;
  return 0;
}

/* ---- the profile ---- */

static bool is_message(const struct protobuf_field *field) {
  return field->number <= PROFILE_STRING_TABLE || field->number == PROFILE_PERIOD_TYPE;
}

static int take_field(struct pprof_tables *tables, const struct protobuf_field *field,
                      struct error *error) {
  switch (field->number) {
  case PROFILE_SAMPLE_TYPE:
    return read_type(tables, field->bytes, error);
  case PROFILE_SAMPLE:
    ARRAY_GROW(tables->samples, tables->sample_count);
    tables->samples[tables->sample_count++] = field->bytes;
    return 0;
  case PROFILE_MAPPING:
    return read_mapping(tables, field->bytes, error);
  case PROFILE_LOCATION:
    return read_location(tables, field->bytes, error);
  case PROFILE_FUNCTION:
    return read_function(tables, field->bytes, error);
  case PROFILE_STRING_TABLE:
    ARRAY_GROW(tables->texts, tables->text_count);
    tables->texts[tables->text_count++] = field->bytes;
    return 0;
  case PROFILE_TIME_NANOS:
    tables->time_ns = field->value <= INT64_MAX ? field->value : 0;
    return 0;
  case PROFILE_DURATION_NANOS:
    tables->duration_ns = field->value <= INT64_MAX / 2 ? field->value : 0;
    return 0;
  case PROFILE_DEFAULT_SAMPLE_TYPE:
    tables->default_type = text_index(field->value);
    return 0;
  default:
    return 0;
  }
}

static void resolve_mappings(struct pprof_tables *tables) {
  for (size_t i = 0; i < tables->location_count; i++) {
    struct pprof_location *location = &tables->locations[i];
    location->mapping = map_find(&tables->mapping_ids, location->mapping, 0);
  }
}

int pprof_tables_read(struct pprof_tables *tables, const char *name, const unsigned char *bytes,
                      size_t count, struct pool *pool, struct error *error) {
  *tables = (struct pprof_tables){.name = name, .bytes = bytes, .pool = pool};
  struct protobuf_input input = {bytes, bytes + count};
  struct protobuf_field field;
  int got;
  while ((got = protobuf_read(&input, &field)) > 0) {
    if (is_message(&field) == field.is_number && field.number <= PROFILE_DEFAULT_SAMPLE_TYPE &&
        field.number != PROFILE_COMMENT)
      return pprof_error(tables, input.at, "a field that is of another kind in pprof", error);
    if (take_field(tables, &field, error) != 0) return -1;
  }
  if (got < 0) return no_message(tables, &input, error);
  if (!tables->type_count) return error_set(error, "%s has no sample types: not a profile", name);
  if (tables->text_count && tables->texts[0].at != tables->texts[0].end)
    return error_set(error, "%s: the string table does not begin with \"\": not a pprof profile",
                     name);
  resolve_mappings(tables);
  return 0;
}

void pprof_tables_free(struct pprof_tables *tables) {
  free(tables->texts);
  free(tables->types);
  free(tables->mappings);
  free(tables->functions);
  free(tables->locations);
  free(tables->samples);
  map_free(&tables->mapping_ids);
  map_free(&tables->function_ids);
  map_free(&tables->location_ids);
}
