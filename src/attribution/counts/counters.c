#include "attribution/counts/counters.h"

#include <stdlib.h>

#include "attribution/counts/counted_calls.h"
#include "attribution/counts/counted_expressions.h"

/* The recording knows that there are counters, not what they count. */
static void note_way(const struct counting *counting) {
  struct profile *profile = counting->adder->places->profile;
  uint32_t *hooks = &profile->processes[counting->process_id].hooks, counted = 0;
  for (size_t i = 0; i < counting->loaded_count; i++)
    counted |= profile->objects[counting->loaded[i].object].counted;
  if (counted & COUNTED_AS_WRITTEN) *hooks |= HOOKS_SOURCE;
  if (counted == COUNTED_AS_WRITTEN) *hooks &= ~(uint32_t)HOOKS_COUNTS;
}

static void add_expressions(struct counting *counting, const struct loaded *loaded) {
  const struct counted_code_list *list = &loaded->counted->list;
  for (size_t i = 0; i < list->count; i++)
    counted_expressions_add(counting->adder->places, &list->code[i], &loaded->origins[i],
                            &loaded->values);
}

/* Where a function is defined. */
struct definition {
  uint32_t function;
  const char *file;
  uint32_t line;
};

/* Without debug information it is the description that knows where functions are defined. */
static void note_definitions(struct counting *counting, const struct loaded *loaded) {
  struct counter_adder *adder = counting->adder;
  const struct counted_code_list *list = &loaded->counted->list;
  for (size_t i = 0; i < list->count; i++) {
    const struct counted_code *code = &list->code[i];
    if (!code->from_source || !code->line) continue;
    struct definition definition = {.function = counting_target(counting, loaded, code).function,
                                    .file = counted_path(adder->places, code, code->file),
                                    .line = code->line};
    if (adder->places->profile->functions[definition.function].file) continue;
    ARRAY_GROW(adder->definitions, adder->definition_count);
    adder->definitions[adder->definition_count++] = definition;
  }
}

/* Once all is counted: until then a function without a file is one without debug information. */
static void define_functions(struct counter_adder *adder) {
  for (size_t i = 0; i < adder->definition_count; i++) {
    const struct definition *definition = &adder->definitions[i];
    struct profile_function *function = &adder->places->profile->functions[definition->function];
    if (function->file) continue;
    function->file = definition->file;
    function->line = definition->line;
  }
}

void counters_add(struct counter_adder *adder, const struct process_recording *process) {
  struct counting counting;
  if (!process->counters_count) return;
  counting_open(&counting, adder, process);
  note_way(&counting);
  counted_calls_add(&counting);
  for (size_t i = 0; i < counting.loaded_count; i++)
    add_expressions(&counting, &counting.loaded[i]);
  for (size_t i = 0; i < counting.loaded_count; i++)
    note_definitions(&counting, &counting.loaded[i]);
  counting_close(&counting);
}

void counter_adder_close(struct counter_adder *adder) {
  define_functions(adder);
  free(adder->definitions);
  for (size_t i = 0; i < adder->object_count; i++)
    counted_object_free(&adder->objects[i]);
  free(adder->objects);
  map_free(&adder->object_ids);
  map_free(&adder->sites);
  map_free(&adder->unplaced);
}
