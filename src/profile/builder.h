/* Adds contexts, lines, stacks, transitions, ticks and instructions to a profile, each once. All
 * code that makes a profile uses it. Objects, functions, processes, threads and call sites are not
 * here: when two of them are the same differs between recordings, imports and merges. */
#ifndef ASCRIBE_PROFILE_BUILDER_H
#define ASCRIBE_PROFILE_BUILDER_H

#include "base/map.h"
#include "profile/context_table.h"

/* Ticks of one kind: of CPU time, or of waiting. */
struct tick_builder {
  struct profile_tick **ticks;
  size_t *tick_count;
  struct profile_instruction **instructions;
  size_t *instruction_count;
  struct map known_ticks, known_instructions;
};

struct profile_builder {
  struct profile *profile;
  struct context_table contexts;
  struct map lines, stacks, transitions;
  struct tick_builder cpu, waits;
};

/* Add to a profile that has no lines, stacks, transitions or ticks yet. */
void builder_open(struct profile_builder *builder, struct profile *profile);

/* Frees all but the profile. */
void builder_close(struct profile_builder *builder);

/* The profile's copy of a text; null stays null. */
const char *builder_text(struct profile_builder *builder, const char *text);

/* `file` is the profile's copy, or null. */
uint32_t builder_line(struct profile_builder *builder, uint32_t function, const char *file,
                      uint32_t line);

/* The stack below `parent` with one more call, on this line; NOTHING and NOTHING: the root. */
uint32_t builder_stack(struct profile_builder *builder, uint32_t parent, uint32_t line);

/* Where the same transition or tick is there already, the amounts are added up. The context's
 * `self` is left to the caller. */
void builder_transition(struct profile_builder *builder, struct profile_transition transition);
void builder_tick(struct tick_builder *builder, struct profile_tick tick);

/* A row of its own: how much what single ticks stand for differs is known from rows (books.h). */
void builder_tick_apart(struct tick_builder *builder, struct profile_tick tick);

/* The same instruction is that at the same offset, on the same line: of the rest, what came first
 * stays. */
void builder_instruction(struct tick_builder *builder, struct profile_instruction instruction);

#endif
