#include "attribution/components.h"

#include <stdlib.h>

/* Tarjan's algorithm with a path of its own: a call graph may be deeper than the stack. */
struct walk {
  const struct component_arc *arcs;
  struct components *components;
  uint32_t *number, *low; /* by function; number 0: not seen */
  uint32_t *stack, *path; /* Tarjan's stack; the functions being visited */
  size_t *next_arc;
  bool *on_stack;
  size_t stack_length, path_length;
  uint32_t seen;
  size_t finished;
};

bool is_call(const struct arc_cost *arc) {
  return arc->calls && arc->caller != NOTHING;
}

static bool in_graph(const struct component_arc *arc) {
  return arc->caller != NOTHING;
}

static void group_arcs(struct walk *walk, size_t functions, size_t arc_count) {
  const struct component_arc *arcs = walk->arcs;
  struct components *components = walk->components;
  components->first_arc = memory_zeroed(functions + 1, sizeof *components->first_arc);
  walk->next_arc = memory_zeroed(functions + 1, sizeof *walk->next_arc);
  components->by_caller = memory_zeroed(arc_count, sizeof *components->by_caller);
  for (size_t i = 0; i < arc_count; i++)
    if (in_graph(&arcs[i])) components->first_arc[arcs[i].caller + 1]++;
  for (size_t i = 0; i < functions; i++)
    components->first_arc[i + 1] += components->first_arc[i];
  for (size_t i = 0; i < functions; i++)
    walk->next_arc[i] = components->first_arc[i];
  for (size_t i = 0; i < arc_count; i++)
    if (in_graph(&arcs[i])) components->by_caller[walk->next_arc[arcs[i].caller]++] = i;
  for (size_t i = 0; i < functions; i++)
    walk->next_arc[i] = components->first_arc[i];
}

static void enter(struct walk *walk, uint32_t function) {
  walk->number[function] = walk->low[function] = ++walk->seen;
  walk->stack[walk->stack_length++] = function;
  walk->path[walk->path_length++] = function;
  walk->on_stack[function] = true;
}

static void lower(uint32_t *low, uint32_t value) {
  if (value < *low) *low = value;
}

static void leave(struct walk *walk, uint32_t function) {
  struct components *components = walk->components;
  walk->path_length--;
  if (walk->path_length) lower(&walk->low[walk->path[walk->path_length - 1]], walk->low[function]);
  if (walk->low[function] != walk->number[function]) return;
  uint32_t member;
  do {
    member = walk->stack[--walk->stack_length];
    walk->on_stack[member] = false;
    components->of[member] = components->count;
    components->order[walk->finished++] = member;
  } while (member != function);
  components->count++;
}

static void visit(struct walk *walk, uint32_t root) {
  const struct components *components = walk->components;
  enter(walk, root);
  while (walk->path_length) {
    uint32_t function = walk->path[walk->path_length - 1];
    if (walk->next_arc[function] == components->first_arc[function + 1]) {
      leave(walk, function);
      continue;
    }
    uint32_t callee = walk->arcs[components->by_caller[walk->next_arc[function]++]].callee;
    if (!walk->number[callee])
      enter(walk, callee);
    else if (walk->on_stack[callee])
      lower(&walk->low[function], walk->number[callee]);
  }
}

void components_of_arcs(size_t functions, const struct component_arc *arcs, size_t arc_count,
                        struct components *components) {
  struct walk walk = {.arcs = arcs, .components = components};
  *components = (struct components){.of = memory_zeroed(functions, sizeof *components->of),
                                    .order = memory_zeroed(functions, sizeof *components->order)};
  group_arcs(&walk, functions, arc_count);
  walk.number = memory_zeroed(functions, sizeof *walk.number);
  walk.low = memory_zeroed(functions, sizeof *walk.low);
  walk.stack = memory_zeroed(functions, sizeof *walk.stack);
  walk.path = memory_zeroed(functions, sizeof *walk.path);
  walk.on_stack = memory_zeroed(functions, sizeof *walk.on_stack);
  for (size_t i = 0; i < functions; i++)
    if (!walk.number[i]) visit(&walk, i);
  components->members = memory_zeroed(components->count, sizeof *components->members);
  for (size_t i = 0; i < functions; i++)
    components->members[components->of[i]]++;
  free(walk.next_arc);
  free(walk.number);
  free(walk.low);
  free(walk.stack);
  free(walk.path);
  free(walk.on_stack);
}

void components_find(const struct profile *profile, const struct costs *costs,
                     struct components *components) {
  struct component_arc *arcs = memory_zeroed(costs->arc_count, sizeof *arcs);
  for (size_t i = 0; i < costs->arc_count; i++) {
    const struct arc_cost *arc = &costs->arcs[i];
    arcs[i] = (struct component_arc){is_call(arc) ? arc->caller : NOTHING, arc->callee};
  }
  components_of_arcs(profile->function_count, arcs, costs->arc_count, components);
  free(arcs);
}

void components_free(struct components *components) {
  free(components->of);
  free(components->members);
  free(components->order);
  free(components->first_arc);
  free(components->by_caller);
}
