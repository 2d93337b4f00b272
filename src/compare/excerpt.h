/* A part of a source text, in one line, as a function of SQL. */
#ifndef ASCRIBE_COMPARE_EXCERPT_H
#define ASCRIBE_COMPARE_EXCERPT_H

#include <sqlite3.h>

/* Adds excerpt(text, line, column, end_line, end_column) to the database: lines and columns from 1,
 * in bytes, the end excluded, but for what is a bracket, or a word before one: up to where that is
 * closed. White space is one blank, and what is long ends in "...". NULL if the
 * text has no such place. Returns SQLite's code. */
int excerpt_add(sqlite3 *database);

#endif
