/* A table of figures with a label at the end of each row. Columns are as wide as what stands in
 * them; where that leaves a terminal no room for labels, some columns are left out. */
#ifndef ASCRIBE_CLI_FIGURE_TABLE_H
#define ASCRIBE_CLI_FIGURE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { FIGURE_COLUMNS = 7 };

struct figure_column {
  const char *title;
  int leaves;   /* 0: never; of those with room for none that of the highest goes first */
  size_t gap;   /* blanks before it */
  size_t width; /* of its longest text so far, without the gap */
  bool says;    /* something other than "-" stands in it */
  bool left_out;
};

struct figure_row {
  size_t profile; /* of the entry that it is of, from 1; 0: of none */
  int64_t id;
  size_t texts; /* where its figures begin in those of the table */
};

/* Zero but for the columns. To be freed with figure_table_free. */
struct figure_table {
  struct figure_column columns[FIGURE_COLUMNS];
  size_t column_count;
  struct figure_row *rows;
  size_t row_count;
  char *texts; /* of each row, one after the other, each ended */
  size_t text_bytes;
};

void figure_table_free(struct figure_table *table);

/* A row with `figures`, one for each column. */
void figure_table_add(struct figure_table *table, const char *const *figures, size_t profile,
                      int64_t id);

/* Leave out columns until labels have `least` of the terminal's `width` columns (0: no limit, all
 * stay). Returns the room for labels; 0: as much as they take. */
size_t figure_table_fit(struct figure_table *table, size_t width, size_t least);

/* Up to where the label begins. */
void figure_table_print_titles(const struct figure_table *table, FILE *out);
void figure_table_print(const struct figure_table *table, size_t row, FILE *out);

#endif
