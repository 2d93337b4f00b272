#include "view/flame.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "view/flame_layout.h"
#include "view/id_set.h"

static const char hole_name[] = "(recursion)";

/* ---- names ---- */

static int by_number(const void *x, const void *y) {
  uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
  return (a > b) - (a < b);
}

static int write_name(struct json *json, sqlite3_stmt *statement, uint32_t function) {
  char key[16];
  snprintf(key, sizeof key, "%u", function);
  if (function == FLAME_HOLE) {
    json_text(json, key, hole_name);
    return 0;
  }
  sqlite3_bind_int64(statement, 1, function);
  int step = sqlite3_step(statement);
  json_text(json, key, step == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : "?");
  sqlite3_reset(statement);
  return step == SQLITE_ROW || step == SQLITE_DONE ? 0 : -1;
}

/* The functions of the frames, each once, in the order of their ids; the caller's. */
static uint32_t *list_functions(const struct flame_layout *layout, size_t *count) {
  uint32_t *ids = memory_resized(NULL, layout->count + 1, sizeof *ids);
  for (size_t i = 0; i < layout->count; i++)
    ids[i] = layout->frames[i].function;
  qsort(ids, layout->count, sizeof *ids, by_number);
  *count = 0;
  for (size_t i = 0; i < layout->count; i++)
    if (i == 0 || ids[i] != ids[i - 1]) ids[(*count)++] = ids[i];
  return ids;
}

static int write_names(struct view *view, size_t profile, const uint32_t *ids, size_t count,
                       struct json *json, struct error *error) {
  sqlite3_stmt *statement = NULL;
  int result = workspace_prepare(&view->workspace, &statement, error,
                                 "SELECT name FROM p%d.functions WHERE id = ?1", (int)profile);
  json_open(json, "names", '{');
  for (size_t i = 0; result == 0 && i < count; i++)
    if (write_name(json, statement, ids[i]) != 0) result = workspace_error(&view->workspace, error);
  json_close(json, '}');
  sqlite3_finalize(statement);
  return result;
}

/* ---- objects ---- */

/* The paths of all objects, and by id of an object its place among them. */
static int write_paths(struct view *view, size_t profile, struct json *json, struct error *error) {
  sqlite3_stmt *rows = NULL;
  int step = SQLITE_DONE;
  if (workspace_prepare(&view->workspace, &rows, error,
                        "SELECT path FROM p%d.raw_objects ORDER BY id", (int)profile) != 0)
    return -1;
  json_open(json, "objects", '[');
  while ((step = sqlite3_step(rows)) == SQLITE_ROW)
    json_text(json, NULL, (const char *)sqlite3_column_text(rows, 0));
  json_close(json, ']');
  int result = step == SQLITE_DONE ? 0 : workspace_error(&view->workspace, error);
  sqlite3_finalize(rows);
  return result;
}

static int write_objects(struct view *view, size_t profile, const uint32_t *ids, size_t count,
                         struct json *json, struct error *error) {
  sqlite3_stmt *row = NULL;
  char key[16];
  if (write_paths(view, profile, json, error) != 0 ||
      workspace_prepare(&view->workspace, &row, error,
                        "SELECT (SELECT count(*) FROM p%d.raw_objects o WHERE o.id < f.object)"
                        " FROM p%d.raw_functions f WHERE f.id = ?1 AND f.object IS NOT NULL",
                        (int)profile, (int)profile) != 0)
    return -1;
  json_open(json, "object_of", '{');
  for (size_t i = 0; i < count; i++) {
    snprintf(key, sizeof key, "%u", ids[i]);
    sqlite3_bind_int64(row, 1, ids[i]);
    if (sqlite3_step(row) == SQLITE_ROW) json_integer(json, key, sqlite3_column_int64(row, 0));
    sqlite3_reset(row);
  }
  json_close(json, '}');
  sqlite3_finalize(row);
  return 0;
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
                   const struct parameters *parameters, FILE *out, struct error *error) {
  struct flame_tree **tree = &view->trees[profile - 1];
  struct flame_layout layout;
  struct json json = short_names_note(view, out);
  double width = parameters_number(parameters, "width", 100000, 1200);
  if (!*tree && flame_tree_load(&view->workspace, profile, tree, error) != 0) return -1;
  flame_layout_make(*tree, selection, 0.5 / (width ? width : 1), &layout);
  size_t count;
  uint32_t *ids = list_functions(&layout, &count);
  json_open(&json, NULL, '{');
  int result = write_whole(view, profile, &json, error);
  write_frames(&json, &layout);
  if (result == 0) result = write_names(view, profile, ids, count, &json, error);
  if (result == 0 && parameters_number(parameters, "objects", 1, 0))
    result = write_objects(view, profile, ids, count, &json, error);
  if (result == 0) short_names_write(&json);
  json_close(&json, '}');
  free(ids);
  flame_layout_free(&layout);
  return result;
}

/* ---- the question ---- */

enum { MOST_STEPS = FLAME_MOST_DEPTH };

/* Names of a list, each once, with the functions that have it. */
struct named {
  char *name;
  struct id_set ids;
};

struct names {
  struct named *of;
  size_t count;
  uint32_t *steps; /* the names in the order of the list, as places in `of` */
  size_t length;
};

static void names_free(struct names *names) {
  for (size_t i = 0; i < names->count; i++) {
    free(names->of[i].name);
    id_set_free(&names->of[i].ids);
  }
  free(names->of);
  free(names->steps);
}

static void add_step(struct names *names, const char *name, size_t length) {
  size_t at = 0;
  while (at < names->count &&
         (strncmp(names->of[at].name, name, length) != 0 || names->of[at].name[length]))
    at++;
  if (at == names->count) {
    ARRAY_GROW(names->of, names->count);
    names->of[names->count++] = (struct named){.name = memory_text_part(name, length)};
  }
  ARRAY_GROW(names->steps, names->length);
  names->steps[names->length++] = (uint32_t)at;
}

/* Names that the profile lacks have no ids. */
static int find_named(struct view *view, size_t profile, struct names *names, struct error *error) {
  sqlite3_stmt *rows = NULL;
  int step;
  if (workspace_prepare(&view->workspace, &rows, error, "SELECT id, name FROM p%d.raw_functions",
                        (int)profile) != 0)
    return -1;
  while ((step = sqlite3_step(rows)) == SQLITE_ROW) {
    const char *name = (const char *)sqlite3_column_text(rows, 1);
    for (size_t i = 0; name && i < names->count; i++)
      if (strcmp(names->of[i].name, name) == 0)
        id_set_add(&names->of[i].ids, sqlite3_column_int64(rows, 0));
  }
  int result = step == SQLITE_DONE ? 0 : workspace_error(&view->workspace, error);
  sqlite3_finalize(rows);
  return result;
}

/* To be freed with names_free, also after a failure. */
static int read_names(struct view *view, size_t profile, const char *text, struct names *names,
                      struct error *error) {
  *names = (struct names){0};
  if (!text || !*text) return 0;
  for (size_t length; *text; text += length + (text[length] == '\n')) {
    length = strcspn(text, "\n");
    if (length) add_step(names, text, length);
    if (names->length > MOST_STEPS)
      return error_set(error, "more than %d functions are named: stacks are drawn %d deep at most",
                       MOST_STEPS, FLAME_MOST_DEPTH);
  }
  for (size_t i = 0; i < names->count; i++)
    if (strcmp(names->of[i].name, hole_name) == 0) id_set_add(&names->of[i].ids, FLAME_HOLE);
  return find_named(view, profile, names, error);
}

/* All of them as one set, and as a way. */
static int answer_of(struct view *view, size_t profile, struct names *focus, struct names *root,
                     const struct parameters *parameters, FILE *out, struct error *error) {
  const struct id_set **way = memory_resized(NULL, root->length + 1, sizeof *way);
  struct id_set any = {0};
  for (size_t i = 0; i < root->length; i++)
    way[i] = &root->of[root->steps[i]].ids;
  for (size_t i = 0; i < focus->count; i++)
    for (size_t id = 0; id < focus->of[i].ids.size; id++)
      if (focus->of[i].ids.has[id]) id_set_add(&any, (int64_t)id);
  struct flame_selection selection = {
      .focus = focus->count ? &any : NULL, .root = way, .root_length = root->length};
  selection.thread = parameters_number(parameters, "thread", UINT32_MAX, 0);
  selection.around = parameters_number(parameters, "around", UINT32_MAX, 0);
  selection.bottom_up = parameters_number(parameters, "up", 1, 0);
  int result = lay_out(view, profile, &selection, parameters, out, error);
  id_set_free(&any);
  free(way);
  return result;
}

int flame_answer(struct view *view, const struct parameters *parameters, FILE *out,
                 struct error *error) {
  struct names focus, root = {0};
  size_t profile = view_profile(view, parameters);
  int result = read_names(view, profile, parameters_text(parameters, "focus"), &focus, error);
  if (result == 0)
    result = read_names(view, profile, parameters_text(parameters, "root"), &root, error);
  if (result == 0) result = answer_of(view, profile, &focus, &root, parameters, out, error);
  names_free(&focus);
  names_free(&root);
  return result;
}
