/* The parts of a demangled C++ or Rust name. */
#ifndef ASCRIBE_SYMBOLS_NAME_PARTS_H
#define ASCRIBE_SYMBOLS_NAME_PARTS_H

#include <stddef.h>

/* A piece of a name. */
struct name_part {
  const char *text;
  size_t length;
};

/* The name with its scopes and template arguments, without what it returns and its parameters:
 * "std::sort<int*>" of "void std::sort<int*>(int*, int*)". */
struct name_part name_qualified(const char *name);

/* The last part of that, without template arguments: "sort". */
struct name_part name_last(const char *name);

/* Write the qualified name without template arguments and parameters in it: "std::sort",
 * "main::{lambda#1}::operator()". What does not fit is cut; returns `text`. */
const char *name_brief(const char *name, char *text, size_t bytes);

/* The name in `width` columns, if that can be: without its parameters, then with "<...>" for
 * template arguments, then without them, then without its leading scopes. It may still be too
 * long. Returns `name` or a piece of `text`, which holds at most `bytes`. */
const char *name_fit(const char *name, size_t width, char *text, size_t bytes);

#endif
