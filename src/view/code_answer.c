#include "view/code_answer.h"

#include "profile/metrics.h"
#include "report/json_parts.h"
#include "report/subject.h"

/* Machine code needs no costs of functions, which take long to add up. */
static void write_code(struct view *view, const struct profile *profile, uint32_t function,
                       FILE *out) {
  struct subject_functions group = {&function, 1};
  const struct subject subject = {.groups = &group, .group_count = 1, .ids = &function};
  const struct report_options options = {
      .parts = REPORT_ASM, .selection = {.thread = NOTHING}, .assembly = &subject};
  struct report_model model = {.profile = profile, .options = &options};
  struct json json = short_names_note(view, out);
  books_make(profile, &model.books);
  json_open(&json, NULL, '{');
  json_asm(&json, &model);
  short_names_write(&json);
  json_close(&json, '}');
}

int code_answer(struct view *view, const struct parameters *parameters, FILE *out,
                struct error *error) {
  const struct profile *profile = view_for_code(view, view_profile(view, parameters), error);
  if (!profile) return -1;
  uint32_t function = (uint32_t)parameters_number(parameters, "id", UINT32_MAX, 0);
  if (!function || function > profile->function_count)
    return error_set(error, "the profile has no such function");
  const char *name = view->workspace.metric;
  uint32_t metric = name ? metrics_find(profile, name) : 0;
  if (metric == NOTHING) return error_set(error, "the profile has no metric %s", name);
  const struct profile of_metric = metric_view(profile, metric);
  write_code(view, &of_metric, function - 1, out);
  return 0;
}
