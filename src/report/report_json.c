/* The report for machines: one object, whole; the keys are in docs/PROFILE.md. */
#include <stdlib.h>

#include "attribution/cycles.h"
#include "attribution/misled.h"
#include "recording/history.h"
#include "report/json.h"
#include "report/json_parts.h"
#include "report/json_values.h"
#include "report/listing.h"

static void write_uncertainty(struct json *json, const char *key, struct estimate estimate) {
  if (estimate.uncertainty_ns == UNCERTAINTY_UNKNOWN)
    json_null(json, key);
  else
    json_number(json, key, estimate.uncertainty_ns);
}

static void write_estimate(struct json *json, const char *ns_key, const char *uncertainty_key,
                           struct estimate estimate) {
  json_number(json, ns_key, estimate.ns);
  write_uncertainty(json, uncertainty_key, estimate);
}

static void write_run(struct json *json, const struct listing *listing) {
  const struct run *run = &listing->run;
  const struct books *books = &listing->books;
  char ways[WAYS_TEXT_BYTES];
  ways_text(run->ways, ways);
  json_open(json, "run", '{');
  json_text(json, "version", listing->profile->version);
  json_text(json, "command", run->command);
  json_text(json, "directory", run->directory);
  json_text(json, "host", run->host);
  json_number(json, "started_ns", run->started_ns);
  json_number(json, "ended_ns", run->ended_ns);
  json_text(json, "hooks", ways);
  json_text(json, "clock", clock_text(run->tick_source));
  json_number(json, "rate_hz", run->rate_hz);
  json_number(json, "ticks", books->all.ticks);
  json_number(json, "lost_ticks", run->lost_ticks);
  json_number(json, "user_ns", books->user_ns);
  json_number(json, "system_ns", books->system_ns);
  json_number(json, "sampled_ns", books->sampled_ns);
  json_number(json, "kernel_ns", books->kernel_ns);
  json_number(json, "whole_ns", books_whole_ns(books));
  json_number(json, "unsampled_ns", books->unsampled_ns);
  json_number(json, "paused_ns", books->paused_ns);
  json_number(json, "unknown_ns", books->unknown_ns);
  json_number(json, "charged_ns", books_charged_ns(books));
  write_estimate(json, "profiler_ns", "profiler_uncertainty_ns",
                 listing_estimate(listing, books->profiler));
  json_number(json, "hooks_ns", books->hooks_ns);
  json_number(json, "handlers_ns", books->handlers_ns);
  json_number(json, "recorder_ns", books->recorder_ns);
  json_flag(json, "of_waiting", listing->profile->is_waits);
  json_number(json, "lived_ns", books->lived_ns);
  json_number(json, "ready_ns", books->ready_ns);
  json_number(json, "waited_ns", books->waited_ns);
  json_number(json, "dropped_ns", books_ns(books, books->dropped));
  json_number(json, "calls", books->calls);
  json_open(json, "dropped", '{');
  json_number(json, "contexts", run->drops[DROP_CONTEXTS]);
  json_number(json, "transitions", run->drops[DROP_TRANSITIONS]);
  json_number(json, "ticks", run->drops[DROP_TICKS]);
  json_number(json, "functions", run->drops[DROP_FUNCTIONS]);
  json_number(json, "objects", run->drops[DROP_OBJECTS]);
  json_number(json, "threads", run->drops[DROP_THREADS]);
  json_number(json, "processes", run->drops[DROP_PROCESSES]);
  json_number(json, "counters", run->drops[DROP_COUNTERS]);
  json_close(json, '}');
  json_close(json, '}');
}

static void write_origin(struct json *json, const struct profile_origin *origin) {
  static const char *const evidence[] = {
      [EVIDENCE_TICKS] = "ticks", [EVIDENCE_COUNTED] = "counted", [EVIDENCE_UNKNOWN] = "unknown"};
  json_open(json, "origin", '{');
  json_text(json, "format", origin->format);
  json_text(json, "event", origin->event);
  json_text(json, "unit", origin->unit ? origin->unit : "ns");
  json_text(json, "note", origin->note);
  json_text(json, "evidence", evidence[origin->evidence]);
  json_close(json, '}');
}

/* Null: all. */
static void write_selected_processes(struct json *json, const struct profile *profile,
                                     const struct selection *selection) {
  if (!selection->processes) {
    json_null(json, "processes");
    return;
  }
  json_open(json, "processes", '[');
  for (size_t i = 0; i < profile->process_count; i++)
    if (selection->processes[i]) json_id(json, NULL, i);
  json_close(json, ']');
}

static void write_selection(struct json *json, const struct listing *listing) {
  const struct selection *selection = &listing->options->selection;
  json_open(json, "selection", '{');
  json_open(json, "focus", '[');
  for (size_t i = 0; i < selection->focus_count; i++)
    json_number(json, NULL, (uint64_t)selection->focus[i] + 1);
  json_close(json, ']');
  json_id(json, "thread", selection->thread);
  write_selected_processes(json, listing->profile, selection);
  write_estimate(json, "self_ns", "self_uncertainty_ns",
                 listing_estimate(listing, listing->costs->self));
  json_close(json, '}');
}

static const char *kind_name(enum function_kind kind) {
  return kind == FUNCTION_COUNTED ? "counted" : kind == FUNCTION_SAMPLED ? "sampled" : "unrecorded";
}

static const char *inlined_name(uint32_t copies) {
  return copies == COPY_INLINED ? "all" : copies & COPY_INLINED ? "some" : "none";
}

static void write_waiting(struct json *json, const struct listing *listing, uint32_t id) {
  if (!listing->wait_costs) return;
  const struct function_cost *cost = &listing->wait_costs->functions[id];
  const struct books *books = &listing->wait_books;
  write_estimate(json, "waiting_self_ns", "waiting_self_uncertainty_ns",
                 books_estimate(books, cost->self));
  write_estimate(json, "waiting_total_ns", "waiting_total_uncertainty_ns",
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
  json_text(json, "inlined", inlined_name(function->copies));
  json_text(json, "object",
            function->object == NOTHING ? NULL : listing->profile->objects[function->object].path);
  json_text(json, "file", function->file);
  function->line ? json_number(json, "line", function->line) : json_null(json, "line");
  write_estimate(json, "self_ns", "self_uncertainty_ns", listing_estimate(listing, cost->self));
  json_number(json, "self_ticks", cost->self.ticks);
  write_waiting(json, listing, id);
  bool counted = costs_calls_known(listing->profile, listing->costs, id);
  counted ? json_number(json, "calls", cost->calls) : json_null(json, "calls");
  counted ? json_number(json, "recursive_calls", cost->recursive)
          : json_null(json, "recursive_calls");
  if (listing_has_total(listing, id)) {
    write_estimate(json, "total_ns", "total_uncertainty_ns",
                   listing_estimate(listing, cost->total));
    json_number(json, "total_ticks", cost->total.ticks);
  } else {
    static const char *const unknown[] = {"total_ns", "total_uncertainty_ns", "total_ticks"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
      json_null(json, unknown[i]);
  }
  json_close(json, '}');
}

static void write_functions(struct json *json, const struct listing *listing) {
  uint32_t *order = listing_sorted(listing, SORT_SELF);
  json_open(json, "functions", '[');
  for (size_t i = 0; i < listing->function_count; i++)
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
  write_uncertainty(json, keys[4], listing_estimate(listing, out));
  write_uncertainty(json, keys[5], listing_estimate(listing, in));
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
  write_arc_cost(json, listing, arc);
  json_close(json, '}');
}

static void write_arcs(struct json *json, const struct listing *listing) {
  json_open(json, "arcs", '[');
  for (size_t i = 0; i < listing->costs->arc_count; i++)
    write_arc(json, listing, &listing->costs->arcs[listing->callers[i]]);
  json_close(json, ']');
}

/* Histories as in the file: ids of functions, negative where the entry is not marked. */
static void write_contexts(struct json *json, const struct listing *listing) {
  const struct profile *profile = listing->profile;
  bool *selected = costs_select(profile, &listing->options->selection);
  json_open(json, "contexts", '[');
  for (size_t i = 0; i < profile->context_count; i++) {
    const struct profile_context *context = &profile->contexts[i];
    if (!selected[i] || !context->self.raw_ns) continue;
    json_open(json, NULL, '{');
    json_id(json, "id", i);
    json_id(json, "thread", context->thread);
    write_estimate(json, "self_ns", "self_uncertainty_ns",
                   listing_estimate(listing, context->self));
    json_open(json, "history", '[');
    for (uint32_t entry = 0; entry < context->length; entry++) {
      int64_t id = (int64_t)history_function(context->history[entry]) + 1;
      json_integer(json, NULL, history_marked(context->history[entry]) ? id : -id);
    }
    json_close(json, ']');
    json_close(json, '}');
  }
  json_close(json, ']');
  free(selected);
}

static void write_cycles(struct json *json, const struct listing *listing) {
  struct cycles *cycles = cycles_find(listing->profile, &listing->options->selection);
  json_open(json, "cycles", '[');
  for (size_t i = 0; i < cycles->count; i++) {
    const struct cycle *cycle = &cycles->list[i];
    json_open(json, NULL, '{');
    cycle->calls ? json_number(json, "calls", cycle->calls) : json_null(json, "calls");
    cycle->calls ? json_null(json, "ticks") : json_number(json, "ticks", cycle->ticks);
    json_open(json, "functions", '[');
    for (uint32_t member = 0; member < cycle->length; member++)
      json_id(json, NULL, cycle->functions[member]);
    json_close(json, ']');
    json_close(json, '}');
  }
  json_close(json, ']');
  json_number(json, "calls_of_other_cycles", cycles->more_calls);
  cycles_free(cycles);
}

static void write_misled(struct json *json, const struct listing *listing) {
  size_t count;
  struct misled *list = misled_find(listing->profile, listing->costs, &listing->options->selection,
                                    &listing->books, &count);
  json_open(json, "misled", '[');
  for (size_t i = 0; i < count; i++) {
    const struct misled *misled = &list[i];
    bool is_arc = misled->function == NOTHING;
    const struct arc_cost *arc = is_arc ? &listing->costs->arcs[misled->arc] : NULL;
    json_open(json, NULL, '{');
    json_id(json, "function", misled->function);
    json_id(json, "caller", is_arc ? arc->caller : NOTHING);
    json_id(json, "callee", is_arc ? arc->callee : NOTHING);
    write_estimate(json, "total_ns", "uncertainty_ns", misled->truth);
    json_number(json, "gprof_ns", misled->assumed_ns);
    json_flag(json, "in_cycle", misled->in_cycle);
    json_close(json, '}');
  }
  json_close(json, ']');
  free(list);
}

static void write_objects(struct json *json, const struct profile *profile) {
  json_open(json, "objects", '[');
  for (size_t i = 0; i < profile->object_count; i++) {
    json_open(json, NULL, '{');
    json_text(json, "path", profile->objects[i].path);
    json_text(json, "build_id", profile->objects[i].build_id);
    json_text(json, "message", profile->objects[i].message);
    json_text(json, "uncounted", profile->objects[i].uncounted);
    json_text(json, "counted", counted_program_name(profile->objects[i].counted));
    json_close(json, '}');
  }
  json_close(json, ']');
}

void report_json(const struct profile *profile, const struct report_options *options, FILE *out) {
  struct listing listing;
  struct json json = {.out = out, .first = true};
  listing_open(&listing, profile, options, out);
  json_open(&json, NULL, '{');
  write_run(&json, &listing);
  write_origin(&json, &profile->origin);
  write_selection(&json, &listing);
  json_programs(&json, profile);
  json_processes(&json, profile);
  json_threads(&json, &listing);
  write_objects(&json, profile);
  if (options->parts & (REPORT_FLAT | REPORT_GRAPH)) write_functions(&json, &listing);
  if (options->parts & REPORT_GRAPH) write_arcs(&json, &listing);
  if (options->parts & REPORT_GRAPH) json_call_sites(&json, &listing);
  if (options->parts & REPORT_CALLS && options->calls) json_calls(&json, &listing);
  if (options->parts & REPORT_LINES) json_lines(&json, &listing);
  if (options->parts & REPORT_SOURCE && options->source) json_source(&json, &listing);
  if (options->parts & REPORT_ASM && options->assembly) json_asm(&json, &listing);
  if (options->parts & REPORT_RUNS && profile->run_count) json_runs(&json, profile);
  bool contexts = !profile->given;
  if (contexts && options->parts & REPORT_CONTEXTS) write_contexts(&json, &listing);
  if (contexts && options->parts & REPORT_CYCLES) write_cycles(&json, &listing);
  if (contexts && options->parts & REPORT_MISLED) write_misled(&json, &listing);
  json_close(&json, '}');
  fputc('\n', out);
  listing_close(&listing);
}
