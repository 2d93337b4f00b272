/* Ids that are asked for: digits and commas. */
#ifndef ASCRIBE_VIEW_ID_LIST_H
#define ASCRIBE_VIEW_ID_LIST_H

#include <stddef.h>
#include <stdint.h>

enum { MOST_IDS = 2000 };

struct id_list {
  uint32_t ids[MOST_IDS];
  size_t count;
};

/* Null and "" have none. -1 if they are too many, or something else. */
int id_list_parse(const char *text, struct id_list *list);

#endif
