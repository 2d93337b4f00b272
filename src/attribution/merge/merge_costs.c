/* Contexts, calls and ticks of several runs, summed. */
#include <stdlib.h>
#include <string.h>

#include "attribution/fold.h"
#include "attribution/merge/merge_parts.h"
#include "recording/history.h"

/* ---- contexts ---- */

static uint32_t longest_history(const struct profile *profile) {
  uint32_t longest = 0;
  for (size_t i = 0; i < profile->context_count; i++)
    if (profile->contexts[i].length > longest) longest = profile->contexts[i].length;
  return longest;
}

uint32_t *merge_histories(struct profile_builder *to, const struct profile *from,
                          const uint32_t *functions, bool folds, const uint32_t *threads) {
  uint32_t *history = memory_zeroed(longest_history(from), sizeof *history);
  uint32_t *ids = memory_zeroed(from->context_count, sizeof *ids);
  for (size_t i = 0; i < from->context_count; i++) {
    const struct profile_context *context = &from->contexts[i];
    for (uint32_t k = 0; k < context->length; k++)
      history[k] = history_entry(functions[history_function(context->history[k])],
                                 history_marked(context->history[k]));
    uint32_t length = folds ? history_fold(history, context->length) : context->length;
    ids[i] = context_intern(&to->contexts, threads[context->thread], history, length);
  }
  free(history);
  return ids;
}

static void merge_spawners(struct merge *merge, const struct merge_ids *ids) {
  const struct profile *from = ids->from;
  for (size_t i = 0; i < from->thread_count; i++) {
    struct profile_thread *thread = &merge->profile->threads[ids->threads[i]];
    if (thread->spawned_in == NOTHING)
      thread->spawned_in = merged_id(ids->contexts, from->threads[i].spawned_in);
  }
}

void merge_contexts(struct merge *merge, struct merge_ids *ids) {
  ids->contexts =
      merge_histories(&merge->builder, ids->from, ids->functions, ids->folds, ids->threads);
  merge_spawners(merge, ids);
}

/* ---- calls ---- */

/* The place as far as it is known to be the same in all runs: its address only in the same build.
 */
static struct profile_site translate_site(struct merge *merge, const struct merge_ids *ids,
                                          const struct profile_site *from) {
  struct profile_site site = *from;
  site.caller = merged_id(ids->functions, from->caller);
  site.callee = ids->functions[from->callee];
  site.within = merged_id(ids->functions, from->within);
  site.object = merged_id(ids->objects, from->object);
  site.file = merge_text(merge, from->file);
  site.expansion = merged_id(ids->expansions, from->expansion);
  return site;
}

/* A place by its address or by its line, and how the callee was reached there: calls in doubt stay
 * apart from the others. */
enum place_kind { PLACE_ADDRESS, PLACE_LINE };

static uint64_t way_key(const struct profile_site *site, enum place_kind kind, uint64_t place) {
  return place << 3 | (uint64_t)kind << 2 | (uint64_t)site->in_doubt << 1 | site->tail;
}

static uint64_t place_key(const struct profile_site *site) {
  return way_key(site, PLACE_ADDRESS, site->offset ^ hash_mix(site->object));
}

static uint64_t line_key(const struct profile_site *site) {
  uint64_t place = (uintptr_t)site->file ^ (uint64_t)site->line << 44;
  uint64_t rest = (uint64_t)site->column << 32 | (uint32_t)(site->expansion + 1);
  return way_key(site, PLACE_LINE, hash_mix(place) ^ hash_mix(rest));
}

static void merge_sites(struct merge *merge, struct merge_ids *ids) {
  const struct profile *from = ids->from;
  ids->sites = memory_zeroed(from->site_count, sizeof *ids->sites);
  for (size_t i = 0; i < from->site_count; i++) {
    const struct profile_site *old = &from->sites[i];
    struct profile_site site = translate_site(merge, ids, old);
    bool known = old->object != NOTHING && old->offset;
    bool exact = known && !ids->other_build[old->object];
    uint32_t id =
        builder_find_site(&merge->builder, &site, exact ? place_key(&site) : line_key(&site));
    if (id == NOTHING) id = profile_add_site(merge->profile, site);
    if (known) builder_site_place(&merge->builder, id, place_key(&site));
    builder_site_place(&merge->builder, id, line_key(&site));
    ids->sites[i] = id;
  }
}

static void merge_counts(struct merge *merge, const struct merge_ids *ids) {
  for (size_t i = 0; i < ids->from->count_count; i++) {
    struct profile_count count = ids->from->counts[i];
    count.process += ids->first_process;
    count.site = ids->sites[count.site];
    profile_add_count(merge->profile, count);
  }
}

void merge_calls(struct merge *merge, struct merge_ids *ids) {
  const struct profile *from = ids->from;
  merge_sites(merge, ids);
  merge_counts(merge, ids);
  for (size_t i = 0; i < from->transition_count; i++) {
    struct profile_transition transition = from->transitions[i];
    transition.from = ids->contexts[transition.from];
    transition.to = ids->contexts[transition.to];
    transition.site = ids->sites[transition.site];
    builder_transition(&merge->builder, transition);
  }
}

/* ---- ticks ---- */

static void merge_lines(struct merge *merge, struct merge_ids *ids) {
  const struct profile *from = ids->from;
  ids->lines = memory_zeroed(from->line_count, sizeof *ids->lines);
  for (size_t i = 0; i < from->line_count; i++) {
    const struct profile_line *line = &from->lines[i];
    ids->lines[i] = builder_line(&merge->builder, ids->functions[line->function],
                                 merge_text(merge, line->file), line->line);
  }
}

/* Parents come first. */
static void merge_stacks(struct merge *merge, struct merge_ids *ids) {
  const struct profile *from = ids->from;
  ids->stacks = memory_zeroed(from->stack_count, sizeof *ids->stacks);
  for (size_t i = 0; i < from->stack_count; i++)
    ids->stacks[i] = builder_stack(&merge->builder, merged_id(ids->stacks, from->stacks[i].parent),
                                   merged_id(ids->lines, from->stacks[i].line));
}

static void merge_kinds(struct merge *merge, struct merge_ids *ids) {
  const struct profile *from = ids->from;
  ids->kinds = memory_zeroed(from->kind_count, sizeof *ids->kinds);
  for (size_t i = 0; i < from->kind_count; i++)
    ids->kinds[i] = builder_kind(&merge->builder, from->kinds[i]);
}

/* By tick: whether anything of it is known by time. Only of such ticks parts add up to them. */
static bool *timed_ticks(const struct profile_metric *metric) {
  bool *timed = memory_zeroed(metric->tick_count, sizeof *timed);
  for (size_t i = 0; i < metric->series_count; i++)
    timed[metric->series[i].tick] = true;
  return timed;
}

static uint32_t add_tick(struct merge *merge, uint32_t metric, const struct merge_ids *ids,
                         struct profile_tick tick, bool timed) {
  tick.context = ids->contexts[tick.context];
  tick.line = ids->lines[tick.line];
  tick.stack = merged_id(ids->stacks, tick.stack);
  tick.centre = merged_id(ids->centre_contexts, tick.centre);
  tick.kind = merged_id(ids->kinds, tick.kind);
  return timed ? builder_tick(&merge->builder, metric, tick)
               : builder_tick_untimed(&merge->builder, metric, tick);
}

/* In another build the same address is other code: see forget_places. */
static uint32_t add_instruction(struct merge *merge, uint32_t metric, const struct merge_ids *ids,
                                struct profile_instruction instruction) {
  instruction.line = ids->lines[instruction.line];
  instruction.object = merged_id(ids->objects, instruction.object);
  instruction.within = merged_id(ids->functions, instruction.within);
  instruction.expansion = merged_id(ids->expansions, instruction.expansion);
  instruction.clone = merge_text(merge, instruction.clone);
  return builder_instruction(&merge->builder, metric, instruction);
}

static void merge_metric(struct merge *merge, const struct merge_ids *ids, uint32_t metric) {
  const struct profile_metric *from = &ids->from->metrics[metric];
  uint32_t *ticks = memory_zeroed(from->tick_count, sizeof *ticks);
  uint32_t *instructions = memory_zeroed(from->instruction_count, sizeof *instructions);
  bool *timed = timed_ticks(from);
  for (size_t i = 0; i < from->tick_count; i++)
    ticks[i] = add_tick(merge, metric, ids, from->ticks[i], timed[i]);
  for (size_t i = 0; i < from->instruction_count; i++)
    instructions[i] = add_instruction(merge, metric, ids, from->instructions[i]);
  merge_series(merge, ids, metric, ticks, instructions);
  free(ticks);
  free(instructions);
  free(timed);
}

void merge_ticks(struct merge *merge, struct merge_ids *ids) {
  merge_lines(merge, ids);
  merge_stacks(merge, ids);
  merge_kinds(merge, ids);
  for (uint32_t metric = 0; metric < ids->from->metric_count; metric++)
    merge_metric(merge, ids, metric);
}

/* ---- expressions ---- */

void merge_expansions(struct merge *merge, struct merge_ids *ids) {
  const struct profile *from = ids->from;
  ids->expansions = memory_zeroed(from->expansion_count, sizeof *ids->expansions);
  for (size_t i = 0; i < from->expansion_count; i++) {
    struct profile_expansion expansion = from->expansions[i];
    expansion.parent = merged_id(ids->expansions, expansion.parent);
    expansion.function = merged_id(ids->functions, expansion.function);
    expansion.macro = merge_text(merge, expansion.macro);
    expansion.defined_in = merge_text(merge, expansion.defined_in);
    expansion.file = merge_text(merge, expansion.file);
    ids->expansions[i] = builder_expansion(&merge->builder, expansion);
  }
}

static void merge_copies(struct merge *merge, const struct merge_ids *ids,
                         const uint32_t *expressions) {
  for (size_t i = 0; i < ids->from->copy_count; i++) {
    struct profile_copy copy = ids->from->copies[i];
    copy.expression = expressions[copy.expression];
    copy.within = ids->functions[copy.within];
    copy.expansion = merged_id(ids->expansions, copy.expansion);
    copy.clone = merge_text(merge, copy.clone);
    builder_copy(&merge->builder, copy);
  }
}

void merge_expressions(struct merge *merge, const struct merge_ids *ids) {
  const struct profile *from = ids->from;
  uint32_t *expressions = memory_zeroed(from->expression_count, sizeof *expressions);
  for (size_t i = 0; i < from->expression_count; i++) {
    struct profile_expression expression = from->expressions[i];
    expression.function = ids->functions[expression.function];
    expression.file = merge_text(merge, expression.file);
    expression.label = merge_text(merge, expression.label);
    expressions[i] = builder_expression(&merge->builder, expression);
  }
  merge_copies(merge, ids, expressions);
  free(expressions);
}
