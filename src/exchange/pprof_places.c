#include "exchange/pprof_places.h"

#include <stdlib.h>

#include "exchange/pprof_fields.h"
#include "exchange/protobuf_writer.h"

void pprof_places_open(struct pprof_places *places, const struct export_data *data) {
  *places = (struct pprof_places){.data = data, .texts.pool = data->pool};
  text_id(&places->texts, ""); /* is 0, as the format has it */
}

void pprof_places_close(struct pprof_places *places) {
  text_ids_free(&places->texts);
  map_free(&places->function_ids);
  map_free(&places->location_ids);
  free(places->functions);
  free(places->locations);
}

static uint32_t function_in_file(struct pprof_places *places, uint32_t function, const char *file) {
  uint32_t text = text_id_of_profile(&places->texts, file);
  uint32_t id = map_find_or_add(&places->function_ids, function, text, places->function_count);
  if (id == places->function_count) {
    ARRAY_GROW(places->functions, places->function_count);
    places->functions[places->function_count++] = (struct function_in_file){function, text};
  }
  return id;
}

static const struct profile_function hole = {.object = NOTHING};

static const struct profile_function *function_of(const struct pprof_places *places,
                                                  uint32_t function) {
  return function == PATH_HOLE ? &hole : &places->data->profile->functions[function];
}

uint64_t pprof_location(struct pprof_places *places, uint32_t function, struct source_line line) {
  const char *file = line.line ? line.file : function_of(places, function)->file;
  uint32_t place = function_in_file(places, function, file);
  uint32_t id = map_find_or_add(&places->location_ids, place, line.line, places->location_count);
  if (id == places->location_count) {
    ARRAY_GROW(places->locations, places->location_count);
    places->locations[places->location_count++] = (struct pprof_place){place, line.line};
  }
  return (uint64_t)id + 1;
}

static void write_locations(struct pprof_places *places, FILE *out) {
  struct protobuf message = {0}, line = {0};
  for (size_t i = 0; i < places->location_count; i++) {
    const struct pprof_place *location = &places->locations[i];
    uint32_t function = places->functions[location->function].function;
    uint32_t object = function_of(places, function)->object;
    protobuf_number(&message, LOCATION_ID, i + 1);
    if (object != NOTHING) protobuf_number(&message, LOCATION_MAPPING_ID, (uint64_t)object + 1);
    line.count = 0;
    protobuf_number(&line, LINE_FUNCTION_ID, (uint64_t)location->function + 1);
    protobuf_number(&line, LINE_LINE, location->line);
    protobuf_message(&message, LOCATION_LINE, &line);
    protobuf_flush(&message, PROFILE_LOCATION, out);
  }
  free(message.bytes);
  free(line.bytes);
}

static void write_functions(struct pprof_places *places, FILE *out) {
  struct protobuf message = {0};
  for (size_t i = 0; i < places->function_count; i++) {
    uint32_t id = places->functions[i].function, file = places->functions[i].file;
    const struct profile_function *function = function_of(places, id);
    uint32_t name =
        text_id(&places->texts, id == PATH_HOLE ? PATH_HOLE_NAME : places->data->names[id]);
    protobuf_number(&message, FUNCTION_ID, i + 1);
    protobuf_number(&message, FUNCTION_NAME, name);
    protobuf_number(&message, FUNCTION_SYSTEM_NAME,
                    function->linkage ? text_id_of_profile(&places->texts, function->linkage)
                                      : name);
    protobuf_number(&message, FUNCTION_FILENAME, file);
    if (file == text_id_of_profile(&places->texts, function->file))
      protobuf_number(&message, FUNCTION_START_LINE, function->line);
    protobuf_flush(&message, PROFILE_FUNCTION, out);
  }
  free(message.bytes);
}

static void write_texts(const struct pprof_places *places, FILE *out) {
  struct protobuf field = {0};
  for (size_t i = 0; i < places->texts.count; i++) {
    field.count = 0;
    protobuf_text(&field, PROFILE_STRING_TABLE, places->texts.texts[i]);
    fwrite(field.bytes, 1, field.count, out);
  }
  free(field.bytes);
}

void pprof_places_write(struct pprof_places *places, FILE *out) {
  write_locations(places, out);
  write_functions(places, out);
  write_texts(places, out);
}
