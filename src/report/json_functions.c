/* Functions and the calls between them in the JSON report. */
#include <stdlib.h>

#include "attribution/own_code.h"
#include "report/json_parts.h"
#include "report/json_values.h"

static const char *kind_name(enum function_kind kind) {
  return kind == FUNCTION_COUNTED ? "counted" : kind == FUNCTION_SAMPLED ? "sampled" : "unrecorded";
}

static const char *inlined_name(uint32_t bodies) {
  return bodies == BODY_INLINED ? "all" : bodies & BODY_INLINED ? "some" : "none";
}

static void write_waiting(struct json *json, const struct listing *listing, uint32_t id) {
  if (!listing->wait_costs) return;
  const struct function_cost *cost = &listing->wait_costs->functions[id];
  const struct books *books = &listing->wait_books;
  json_estimate(json, "waiting_self_ns", "waiting_self_uncertainty_ns",
                books_estimate(books, cost->self));
  json_estimate(json, "waiting_total_ns", "waiting_total_uncertainty_ns",
                books_estimate(books, cost->total));
}

static void write_function(struct json *json, const struct listing *listing, uint32_t id) {
  const struct profile_function *function = &listing->profile->functions[id];
  const struct function_cost *cost = &listing->costs->functions[id];
  json_open(json, NULL, '{');
  json_id(json, "id", id);
  json_text(json, "name", function->name);
  json_text(json, "linkage", function->linkage);
  json_text(json, "kind", kind_name(function->kind));
  json_text(json, "inlined", inlined_name(function->bodies));
  json_text(json, "object",
            function->object == NOTHING ? NULL : listing->profile->objects[function->object].path);
  json_text(json, "file", function->file);
  json_line(json, "line", function->line);
  json_line(json, "column", function->column);
  json_flag(json, "own", own_code(listing->profile, id));
  json_amount(json, "self", &listing->books, cost->self);
  write_waiting(json, listing, id);
  bool counted = costs_calls_known(listing->profile, listing->costs, id);
  counted ? json_number(json, "calls", cost->calls + cost->recursive) : json_null(json, "calls");
  counted ? json_number(json, "recursive_calls", cost->recursive)
          : json_null(json, "recursive_calls");
  if (listing_has_total(listing, id))
    json_amount(json, "total", &listing->books, cost->total);
  else
    json_no_amount(json, "total");
  struct range hooks = listing_hooks(listing, id);
  hooks.high ? json_number(json, "hooks_low_ns", hooks.low) : json_null(json, "hooks_low_ns");
  hooks.high ? json_number(json, "hooks_high_ns", hooks.high) : json_null(json, "hooks_high_ns");
  json_close(json, '}');
}

void json_functions(struct json *json, const struct listing *listing) {
  uint32_t *order = listing_sorted(listing, SORT_SELF);
  json_open(json, "functions", '[');
  for (size_t i = 0; i < listing->listed_count; i++)
    write_function(json, listing, order[i]);
  json_close(json, ']');
  free(order);
}

static void write_arc_cost(struct json *json, const struct listing *listing,
                           const struct arc_cost *arc) {
  static const char *const keys[] = {"out_self_ns", "out_child_ns",       "in_self_ns",
                                     "in_child_ns", "out_uncertainty_ns", "in_uncertainty_ns"};
  for (size_t i = 0; arc->cost_unknown && i < sizeof keys / sizeof *keys; i++)
    json_null(json, keys[i]);
  if (arc->cost_unknown) return;
  const struct books *books = &listing->books;
  json_number(json, keys[0], books_ns(books, arc->out_self));
  json_number(json, keys[1], books_ns(books, arc->out_child));
  json_number(json, keys[2], books_ns(books, arc->in_self));
  json_number(json, keys[3], books_ns(books, arc->in_child));
  struct amount out = amount_sum(arc->out_self, arc->out_child);
  struct amount in = amount_sum(arc->in_self, arc->in_child);
  json_uncertainty(json, keys[4], listing_estimate(listing, out));
  json_uncertainty(json, keys[5], listing_estimate(listing, in));
}

static void write_arc(struct json *json, const struct listing *listing,
                      const struct arc_cost *arc) {
  json_open(json, NULL, '{');
  json_id(json, "caller", arc->caller);
  json_id(json, "callee", arc->callee);
  json_function_name(json, listing->profile, "caller_name", arc->caller);
  json_function_name(json, listing->profile, "callee_name", arc->callee);
  if (costs_arc_counted(listing->profile, listing->costs, arc))
    json_number(json, "calls", arc->calls);
  else
    json_null(json, "calls");
  json_calls_range(json, arc->solved, arc->least_calls, arc->most_calls);
  json_number(json, "tail_calls", arc->tail_calls);
  json_number(json, "doubtful_calls", arc->doubtful_calls);
  write_arc_cost(json, listing, arc);
  json_close(json, '}');
}

void json_arcs(struct json *json, const struct listing *listing) {
  json_open(json, "arcs", '[');
  for (size_t i = 0; i < listing->costs->arc_count; i++)
    write_arc(json, listing, &listing->costs->arcs[listing->callers[i]]);
  json_close(json, ']');
}
