/* Columns of a row, in their order: values into a statement, and values out of one, checked. */
#ifndef ASCRIBE_STORE_ROW_H
#define ASCRIBE_STORE_ROW_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A row to be written: numbers beyond SQLite's 63 bits stop at its largest. */
struct row_out {
  sqlite3_stmt *statement;
  int column;
};

void put_number(struct row_out *row, uint64_t value);
void put_optional_number(struct row_out *row, uint64_t value); /* UINT64_MAX as null */
void put_real(struct row_out *row, double value);
void put_null(struct row_out *row);
void put_id(struct row_out *row, uint32_t id);                   /* as id + 1; NOTHING as null */
void put_calls(struct row_out *row, bool known, uint64_t calls); /* null: not known */
/* In texts, bytes that are not UTF-8 become U+FFFD. */
void put_text(struct row_out *row, const char *text); /* the text must live until the row is done */
void put_copied_text(struct row_out *row, const char *text); /* need not live so long */

/* A row being read.  `damaged` is set when a value is not of the kind or in the range that was
 * asked for; the value is then 0, "" or NOTHING. */
struct row_in {
  sqlite3_stmt *statement;
  int column;
  bool damaged;
};

uint64_t get_number(struct row_in *row, uint64_t limit);
uint64_t get_optional_number(struct row_in *row);           /* or UINT64_MAX */
double get_real(struct row_in *row);                        /* finite, not negative */
uint32_t get_id(struct row_in *row, size_t count);          /* below `count` */
uint32_t get_optional_id(struct row_in *row, size_t count); /* or NOTHING */
const char *get_text(struct row_in *row);
const char *get_optional_text(struct row_in *row); /* or null */

#endif
