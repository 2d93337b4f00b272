#include "flow/closure_flow.h"

#include <stdlib.h>

#include "base/memory.h"

#define UNKNOWN UINT32_MAX /* a procedure that nobody sees */

struct value_set {
  uint32_t *values; /* procedures, or UNKNOWN; ascending */
  uint32_t count;
  bool full; /* there were more: each further one escapes */
};

struct arrival {
  uint32_t node, value;
};

struct analysis {
  struct core_program *program;
  struct value_set *sets; /* by node */
  struct arrival *work;
  size_t work_count;
  uint32_t full_count;
};

static bool insert(struct value_set *set, uint32_t value) {
  uint32_t at = set->count;
  while (at && set->values[at - 1] > value)
    at--;
  if (at && set->values[at - 1] == value) return false;
  ARRAY_GROW(set->values, set->count);
  for (uint32_t i = set->count; i > at; i--)
    set->values[i] = set->values[i - 1];
  set->values[at] = value;
  set->count++;
  return true;
}

static bool holds(const struct value_set *set, uint32_t value) {
  for (uint32_t i = 0; i < set->count; i++)
    if (set->values[i] == value) return true;
  return false;
}

static void note(struct analysis *analysis, uint32_t node, uint32_t value) {
  if (!insert(&analysis->sets[node], value)) return;
  ARRAY_GROW(analysis->work, analysis->work_count);
  analysis->work[analysis->work_count++] = (struct arrival){node, value};
}

static void note_escape(struct analysis *analysis, uint32_t value) {
  if (value == UNKNOWN || analysis->program->procedures[value].escapes) return;
  analysis->program->procedures[value].escapes = true;
  ARRAY_GROW(analysis->work, analysis->work_count);
  analysis->work[analysis->work_count++] = (struct arrival){CORE_ESCAPED, value};
}

static void arrive(struct analysis *analysis, uint32_t node, uint32_t value) {
  struct value_set *set = &analysis->sets[node];
  if (node == CORE_NOTHING || node == CORE_UNKNOWN) return;
  if (node == CORE_ESCAPED) {
    note_escape(analysis, value);
    return;
  }
  if (value != UNKNOWN && set->count >= CLOSURE_FLOW_MOST && !holds(set, value)) {
    analysis->full_count += !set->full;
    set->full = true;
    note(analysis, node, UNKNOWN);
    note_escape(analysis, value);
    return;
  }
  note(analysis, node, value);
}

/* What is there already goes along the new edge at once. */
static void link(struct analysis *analysis, uint32_t from, uint32_t to) {
  if (from == CORE_UNKNOWN) {
    arrive(analysis, to, UNKNOWN);
    return;
  }
  core_program_link(analysis->program, from, to);
  for (uint32_t i = 0; i < analysis->sets[from].count; i++)
    arrive(analysis, to, analysis->sets[from].values[i]);
}

/* Code that nobody sees calls it with anything, and gets its results. */
static void escape(struct analysis *analysis, uint32_t value) {
  struct core_program *program = analysis->program;
  const struct core_procedure *procedure = &program->procedures[value];
  for (uint32_t i = 0; i < procedure->clause_count; i++) {
    const struct core_clause *clause = &program->clauses[procedure->first_clause + i];
    for (uint32_t k = 0; k < clause->parameter_count; k++)
      arrive(analysis, program->parameters[clause->first_parameter + k], UNKNOWN);
    link(analysis, clause->body, CORE_ESCAPED);
  }
}

/* Of several clauses the first that fits takes the arguments. */
static const struct core_clause *clause_for(const struct core_program *program,
                                            const struct core_procedure *procedure,
                                            uint32_t arguments) {
  for (uint32_t i = 0; i < procedure->clause_count; i++) {
    const struct core_clause *clause = &program->clauses[procedure->first_clause + i];
    if (clause->rest ? arguments + 1 >= clause->parameter_count
                     : arguments == clause->parameter_count)
      return clause;
  }
  return NULL;
}

static void pass_arguments(struct analysis *analysis, const struct core_call *call,
                           const struct core_clause *clause) {
  const struct core_program *program = analysis->program;
  uint32_t fixed = clause->parameter_count - clause->rest;
  for (uint32_t i = 0; i < call->argument_count; i++) {
    uint32_t argument = program->arguments[call->first_argument + i];
    link(analysis, argument,
         i < fixed ? program->parameters[clause->first_parameter + i] : CORE_ESCAPED);
  }
  if (clause->rest) arrive(analysis, program->parameters[clause->first_parameter + fixed], UNKNOWN);
}

static void call_procedure(struct analysis *analysis, uint32_t id, uint32_t value) {
  struct core_program *program = analysis->program;
  const struct core_clause *clause =
      clause_for(program, &program->procedures[value], program->calls[id].argument_count);
  if (!clause) return; /* an error when the program runs */
  struct core_call call = program->calls[id];
  struct core_clause entered = *clause;
  ARRAY_GROW(program->calls[id].targets, call.target_count);
  program->calls[id].targets[program->calls[id].target_count++] = value;
  pass_arguments(analysis, &call, &entered);
  link(analysis, entered.body, call.result);
}

static void call_unknown(struct analysis *analysis, uint32_t id) {
  struct core_program *program = analysis->program;
  program->calls[id].unknown = true;
  struct core_call call = program->calls[id];
  for (uint32_t i = 0; i < call.argument_count; i++)
    link(analysis, program->arguments[call.first_argument + i], CORE_ESCAPED);
  arrive(analysis, call.result, UNKNOWN);
}

static void process(struct analysis *analysis, struct arrival arrival) {
  const struct core_program *program = analysis->program;
  if (arrival.node == CORE_ESCAPED) {
    escape(analysis, arrival.value);
    return;
  }
  for (uint32_t edge = program->first_edge[arrival.node]; edge != UINT32_MAX;
       edge = program->edges[edge].next)
    arrive(analysis, program->edges[edge].to, arrival.value);
  for (uint32_t id = program->first_call[arrival.node]; id != UINT32_MAX;
       id = program->calls[id].next)
    if (arrival.value == UNKNOWN)
      call_unknown(analysis, id);
    else
      call_procedure(analysis, id, arrival.value);
}

/* Edges and calls whose source is UNKNOWN: nothing arrives there, it always is. */
static void begin(struct analysis *analysis) {
  const struct core_program *program = analysis->program;
  for (uint32_t edge = program->first_edge[CORE_UNKNOWN]; edge != UINT32_MAX;
       edge = program->edges[edge].next)
    arrive(analysis, program->edges[edge].to, UNKNOWN);
  for (uint32_t id = program->first_call[CORE_UNKNOWN]; id != UINT32_MAX;
       id = program->calls[id].next)
    call_unknown(analysis, id);
  for (size_t i = 0; i < program->procedure_count; i++)
    arrive(analysis, program->procedures[i].node, (uint32_t)i);
}

uint32_t closure_flow_find(struct core_program *program) {
  struct analysis analysis = {.program = program,
                              .sets = memory_zeroed(program->node_count, sizeof *analysis.sets)};
  begin(&analysis);
  while (analysis.work_count && !program->too_large)
    process(&analysis, analysis.work[--analysis.work_count]);
  for (uint32_t i = 0; i < program->node_count; i++)
    free(analysis.sets[i].values);
  free(analysis.sets);
  free(analysis.work);
  return analysis.full_count;
}
