/* Columns of a row, in their order: values into a statement, and values out of one, checked. */
#ifndef ASCRIBE_STORE_ROW_H
#define ASCRIBE_STORE_ROW_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One value of a row to be written, which keeps a copy of its text. */
struct row_value {
  enum { VALUE_NULL, VALUE_NUMBER, VALUE_REAL, VALUE_TEXT, VALUE_BYTES } kind;
  union {
    sqlite3_int64 number;
    double real;
    char *text;
  };
  size_t bytes; /* of VALUE_BYTES */
};

/* A row to be written: numbers beyond SQLite's 63 bits stop at its largest. */
struct row_out {
  struct row_value *values; /* the caller's, with room for all */
  int column;               /* the next one */
};

void put_number(struct row_out *row, uint64_t value);
void put_optional_number(struct row_out *row, uint64_t value); /* UINT64_MAX as null */
void put_real(struct row_out *row, double value);
void put_null(struct row_out *row);
void put_id(struct row_out *row, uint32_t id);                   /* as id + 1; NOTHING as null */
void put_calls(struct row_out *row, bool known, uint64_t calls); /* null: not known */
void put_text(struct row_out *row, const char *text); /* bytes that are not UTF-8 become U+FFFD */
void put_bytes(struct row_out *row, const void *bytes, size_t count);

/* Binds values 1 to `count` of the statement, which takes their texts: null is left. */
void row_bind(sqlite3_stmt *statement, struct row_value *values, int count);

/* Frees an array of malloc's with `count` values, and their texts. */
void row_free(struct row_value *values, int count);

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
