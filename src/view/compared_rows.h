/* Entries of two profiles side by side: which pairs a page has. */
#ifndef ASCRIBE_VIEW_COMPARED_ROWS_H
#define ASCRIBE_VIEW_COMPARED_ROWS_H

#include "compare/comparison.h"
#include "view/view.h"

struct compared_question {
  struct view *view;
  const struct compared *compared;
  const char *filter; /* a text that a name or the file holds; or null */
  const char *sort;   /* a column of the answer (tables.h) */
  bool up;
  size_t limit, offset;
};

struct compared_page {
  uint32_t *places; /* of pairs, in order; to be freed with free() */
  size_t count;
  size_t all; /* pairs that pass the filter */
};

/* 0, or -1 with the reason. */
int compared_rows_find(const struct compared_question *question, struct compared_page *page,
                       struct error *error);

#endif
