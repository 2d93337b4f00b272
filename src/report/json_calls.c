/* Call sites of single functions in the JSON report. */
#include <stdlib.h>

#include "attribution/equations/possible_calls.h"
#include "report/call_list.h"
#include "report/json_parts.h"
#include "report/json_values.h"

static void write_site(struct json *json, const struct report_model *model, uint32_t id,
                       const struct profile_possible_call *possible) {
  const struct profile_site *site = &model->profile->sites[id];
  json_id(json, "caller", site->caller);
  json_id(json, "callee", site->callee);
  json_function_name(json, model->profile, "within_name", site->within);
  json_text(json, "file", site->file);
  json_line(json, "line", site->line);
  json_line(json, "column", site->column);
  json_number(json, "calls", model->costs->site_calls[id]);
  json_calls_range(json, possible, possible ? possible->least : 0, possible ? possible->most : 0);
  json_flag(json, "tail", site->tail);
  json_flag(json, "in_doubt", site->in_doubt);
  json_through(json, model->profile, site->expansion);
}

/* A line that only stacks know to call: how often is not known. */
static void write_line_of_call(struct json *json, const struct call_list *list,
                               const struct call *call) {
  const struct profile_line *line = call_line_of(list, call);
  json_id(json, "caller", line->function);
  json_id(json, "callee", list->lines->list[call->call_line].callee);
  json_null(json, "within_name");
  json_text(json, "file", line->file);
  json_line(json, "line", line->line);
  json_null(json, "calls");
  json_calls_range(json, false, 0, 0);
  json_flag(json, "tail", false);
  json_flag(json, "in_doubt", false);
  json_through(json, list->model->profile, NOTHING);
}

static void write_call(struct json *json, const struct call_list *list, const struct call *call) {
  json_open(json, NULL, '{');
  if (call->site == NOTHING)
    write_line_of_call(json, list, call);
  else
    write_site(json, list->model, call->site, list->possible ? list->possible[call->site] : NULL);
  const struct profile_site *site = call_site_of(list, call);
  const struct profile *profile = list->model->profile;
  json_function_name(json, profile, "caller_name",
                     site ? site->caller : call_line_of(list, call)->function);
  json_function_name(json, profile, "callee_name",
                     site ? site->callee : list->lines->list[call->call_line].callee);
  if (call->call_line == NOTHING)
    json_no_amount(json, "total");
  else
    json_amount(json, "total", &list->model->books, call_time(list, call));
  json_close(json, '}');
}

static void write_list(struct json *json, const char *key, struct call_list list) {
  json_open(json, key, '[');
  for (size_t i = 0; i < list.count; i++)
    write_call(json, &list, &list.items[i]);
  json_close(json, ']');
  call_list_free(&list);
}

void json_calls(struct json *json, const struct report_model *model) {
  size_t count;
  uint32_t *functions = call_list_functions(model, &count);
  bool *selected = costs_select(model->profile, &model->options->selection);
  struct call_lines *lines = call_lines_find(model->profile, selected);
  const struct profile_possible_call **possible = possible_calls_by_site(model->profile);
  json_open(json, "calls", '[');
  for (size_t i = 0; i < count && !model->costs->calls_unknown; i++) {
    json_open(json, NULL, '{');
    json_id(json, "function", functions[i]);
    json_function_name(json, model->profile, "name", functions[i]);
    write_list(json, "from", call_list_make(model, lines, possible, functions[i], true));
    write_list(json, "to", call_list_make(model, lines, possible, functions[i], false));
    json_close(json, '}');
  }
  json_close(json, ']');
  free(possible);
  call_lines_free(lines);
  free(selected);
  free(functions);
}
