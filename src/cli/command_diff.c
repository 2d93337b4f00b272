/* ascribe diff: two profiles compared, entry by entry. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/diff_json.h"
#include "cli/diff_text.h"
#include "cli/option_tables.h"
#include "cli/profile_file.h"

enum { STATUS_CONDITION = 3 };

static int parse_neutral(const char *text, double *neutral) {
  char *end;
  *neutral = strtod(text, &end);
  return end == text || *end || !isfinite(*neutral) ? wrong_use("--neutral wants a number") : 0;
}

static int take_option(void *at, int option) {
  struct diff_request *request = at;
  switch (option) {
  case OPTION_OF:
    return entry_kind_take(optarg, &request->kind);
  case OPTION_BY:
    request->expression = optarg;
    return 0;
  case OPTION_FAIL_IF:
    request->condition = optarg;
    return 0;
  case OPTION_LIMIT:
    request->limit = option_number() ? (int64_t)option_number() : INT64_MAX;
    return 0;
  case OPTION_METRIC:
    request->metric = optarg;
    return 0;
  case OPTION_NEUTRAL:
    return parse_neutral(optarg, &request->neutral);
  case OPTION_JSON:
    request->json = true;
    return 0;
  default:
    return OPTION_UNTAKEN;
  }
}

static void print_columns(FILE *out) {
  fprintf(out, "%s\n", comparison_columns);
}

static int parse_options(int count, char **arguments, struct diff_request *request) {
  int result = options_take(&options_diff, take_option, print_columns, count, arguments, request);
  if (result != 0) return result;
  if (count - optind != 2)
    return wrong_use("name two profiles, the older one first: ascribe diff OLD NEW");
  request->files[0] = arguments[optind];
  request->files[1] = arguments[optind + 1];
  return 0;
}

/* ---- the command ---- */

/* A condition that can be judged for nothing is no condition that holds nowhere. */
static int check_judged(const struct diff_request *request, const struct diff_result *result,
                        struct error *error) {
  if (!result->entries && request->kind == ENTRY_EXPRESSIONS)
    return error_set(error, "neither profile has expressions: build with ascribe cc --expressions"
                            " to count them");
  if (!result->entries && entry_is_of_heap(request->kind))
    return error_set(error,
                     "%s have the metrics allocated, allocations, live, peak and temporary of "
                     "record --heap%s",
                     entry_noun_of_many(request->kind),
                     request->kind == ENTRY_MEMORY ? ", and those of closures" : " only");
  if (!request->condition || !result->entries || result->unjudged < result->entries) return 0;
  return error_set(
      error, "%.200s: cannot be evaluated for any %s, because it uses figures that are unknown",
      request->condition, entry_noun(request->kind));
}

static int show(struct workspace *workspace, const struct diff_request *request,
                const struct diff_result *result, struct error *error) {
  struct entry_labels labels = {.workspace = workspace, .kind = request->kind};
  int done = request->json ? diff_json(&labels, request, result, error)
                           : diff_text(&labels, request, result, error);
  entry_labels_close(&labels);
  return done;
}

/* The tables that rows are read from: the comparison and its entries. */
static int fill(struct workspace *workspace, const struct comparison *comparison,
                struct verdict *verdict, struct error *error) {
  struct compared compared = {0};
  int result = comparison_run(workspace, comparison, &compared, error);
  if (result == 0) result = compared_table(workspace, &compared, NULL, 0, error);
  if (result == 0) result = verdict_find(workspace, &compared, verdict, error);
  compared_free(&compared);
  for (size_t profile = 1; result == 0 && profile <= 2; profile++)
    result = entries_copy(workspace, profile, comparison->kind, error);
  return result;
}

static int compare(struct workspace *workspace, const struct diff_request *request,
                   struct diff_result *result, struct error *error) {
  if (workspace_open(workspace, error) != 0) return -1;
  const char *metric = entry_metric(request->kind, request->metric);
  if (metric) workspace_choose(workspace, metric);
  for (int i = 0; i < 2; i++)
    if (profile_file_add(workspace, request->files[i], error) != 0) return -1;
  if (diff_result_open(workspace, request, result, error) != 0) return -1;
  const struct comparison comparison = {.kind = request->kind,
                                        .first = 1,
                                        .second = 2,
                                        .expression = result->expression,
                                        .fail_if = request->condition,
                                        .neutral = request->neutral};
  if (fill(workspace, &comparison, &result->verdict, error) != 0 ||
      diff_result_read(workspace, result, error) != 0 || check_judged(request, result, error) != 0)
    return -1;
  return show(workspace, request, result, error);
}

int command_diff(int count, char **arguments) {
  struct diff_request request = {.limit = 20, .neutral = NAN};
  struct workspace workspace;
  struct diff_result result = {0};
  struct error error;
  int parsed = parse_options(count, arguments, &request);
  if (parsed != 0) return parsed > 0 ? 0 : STATUS_WRONG_USE;
  int outcome = compare(&workspace, &request, &result, &error);
  workspace_close(&workspace);
  if (outcome == 0 && fflush(stdout) != 0)
    outcome = error_set(&error, "the output cannot be written");
  if (outcome != 0) return command_failed(&error);
  return request.condition && result.failed ? STATUS_CONDITION : 0;
}
