/* The parts of a demangled C++ or Rust name. */
#ifndef ASCRIBE_SYMBOLS_NAME_PARTS_H
#define ASCRIBE_SYMBOLS_NAME_PARTS_H

#include <stdbool.h>
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

/* The next outermost brackets of template arguments or parameters in `name`, from `*at` on: what
 * they hold; `*at` moves behind them. */
bool name_group(struct name_part name, size_t *at, struct name_part *inside);

/* The name in `width` columns, if that can be: without its parameters, then with "<...>" for
 * template arguments, then without them, then without its leading scopes. `telling`, if it is not
 * empty, is the piece of it that tells it from others (name_telling.h), and stays as long as there
 * is room for some of it: "Polygon<4>::area", "vector<int...>::push_back", "<int...>::push_back".
 * It may still be too long. Returns `name` or a piece of `text`, which holds at most `bytes`. */
const char *name_fit(const char *name, struct name_part telling, size_t width, char *text,
                     size_t bytes);

#endif
