#include "flow/core_forms.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"

enum {
  MOST_NODES = 1 << 26,
  MOST_EDGES = 1 << 24,
  MOST_PARTS = 1 << 16 /* clauses, parameters, arguments of one */
};
enum { OF_VARIABLE, OF_GLOBAL };

struct reading {
  struct core_program *program;
  const char *at, *end;
  uint32_t *stack;   /* nodes */
  uint32_t *clauses; /* pushed ones, of program->clauses */
  size_t depth, clause_depth;
  struct map names; /* (number, OF_VARIABLE or OF_GLOBAL) -> node */
  struct map bound; /* (global's node, 0) -> 1 */
  uint32_t *globals;
  size_t global_count;
  bool open; /* code that nobody sees may use and assign every global */
  bool failed;
};

static uint32_t new_node(struct core_program *program) {
  uint32_t node = program->node_count++;
  ARRAY_GROW(program->first_edge, node);
  ARRAY_GROW(program->first_call, node);
  program->first_edge[node] = program->first_call[node] = UINT32_MAX;
  return node;
}

void core_program_link(struct core_program *program, uint32_t from, uint32_t to) {
  if (from == to || from == CORE_NOTHING || to == CORE_NOTHING) return;
  if (program->edge_count == MOST_EDGES) {
    program->too_large = true;
    return;
  }
  ARRAY_GROW(program->edges, program->edge_count);
  program->edges[program->edge_count] = (struct core_edge){to, program->first_edge[from]};
  program->first_edge[from] = (uint32_t)program->edge_count++;
}

/* ---- words ---- */

static void pass_blanks(struct reading *reading) {
  while (reading->at < reading->end && *reading->at == ' ')
    reading->at++;
}

static uint64_t number(struct reading *reading) {
  uint64_t value = 0;
  pass_blanks(reading);
  const char *begin = reading->at;
  for (; reading->at < reading->end && *reading->at >= '0' && *reading->at <= '9'; reading->at++)
    value = value * 10 + (uint64_t)(*reading->at - '0');
  if (reading->at == begin || reading->at - begin > 18) reading->failed = true;
  return value;
}

static uint32_t part_count(struct reading *reading) {
  uint64_t value = number(reading);
  if (value > MOST_PARTS) reading->failed = true;
  return reading->failed ? 0 : (uint32_t)value;
}

static uint32_t named(struct reading *reading, uint32_t of) {
  uint32_t fresh = reading->program->node_count;
  uint32_t node = map_find_or_add(&reading->names, number(reading), of, fresh);
  if (node != fresh) return node;
  new_node(reading->program);
  if (of != OF_GLOBAL) return node;
  ARRAY_GROW(reading->globals, reading->global_count);
  return reading->globals[reading->global_count++] = node;
}

/* Code that nobody sees gives a value to what the program uses and does not define; where it may
 * reach any of them by name, it uses and assigns all. */
static void link_globals(const struct reading *reading) {
  for (size_t i = 0; i < reading->global_count; i++) {
    if (reading->open || map_find(&reading->bound, reading->globals[i], 0) == UINT32_MAX)
      core_program_link(reading->program, CORE_UNKNOWN, reading->globals[i]);
    if (reading->open) core_program_link(reading->program, reading->globals[i], CORE_ESCAPED);
  }
}

/* ---- the stack ---- */

static void push(struct reading *reading, uint32_t node) {
  ARRAY_GROW(reading->stack, reading->depth);
  reading->stack[reading->depth++] = node;
}

static uint32_t pop(struct reading *reading) {
  if (reading->depth) return reading->stack[--reading->depth];
  reading->failed = true;
  return CORE_NOTHING;
}

/* ---- forms ---- */

static void join(struct reading *reading) {
  uint32_t a = pop(reading), b = pop(reading);
  if (a == b || a == CORE_NOTHING || b == CORE_NOTHING) {
    push(reading, a == CORE_NOTHING ? b : a);
    return;
  }
  uint32_t node = new_node(reading->program);
  core_program_link(reading->program, a, node);
  core_program_link(reading->program, b, node);
  push(reading, node);
}

static void read_clause(struct reading *reading) {
  struct core_program *program = reading->program;
  struct core_clause clause = {.parameter_count = part_count(reading),
                               .first_parameter = (uint32_t)program->parameter_count};
  clause.rest = number(reading) == 1;
  for (uint32_t i = 0; i < clause.parameter_count && !reading->failed; i++) {
    ARRAY_GROW(program->parameters, program->parameter_count);
    program->parameters[program->parameter_count++] = named(reading, OF_VARIABLE);
  }
  if (clause.rest && !clause.parameter_count) reading->failed = true;
  clause.body = pop(reading);
  ARRAY_GROW(program->clauses, program->clause_count);
  program->clauses[program->clause_count] = clause;
  ARRAY_GROW(reading->clauses, reading->clause_depth);
  reading->clauses[reading->clause_depth++] = (uint32_t)program->clause_count++;
}

/* Clauses of what lies in it stand between them: its own are put side by side. */
static void read_procedure(struct reading *reading) {
  struct core_program *program = reading->program;
  struct core_procedure procedure = {.key = number(reading),
                                     .first_clause = (uint32_t)program->clause_count,
                                     .clause_count = part_count(reading)};
  if (procedure.clause_count > reading->clause_depth) reading->failed = true;
  if (reading->failed) return;
  reading->clause_depth -= procedure.clause_count;
  for (uint32_t i = 0; i < procedure.clause_count; i++) {
    ARRAY_GROW(program->clauses, program->clause_count);
    program->clauses[program->clause_count++] =
        program->clauses[reading->clauses[reading->clause_depth + i]];
  }
  procedure.node = new_node(program);
  ARRAY_GROW(program->procedures, program->procedure_count);
  program->procedures[program->procedure_count++] = procedure;
  push(reading, procedure.node);
}

static void read_call(struct reading *reading) {
  struct core_program *program = reading->program;
  struct core_call call = {.key = number(reading), .argument_count = part_count(reading)};
  if (call.argument_count >= reading->depth) reading->failed = true;
  if (reading->failed) return;
  call.first_argument = (uint32_t)program->argument_count;
  const uint32_t *values = &reading->stack[reading->depth - call.argument_count];
  for (uint32_t i = 0; i < call.argument_count; i++) {
    ARRAY_GROW(program->arguments, program->argument_count);
    program->arguments[program->argument_count++] = values[i];
  }
  reading->depth -= call.argument_count;
  call.called = pop(reading);
  call.result = new_node(program);
  call.next = program->first_call[call.called];
  ARRAY_GROW(program->calls, program->call_count);
  program->first_call[call.called] = (uint32_t)program->call_count;
  program->calls[program->call_count++] = call;
  push(reading, call.result);
}

static void read_form(struct reading *reading) {
  struct core_program *program = reading->program;
  uint32_t node;
  switch (*reading->at++) {
  case 'q':
    push(reading, CORE_NOTHING);
    break;
  case 'u':
    push(reading, CORE_UNKNOWN);
    break;
  case 'r':
    push(reading, named(reading, OF_VARIABLE));
    break;
  case 'g':
    push(reading, named(reading, OF_GLOBAL));
    break;
  case 'b':
    node = named(reading, OF_VARIABLE);
    core_program_link(program, pop(reading), node);
    break;
  case 'B':
    node = named(reading, OF_GLOBAL);
    map_find_or_add(&reading->bound, node, 0, 1);
    core_program_link(program, pop(reading), node);
    break;
  case 'd':
    pop(reading);
    break;
  case 'e':
    core_program_link(program, pop(reading), CORE_ESCAPED);
    break;
  case 'j':
    join(reading);
    break;
  case 'o':
    reading->open = true;
    break;
  case 'k':
    read_clause(reading);
    break;
  case 'l':
    read_procedure(reading);
    break;
  case 'c':
    read_call(reading);
    break;
  default:
    reading->failed = true;
  }
}

int core_forms_read(const char *text, size_t bytes, struct core_program *program) {
  struct reading reading = {.program = program, .at = text, .end = text + bytes};
  *program = (struct core_program){0};
  while (program->node_count < CORE_FIRST_NODE)
    new_node(program);
  for (;;) {
    pass_blanks(&reading);
    if (reading.failed || reading.at == reading.end) break;
    read_form(&reading);
    reading.failed |= program->node_count > MOST_NODES || program->too_large;
  }
  link_globals(&reading);
  reading.failed |= program->too_large;
  free(reading.globals);
  map_free(&reading.bound);
  free(reading.stack);
  free(reading.clauses);
  map_free(&reading.names);
  if (!reading.failed) return 0;
  core_program_free(program);
  return -1;
}

void core_program_free(struct core_program *program) {
  for (size_t i = 0; i < program->call_count; i++)
    free(program->calls[i].targets);
  free(program->first_edge);
  free(program->first_call);
  free(program->edges);
  free(program->clauses);
  free(program->procedures);
  free(program->calls);
  free(program->parameters);
  free(program->arguments);
  *program = (struct core_program){0};
}
