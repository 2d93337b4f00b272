/* Adds things to a profile. All code that makes one uses this: contexts, lines, stacks,
 * transitions, ticks, instructions, expressions and their copies are there once; objects, functions
 * and call sites too, where the same rule holds for several makers. Who has a rule of his own for
 * what is the same appends. Only the store's tables, which are rows of these arrays already, are
 * read into them as they are (load_table.c).
 */
#ifndef ASCRIBE_PROFILE_BUILDER_H
#define ASCRIBE_PROFILE_BUILDER_H

#include "base/map.h"
#include "profile/context_table.h"

/* What is known of a metric. */
struct metric_maps {
  struct map ticks, untimed_ticks, instructions;
};

struct profile_builder {
  struct profile *profile;
  struct context_table contexts;
  struct map objects, sites, lines, stacks, transitions, kinds;
  struct map with_kind; /* (centre, kind) of a tick -> a number */
  struct hash_index functions, expressions, expansions, copies;
  struct metric_maps *metrics; /* by metric, up to metric_count */
  size_t metric_count;
};

/* Add to a profile of which only the contexts are to be found again. */
void builder_open(struct profile_builder *builder, struct profile *profile);

/* Frees all but the profile. */
void builder_close(struct profile_builder *builder);

/* The profile's copy of a text; null stays null. */
const char *builder_text(struct profile_builder *builder, const char *text);

/* The object of this kind and build-id or, without one, path; the function that has these names,
 * file, line, column and object, whatever its kind and bodies. Texts are copied. */
uint32_t builder_object(struct profile_builder *builder, struct profile_object object);
uint32_t builder_function(struct profile_builder *builder, struct profile_function function);

/* The site of this caller and callee at a place, which is known to the maker by a number. `file` is
 * the profile's copy, or null. */
uint32_t builder_site(struct profile_builder *builder, struct profile_site site, uint64_t place);

/* The same, or NOTHING where nobody has told the place; tell another one of a site. */
uint32_t builder_find_site(const struct profile_builder *builder, const struct profile_site *site,
                           uint64_t place);
void builder_site_place(struct profile_builder *builder, uint32_t site, uint64_t place);

/* `file` is the profile's copy, or null. */
uint32_t builder_line(struct profile_builder *builder, uint32_t function, const char *file,
                      uint32_t line);

/* The stack below `parent` with one more call, on this line; NOTHING and NOTHING: the root. */
uint32_t builder_stack(struct profile_builder *builder, uint32_t parent, uint32_t line);

/* The name becomes the profile's. */
uint32_t builder_kind(struct profile_builder *builder, struct profile_kind kind);

/* Where the same transition or tick is there already, the amounts are added up. */
uint32_t builder_transition(struct profile_builder *builder, struct profile_transition transition);
uint32_t builder_tick(struct profile_builder *builder, uint32_t metric, struct profile_tick tick);

/* The same among ticks of which nothing is known by time, which stay apart from all others. */
uint32_t builder_tick_untimed(struct profile_builder *builder, uint32_t metric,
                              struct profile_tick tick);

/* A row of its own: how much what single ticks stand for differs is known from rows (books.h). */
void builder_tick_apart(struct profile_builder *builder, uint32_t metric, struct profile_tick tick);

/* The same instruction is that at the same offset, on the same line: of the rest, what came first
 * stays. */
uint32_t builder_instruction(struct profile_builder *builder, uint32_t metric,
                             struct profile_instruction instruction);

/* Texts are the profile's copies, or null. Where the same expression or copy is there already, its
 * count is added. */
uint32_t builder_expression(struct profile_builder *builder, struct profile_expression expression);
uint32_t builder_expansion(struct profile_builder *builder, struct profile_expansion expansion);
void builder_copy(struct profile_builder *builder, struct profile_copy copy);

/* Of all but the count. */
static inline uint64_t copy_hash(const struct profile_copy *copy) {
  uint64_t hash = hash_mix((uint64_t)copy->expression << 32 | copy->within);
  return hash_mix(hash ^ hash_mix((uintptr_t)copy->clone ^ (uint64_t)copy->expansion << 32));
}
static inline bool copy_is(const struct profile_copy *a, const struct profile_copy *b) {
  return a->expression == b->expression && a->within == b->within && a->expansion == b->expansion &&
         a->clone == b->clone;
}

/* Append one, even if the profile has its like. Texts and histories are copied, but for the file of
 * a site and of a line's count. Returns its id. */
uint32_t profile_add_object(struct profile *profile, struct profile_object object);
uint32_t profile_add_function(struct profile *profile, struct profile_function function);
uint32_t profile_add_process(struct profile *profile, struct profile_process process);
uint32_t profile_add_thread(struct profile *profile, struct profile_thread thread);
uint32_t profile_add_site(struct profile *profile, struct profile_site site);
void profile_add_count(struct profile *profile, struct profile_count count);
void profile_add_transition(struct profile *profile, struct profile_transition transition);
void profile_add_static_arc(struct profile *profile, struct profile_static_arc arc);
void profile_add_line_count(struct profile *profile, struct profile_line_count count);
void profile_add_message(struct profile *profile, struct profile_message message);
void profile_add_message_end(struct profile *profile, struct profile_message_end end);
void profile_add_message_delay(struct profile *profile, struct profile_message_delay delay);
uint32_t profile_add_call_place(struct profile *profile, struct profile_call_place place);
void profile_add_possible_call(struct profile *profile, struct profile_possible_call call);
void profile_add_run(struct profile *profile, struct profile_run run);
void profile_add_run_cost(struct profile *profile, struct profile_run_cost cost);

#endif
