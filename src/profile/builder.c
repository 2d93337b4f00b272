#include "profile/builder.h"

#include <stdlib.h>

#include "profile/appended.h"

/* ---- appending ---- */

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
  process.job = pool_string(pool, process.job);
  process.clock = pool_string(pool, process.clock);
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

void profile_add_transition(struct profile *profile, struct profile_transition transition) {
  (void)APPENDED(profile->transitions, profile->transition_count, transition);
}

void profile_add_static_arc(struct profile *profile, struct profile_static_arc arc) {
  (void)APPENDED(profile->static_arcs, profile->static_arc_count, arc);
}

void profile_add_line_count(struct profile *profile, struct profile_line_count count) {
  (void)APPENDED(profile->line_counts, profile->line_count_count, count);
}

uint32_t profile_add_call_place(struct profile *profile, struct profile_call_place place) {
  return APPENDED(profile->call_places, profile->call_place_count, place);
}

void profile_add_message(struct profile *profile, struct profile_message message) {
  message.call = pool_string(profile->pool, message.call);
  (void)APPENDED(profile->messages, profile->message_count, message);
}

void profile_add_message_end(struct profile *profile, struct profile_message_end end) {
  (void)APPENDED(profile->message_ends, profile->message_end_count, end);
}

void profile_add_message_delay(struct profile *profile, struct profile_message_delay delay) {
  delay.call = pool_string(profile->pool, delay.call);
  delay.partner_call = pool_string(profile->pool, delay.partner_call);
  (void)APPENDED(profile->message_delays, profile->message_delay_count, delay);
}

void profile_add_possible_call(struct profile *profile, struct profile_possible_call call) {
  (void)APPENDED(profile->possible_calls, profile->possible_call_count, call);
}

void profile_add_run(struct profile *profile, struct profile_run run) {
  const char **const texts[] = {&run.version, &run.command, &run.directory,
                                &run.host,    &run.hooks,   &run.clock};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    *texts[i] = pool_string(profile->pool, *texts[i]);
  (void)APPENDED(profile->runs, profile->run_count, run);
}

void profile_add_run_cost(struct profile *profile, struct profile_run_cost cost) {
  (void)APPENDED(profile->run_costs, profile->run_cost_count, cost);
}

/* ---- each once ---- */

static uint64_t pair(uint32_t first, uint32_t second) {
  return (uint64_t)first << 32 | second;
}

void builder_open(struct profile_builder *builder, struct profile *profile) {
  *builder = (struct profile_builder){.profile = profile};
  context_table_open(&builder->contexts, profile);
}

void builder_close(struct profile_builder *builder) {
  context_table_close(&builder->contexts);
  hash_index_free(&builder->functions);
  hash_index_free(&builder->expressions);
  hash_index_free(&builder->expansions);
  hash_index_free(&builder->copies);
  map_free(&builder->objects);
  map_free(&builder->sites);
  map_free(&builder->lines);
  map_free(&builder->stacks);
  map_free(&builder->kinds);
  map_free(&builder->with_kind);
  map_free(&builder->transitions);
  for (size_t i = 0; i < builder->metric_count; i++) {
    map_free(&builder->metrics[i].ticks);
    map_free(&builder->metrics[i].untimed_ticks);
    map_free(&builder->metrics[i].instructions);
  }
  free(builder->metrics);
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

uint32_t builder_find_site(const struct profile_builder *builder, const struct profile_site *site,
                           uint64_t place) {
  return map_find(&builder->sites, pair(site->caller, site->callee), place);
}

void builder_site_place(struct profile_builder *builder, uint32_t site, uint64_t place) {
  const struct profile_site *of = &builder->profile->sites[site];
  map_find_or_add(&builder->sites, pair(of->caller, of->callee), place, site);
}

uint32_t builder_line(struct profile_builder *builder, uint32_t function, const char *file,
                      uint32_t line) {
  struct profile *profile = builder->profile;
  uint32_t id =
      map_find_or_add(&builder->lines, pair(function, line), (uintptr_t)file, profile->line_count);
  struct profile_line added = {.function = function, .line = line, .file = file};
  return id == profile->line_count ? APPENDED(profile->lines, profile->line_count, added) : id;
}

uint32_t builder_stack(struct profile_builder *builder, uint32_t parent, uint32_t line) {
  struct profile *profile = builder->profile;
  uint32_t id = map_find_or_add(&builder->stacks, parent, line, profile->stack_count);
  struct profile_stack added = {parent, line};
  return id == profile->stack_count ? APPENDED(profile->stacks, profile->stack_count, added) : id;
}

uint32_t builder_transition(struct profile_builder *builder, struct profile_transition transition) {
  struct profile *profile = builder->profile;
  uint32_t id = map_find_or_add(&builder->transitions, pair(transition.from, transition.to),
                                transition.site, profile->transition_count);
  if (id == profile->transition_count)
    profile_add_transition(profile, transition);
  else
    profile->transitions[id].count += transition.count;
  return id;
}

static struct metric_maps *maps_of(struct profile_builder *builder, uint32_t metric) {
  static const struct metric_maps none;
  while (builder->metric_count <= metric)
    (void)APPENDED(builder->metrics, builder->metric_count, none);
  return &builder->metrics[metric];
}

void builder_tick_apart(struct profile_builder *builder, uint32_t metric,
                        struct profile_tick tick) {
  struct profile_metric *to = &builder->profile->metrics[metric];
  (void)APPENDED(to->ticks, to->tick_count, tick);
}

uint32_t builder_kind(struct profile_builder *builder, struct profile_kind kind) {
  struct profile *profile = builder->profile;
  kind.name = builder_text(builder, kind.name);
  /* Classes of sizes do not overlap. */
  uint64_t name = (uintptr_t)kind.name ^ (uint64_t)kind.basis << 60;
  uint32_t id = map_find_or_add(&builder->kinds, name, kind.least, (uint32_t)profile->kind_count);
  return id == profile->kind_count ? APPENDED(profile->kinds, profile->kind_count, kind) : id;
}

/* A number of the two that no centre has alone. */
static uint32_t centre_and_kind(struct profile_builder *builder, const struct profile_tick *tick) {
  if (tick->kind == NOTHING) return tick->centre;
  return 0x80000000u | map_find_or_add(&builder->with_kind, tick->centre, tick->kind,
                                       (uint32_t)builder->with_kind.count);
}

static uint32_t add_tick(struct profile_builder *builder, uint32_t metric, struct map *known,
                         struct profile_tick tick) {
  struct profile_metric *to = &builder->profile->metrics[metric];
  uint32_t centre = centre_and_kind(builder, &tick);
  uint32_t id = map_find_or_add(known, pair(tick.context, tick.line), pair(centre, tick.stack),
                                to->tick_count);
  if (id == to->tick_count)
    builder_tick_apart(builder, metric, tick);
  else
    to->ticks[id].amount = amount_sum(to->ticks[id].amount, tick.amount);
  return id;
}

uint32_t builder_tick(struct profile_builder *builder, uint32_t metric, struct profile_tick tick) {
  return add_tick(builder, metric, &maps_of(builder, metric)->ticks, tick);
}

uint32_t builder_tick_untimed(struct profile_builder *builder, uint32_t metric,
                              struct profile_tick tick) {
  return add_tick(builder, metric, &maps_of(builder, metric)->untimed_ticks, tick);
}

uint32_t builder_instruction(struct profile_builder *builder, uint32_t metric,
                             struct profile_instruction instruction) {
  struct profile_metric *to = &builder->profile->metrics[metric];
  uint32_t id = map_find_or_add(&maps_of(builder, metric)->instructions,
                                pair(instruction.object, instruction.line), instruction.offset,
                                to->instruction_count);
  if (id == to->instruction_count)
    return APPENDED(to->instructions, to->instruction_count, instruction);
  to->instructions[id].self = amount_sum(to->instructions[id].self, instruction.self);
  return id;
}
