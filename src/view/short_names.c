#include "view/short_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "symbols/name_telling.h"
#include "view/view.h"

enum { NAME_BYTES = 1024 };

static int has_name(const void *array, uint32_t index, const void *key) {
  return strcmp(((char *const *)array)[index], key) == 0;
}

static uint32_t find(const struct short_names *names, const char *name) {
  return hash_index_find(&names->index, hash_text(name), has_name, names->names, name);
}

static void add(struct short_names *names, const char *name) {
  if (!name || find(names, name) != HASH_INDEX_NONE) return;
  ARRAY_GROW(names->names, names->count);
  names->names[names->count] = memory_text(name);
  hash_index_add(&names->index, hash_text(name), (uint32_t)names->count++);
}

static bool add_profile(struct view *view, size_t profile) {
  sqlite3_stmt *rows = NULL;
  struct error error;
  int step;
  if (workspace_prepare(&view->workspace, &rows, &error,
                        "SELECT name FROM p%d.raw_functions WHERE length(name) > %d", (int)profile,
                        SHORT_NAME_COLUMNS) != 0)
    return false;
  while ((step = sqlite3_step(rows)) == SQLITE_ROW)
    add(&view->short_names, (const char *)sqlite3_column_text(rows, 0));
  sqlite3_finalize(rows);
  return step == SQLITE_DONE;
}

/* Names that fit need not be told from others: they are shown whole. What cannot be read now, as
 * the question was cancelled, is read by the next. */
static void know_all(struct view *view) {
  struct short_names *names = &view->short_names;
  for (size_t i = 1; i <= view->workspace.count; i++)
    if (!add_profile(view, i)) {
      short_names_free(names);
      return;
    }
  names->telling = memory_zeroed(names->count, sizeof *names->telling);
  names_tell((const char *const *)names->names, names->count, names->telling);
  names->is_met = memory_zeroed(names->count, sizeof *names->is_met);
  names->met = memory_zeroed(names->count, sizeof *names->met);
  names->known = true;
}

/* `text` is a name, or a list of names, one a line. */
static void note(void *context, const char *text) {
  struct view *view = context;
  struct short_names *names = &view->short_names;
  for (size_t length; *text; text += length + (text[length] == '\n')) {
    length = strcspn(text, "\n");
    if (length <= SHORT_NAME_COLUMNS) continue;
    if (!names->known) know_all(view);
    if (!names->count) return;
    char *name = memory_text_part(text, length);
    uint32_t found = find(names, name);
    free(name);
    if (found == HASH_INDEX_NONE || names->is_met[found]) continue;
    names->is_met[found] = true;
    names->met[names->met_count++] = found;
  }
}

static void forget_met(struct short_names *names) {
  while (names->met_count)
    names->is_met[names->met[--names->met_count]] = false;
}

struct json short_names_note(struct view *view, FILE *out) {
  forget_met(&view->short_names);
  return (struct json){.out = out, .first = true, .each_text = note, .context = view};
}

void short_names_write(struct json *json) {
  struct short_names *names = &((struct view *)json->context)->short_names;
  char text[NAME_BYTES];
  json->each_text = NULL;
  json_open(json, "short", '{');
  for (size_t i = 0; i < names->met_count; i++) {
    const char *name = names->names[names->met[i]];
    const char *shown =
        name_fit(name, names->telling[names->met[i]], SHORT_NAME_COLUMNS, text, sizeof text);
    if (shown != name) json_text(json, name, shown);
  }
  json_close(json, '}');
  json->each_text = note;
  forget_met(names);
}

void short_names_free(struct short_names *names) {
  for (size_t i = 0; i < names->count; i++)
    free(names->names[i]);
  free(names->names);
  free(names->telling);
  free(names->met);
  free(names->is_met);
  hash_index_free(&names->index);
  *names = (struct short_names){0};
}
