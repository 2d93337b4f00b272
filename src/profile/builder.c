#include "profile/builder.h"

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
  map_free(&builder->lines);
  map_free(&builder->stacks);
  map_free(&builder->transitions);
  close_ticks(&builder->cpu);
  close_ticks(&builder->waits);
}

const char *builder_text(struct profile_builder *builder, const char *text) {
  return pool_string(builder->profile->pool, text);
}

static uint64_t pair(uint32_t first, uint32_t second) {
  return (uint64_t)first << 32 | second;
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
