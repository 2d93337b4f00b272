/* A part of a source text, in one line, as a function of SQL. */
#ifndef ASCRIBE_COMPARE_EXCERPT_H
#define ASCRIBE_COMPARE_EXCERPT_H

#include <sqlite3.h>

/* Adds excerpt(profile, file, line, column, end_line, end_column) to the database: of the text that
 * profile number `profile` keeps of the file; lines and columns from 1, in bytes, the end excluded,
 * but for what is a bracket, or a word before one: up to where that is closed (not in Scheme or
 * Haskell, whose ends are exact). White space is one
 * blank. Without an end it is the whole line, with its columns. What is long ends in "...". NULL if
 * the text has no such place. Texts are read once and kept, up to 64 MB of them. Returns SQLite's
 * code. */
int excerpt_add(sqlite3 *database);

#endif
