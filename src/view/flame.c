#include "view/flame.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "view/flame_layout.h"
#include "view/id_list.h"

/* ---- names ---- */

static int by_number(const void *x, const void *y) {
  uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
  return (a > b) - (a < b);
}

static int write_name(struct json *json, sqlite3_stmt *statement, uint32_t function) {
  char key[16];
  snprintf(key, sizeof key, "%u", function);
  if (function == FLAME_HOLE) {
    json_text(json, key, "(recursion)");
    return 0;
  }
  sqlite3_bind_int64(statement, 1, function);
  int step = sqlite3_step(statement);
  json_text(json, key, step == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : "?");
  sqlite3_reset(statement);
  return step == SQLITE_ROW || step == SQLITE_DONE ? 0 : -1;
}

static int write_names(struct view *view, size_t profile, const struct flame_layout *layout,
                       const struct flame_selection *selection, struct json *json,
                       struct error *error) {
  size_t count = layout->count + selection->root_length;
  uint32_t *ids = memory_resized(NULL, count, sizeof *ids);
  sqlite3_stmt *statement = NULL;
  for (size_t i = 0; i < layout->count; i++)
    ids[i] = layout->frames[i].function;
  for (size_t i = 0; i < selection->root_length; i++)
    ids[layout->count + i] = selection->root[i];
  qsort(ids, count, sizeof *ids, by_number);
  int result = workspace_prepare(&view->workspace, &statement, error,
                                 "SELECT name FROM p%d.functions WHERE id = ?1", (int)profile);
  json_open(json, "names", '{');
  for (size_t i = 0; result == 0 && i < count; i++)
    if (i == 0 || ids[i] != ids[i - 1])
      if (write_name(json, statement, ids[i]) != 0)
        result = workspace_error(&view->workspace, error);
  json_close(json, '}');
  sqlite3_finalize(statement);
  free(ids);
  return result;
}

/* ---- the answer ---- */

/* What all percentages are of. */
static int write_whole(struct view *view, size_t profile, struct json *json, struct error *error) {
  sqlite3_stmt *statement = NULL;
  if (workspace_prepare(&view->workspace, &statement, error,
                        "SELECT CAST(whole / scale AS INTEGER) FROM profile WHERE id = %d",
                        (int)profile) != 0)
    return -1;
  int result = sqlite3_step(statement) == SQLITE_ROW ? 0 : workspace_error(&view->workspace, error);
  json_number(json, "whole_ns", (uint64_t)sqlite3_column_int64(statement, 0));
  sqlite3_finalize(statement);
  return result;
}

static void write_frames(struct json *json, const struct flame_layout *layout) {
  json_number(json, "root_ns", layout->root_ns);
  json_number(json, "left_out_ns", layout->left_out_ns);
  json_open(json, "frames", '[');
  for (size_t i = 0; i < layout->count; i++) {
    const struct flame_frame *frame = &layout->frames[i];
    json_open(json, NULL, '[');
    json_number(json, NULL, frame->depth);
    json_number(json, NULL, frame->start_ns);
    json_number(json, NULL, frame->total_ns);
    json_number(json, NULL, frame->self_ns);
    json_number(json, NULL, frame->function);
    json_number(json, NULL, frame->fold);
    json_close(json, ']');
  }
  json_close(json, ']');
}

static int lay_out(struct view *view, size_t profile, const struct flame_selection *selection,
                   double least, FILE *out, struct error *error) {
  struct flame_tree **tree = &view->trees[profile - 1];
  struct flame_layout layout;
  struct json json = {.out = out, .first = true};
  if (!*tree && flame_tree_load(&view->workspace, profile, tree, error) != 0) return -1;
  flame_layout_make(*tree, selection, least, &layout);
  json_open(&json, NULL, '{');
  int result = write_whole(view, profile, &json, error);
  write_frames(&json, &layout);
  if (result == 0) result = write_names(view, profile, &layout, selection, &json, error);
  json_close(&json, '}');
  flame_layout_free(&layout);
  return result;
}

int flame_answer(struct view *view, const struct parameters *parameters, FILE *out,
                 struct error *error) {
  struct id_list focus, root;
  if (id_list_parse(parameters_text(parameters, "focus"), &focus) != 0 ||
      id_list_parse(parameters_text(parameters, "root"), &root) != 0)
    return error_set(error, "focus and root are ids of functions, separated by commas");
  struct flame_selection selection = {
      .focus = focus.ids, .focus_count = focus.count, .root = root.ids, .root_length = root.count};
  selection.thread = parameters_number(parameters, "thread", UINT32_MAX, 0);
  selection.around = parameters_number(parameters, "around", UINT32_MAX, 0);
  selection.bottom_up = parameters_number(parameters, "up", 1, 0);
  double width = parameters_number(parameters, "width", 100000, 1200);
  return lay_out(view, view_profile(view, parameters), &selection, 0.5 / (width ? width : 1), out,
                 error);
}
