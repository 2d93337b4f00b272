#include "view/code_answer.h"

#include "profile/metrics.h"
#include "report/json_parts.h"
#include "report/subject.h"
#include "store/store.h"
#include "view/timeline.h"

/* The profile in memory: it is there already, or read once; the first with its series, which its
 * bands over time need. */
static const struct profile *profile_of(struct view *view, size_t number, struct error *error) {
  const struct workspace *workspace = &view->workspace;
  size_t at = number - 1;
  const struct profile *profile;
  if (workspace->made[at]) return workspace->made[at];
  if (at == 0 && view->timeline)
    return timeline_profile(view, &profile, error) == 0 ? profile : NULL;
  if (!view->loaded[at] && store_load(workspace->paths[at], &view->loaded[at], error) != 0)
    return NULL;
  return view->loaded[at];
}

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
  const struct profile *profile = profile_of(view, view_profile(view, parameters), error);
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
