#include "profile/builder.h"

/* ---- appending ---- */

/* The element is its array's last; the value is its id. */
#define APPENDED(array, count, element)                                                            \
  (ARRAY_GROW(array, count), (array)[count] = (element), (uint32_t)(count)++)

uint32_t profile_add_object(struct profile *profile, struct profile_object object) {
  struct pool *pool = profile->pool;
  object.path = pool_string(pool, object.path);
  object.build_id = pool_string(pool, object.build_id);
  object.message = pool_string(pool, object.message);
  object.uncounted = pool_string(pool, object.uncounted);
  return APPENDED(profile->objects, profile->object_count, object);
}

uint32_t profile_add_function(struct profile *profile, struct profile_function function) {
  struct pool *pool = profile->pool;
  function.name = pool_string(pool, function.name);
  function.linkage = pool_string(pool, function.linkage);
  function.file = pool_string(pool, function.file);
  return APPENDED(profile->functions, profile->function_count, function);
}

uint32_t profile_add_process(struct profile *profile, struct profile_process process) {
  struct pool *pool = profile->pool;
  process.executable = pool_string(pool, process.executable);
  process.command = pool_string(pool, process.command);
  process.directory = pool_string(pool, process.directory);
  process.host = pool_string(pool, process.host);
  return APPENDED(profile->processes, profile->process_count, process);
}

uint32_t profile_add_thread(struct profile *profile, struct profile_thread thread) {
  thread.name = pool_string(profile->pool, thread.name);
  return APPENDED(profile->threads, profile->thread_count, thread);
}

uint32_t profile_add_site(struct profile *profile, struct profile_site site) {
  return APPENDED(profile->sites, profile->site_count, site);
}

void profile_add_count(struct profile *profile, struct profile_count count) {
  (void)APPENDED(profile->counts, profile->count_count, count);
}

/* ---- each once ---- */

static uint64_t pair(uint32_t first, uint32_t second) {
  return (uint64_t)first << 32 | second;
}

void builder_open(struct profile_builder *builder, struct profile *profile) {
  struct profile_waits *waits = &profile->waits;
  *builder = (struct profile_builder){.profile = profile,
                                      .cpu = {&profile->ticks, &profile->tick_count,
                                              &profile->instructions, &profile->instruction_count},
                                      .waits = {&waits->ticks, &waits->tick_count,
                                                &waits->instructions, &waits->instruction_count}};
  context_table_open(&builder->contexts, profile);
}

static void close_ticks(struct tick_builder *builder) {
  map_free(&builder->known_ticks);
  map_free(&builder->known_instructions);
}

void builder_close(struct profile_builder *builder) {
  context_table_close(&builder->contexts);
  hash_index_free(&builder->functions);
  map_free(&builder->objects);
  map_free(&builder->sites);
  map_free(&builder->lines);
  map_free(&builder->stacks);
  map_free(&builder->transitions);
  close_ticks(&builder->cpu);
  close_ticks(&builder->waits);
}

const char *builder_text(struct profile_builder *builder, const char *text) {
  return pool_string(builder->profile->pool, text);
}

uint32_t builder_object(struct profile_builder *builder, struct profile_object object) {
  struct profile *profile = builder->profile;
  const char *key = builder_text(builder, object.build_id[0] ? object.build_id : object.path);
  uint32_t id =
      map_find_or_add(&builder->objects, (uintptr_t)key, object.kind, profile->object_count);
  return id == profile->object_count ? profile_add_object(profile, object) : id;
}

static int is_function(const void *functions, uint32_t index, const void *key) {
  const struct profile_function *known = (const struct profile_function *)functions + index;
  const struct profile_function *wanted = key;
  return known->name == wanted->name && known->linkage == wanted->linkage &&
         known->file == wanted->file && known->line == wanted->line &&
         known->column == wanted->column && known->object == wanted->object;
}

uint32_t builder_function(struct profile_builder *builder, struct profile_function function) {
  struct profile *profile = builder->profile;
  function.name = builder_text(builder, function.name);
  function.linkage = builder_text(builder, function.linkage);
  function.file = builder_text(builder, function.file);
  uint64_t names = hash_mix((uintptr_t)function.name ^ (uintptr_t)function.linkage << 1);
  uint64_t hash =
      hash_mix(hash_mix(names + (uintptr_t)function.file) + pair(function.object, function.line));
  uint32_t id =
      hash_index_find(&builder->functions, hash, is_function, profile->functions, &function);
  if (id != HASH_INDEX_NONE) return id;
  hash_index_add(&builder->functions, hash, (uint32_t)profile->function_count);
  return profile_add_function(profile, function);
}

uint32_t builder_site(struct profile_builder *builder, struct profile_site site, uint64_t place) {
  struct profile *profile = builder->profile;
  uint32_t id =
      map_find_or_add(&builder->sites, pair(site.caller, site.callee), place, profile->site_count);
  return id == profile->site_count ? profile_add_site(profile, site) : id;
}

uint32_t builder_line(struct profile_builder *builder, uint32_t function, const char *file,
                      uint32_t line) {
  struct profile *profile = builder->profile;
  uint32_t id =
      map_find_or_add(&builder->lines, pair(function, line), (uintptr_t)file, profile->line_count);
  if (id != profile->line_count) return id;
  ARRAY_GROW(profile->lines, id);
  profile->lines[profile->line_count++] =
      (struct profile_line){.function = function, .line = line, .file = file};
  return id;
}

uint32_t builder_stack(struct profile_builder *builder, uint32_t parent, uint32_t line) {
  struct profile *profile = builder->profile;
  uint32_t id = map_find_or_add(&builder->stacks, parent, line, profile->stack_count);
  if (id != profile->stack_count) return id;
  ARRAY_GROW(profile->stacks, id);
  profile->stacks[profile->stack_count++] = (struct profile_stack){parent, line};
  return id;
}

void builder_transition(struct profile_builder *builder, struct profile_transition transition) {
  struct profile *profile = builder->profile;
  uint32_t id = map_find_or_add(&builder->transitions, pair(transition.from, transition.to),
                                transition.site, profile->transition_count);
  if (id != profile->transition_count) {
    profile->transitions[id].count += transition.count;
    return;
  }
  ARRAY_GROW(profile->transitions, id);
  profile->transitions[profile->transition_count++] = transition;
}

void builder_tick_apart(struct tick_builder *builder, struct profile_tick tick) {
  ARRAY_GROW(*builder->ticks, *builder->tick_count);
  (*builder->ticks)[(*builder->tick_count)++] = tick;
}

void builder_tick(struct tick_builder *builder, struct profile_tick tick) {
  uint32_t id = map_find_or_add(&builder->known_ticks, pair(tick.context, tick.line), tick.stack,
                                *builder->tick_count);
  if (id == *builder->tick_count) {
    builder_tick_apart(builder, tick);
  } else {
    struct amount *amount = &(*builder->ticks)[id].amount;
    *amount = amount_sum(*amount, tick.amount);
  }
}

void builder_instruction(struct tick_builder *builder, struct profile_instruction instruction) {
  uint32_t id =
      map_find_or_add(&builder->known_instructions, pair(instruction.object, instruction.line),
                      instruction.offset, *builder->instruction_count);
  if (id == *builder->instruction_count) {
    ARRAY_GROW(*builder->instructions, id);
    (*builder->instructions)[(*builder->instruction_count)++] = instruction;
  } else {
    struct amount *self = &(*builder->instructions)[id].self;
    *self = amount_sum(*self, instruction.self);
  }
}
