#include "attribution/allocated_type.h"

#include <string.h>

#include "base/begins.h"

/* The end of what opened before `text`; null: it does not end. */
static const char *end_of_arguments(const char *text) {
  int open = 1;
  for (char quote = 0; *text; text++) {
    if (quote) {
      if (*text == quote) quote = 0;
    } else if (*text == '\'') {
      quote = *text;
    } else if (strchr("<([{", *text)) {
      open++;
    } else if (*text == '-' && text[1] == '>') {
      text++;
    } else if (strchr(">)]}", *text) && --open == 0) {
      return text;
    }
  }
  return NULL;
}

static const char *without_spaces(const char *start, const char *end) {
  while (end > start && end[-1] == ' ')
    end--;
  return end;
}

const char *allocated_type(const char *function, size_t *bytes) {
  /* libstdc++, its versions before 12, libc++; behind traits the type stands in their allocator. */
  static const char *const traits[] = {"std::allocator_traits<std::allocator<",
                                       "std::__1::allocator_traits<std::__1::allocator<"};
  static const char *const allocators[] = {"std::__new_allocator<", "__gnu_cxx::new_allocator<",
                                           "std::allocator<", "std::__1::allocator<"};
  const char *start = NULL;
  size_t known = sizeof traits / sizeof *traits;
  for (size_t i = 0; !start && i < known; i++)
    start = text_after(function, traits[i]);
  bool within = start;
  for (size_t i = 0; !start && i < sizeof allocators / sizeof *allocators; i++)
    start = text_after(function, allocators[i]);
  const char *end = start ? end_of_arguments(start) : NULL;
  if (!end) return NULL;
  const char *rest = end + 1;
  if (within) {
    while (*rest == ' ')
      rest++;
    if (*rest++ != '>') return NULL;
  }
  if (!text_after(rest, "::allocate")) return NULL;
  end = without_spaces(start, end);
  *bytes = (size_t)(end - start);
  return end > start ? start : NULL;
}

int allocates_string(const char *function) {
  static const char *const names[] = {"std::__cxx11::basic_string<char,", "std::basic_string<char,",
                                      "std::string::"};
  return BEGINS_WITH_ANY(function, names);
}

int allocates_plainly(const char *function) {
  static const char *const names[] = {
      "operator new", "malloc",        "calloc",         "realloc",
      "__wrap_",      "aligned_alloc", "posix_memalign", "std::__libcpp_operator_new",
      "strdup",       "strndup",       "__strdup",       "__strndup"};
  return BEGINS_WITH_ANY(function, names);
}
