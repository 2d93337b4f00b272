#include "cli/figure_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { LABEL_GAP = 2 };

void figure_table_free(struct figure_table *table) {
  free(table->rows);
  free(table->texts);
}

static void add_text(struct figure_table *table, struct figure_column *column, const char *text) {
  size_t length = strlen(text);
  ARRAY_ROOM(table->texts, table->text_bytes + length + 1);
  memcpy(table->texts + table->text_bytes, text, length + 1);
  table->text_bytes += length + 1;
  if (length > column->width) column->width = length;
  column->says |= length && strcmp(text, "-") != 0;
}

void figure_table_add(struct figure_table *table, const char *const *figures, size_t profile,
                      int64_t id) {
  ARRAY_GROW(table->rows, table->row_count);
  table->rows[table->row_count++] = (struct figure_row){profile, id, table->text_bytes};
  for (size_t i = 0; i < table->column_count; i++)
    add_text(table, &table->columns[i], figures[i]);
}

/* The column that goes first: one that says nothing before others. */
static struct figure_column *next_to_leave(struct figure_table *table) {
  struct figure_column *found = NULL;
  for (size_t i = 0; i < table->column_count; i++) {
    struct figure_column *column = &table->columns[i];
    if (column->left_out || !column->leaves) continue;
    if (!found || (found->says && !column->says) ||
        (found->says == column->says && column->leaves > found->leaves))
      found = column;
  }
  return found;
}

size_t figure_table_fit(struct figure_table *table, size_t width, size_t least) {
  size_t used = LABEL_GAP;
  for (size_t i = 0; i < table->column_count; i++) {
    struct figure_column *column = &table->columns[i];
    if (strlen(column->title) > column->width) column->width = strlen(column->title);
    used += column->gap + column->width;
  }
  if (!width) return 0;
  for (struct figure_column *column; used + least > width; column->left_out = true) {
    column = next_to_leave(table);
    if (!column) break;
    used -= column->gap + column->width;
  }
  return used + least > width ? least : width - used;
}

static void print_cell(const struct figure_column *column, const char *text, FILE *out) {
  if (!column->left_out) fprintf(out, "%*s", (int)(column->gap + column->width), text);
}

void figure_table_print_titles(const struct figure_table *table, FILE *out) {
  for (size_t i = 0; i < table->column_count; i++)
    print_cell(&table->columns[i], table->columns[i].title, out);
  fprintf(out, "%*s", LABEL_GAP, "");
}

void figure_table_print(const struct figure_table *table, size_t row, FILE *out) {
  const char *text = table->texts + table->rows[row].texts;
  for (size_t i = 0; i < table->column_count; i++) {
    print_cell(&table->columns[i], text, out);
    text += strlen(text) + 1;
  }
  fprintf(out, "%*s", LABEL_GAP, "");
}
