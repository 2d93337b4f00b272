#include "view/id_list.h"

#include <stdlib.h>

int id_list_parse(const char *text, struct id_list *list) {
  list->count = 0;
  if (!text || !*text) return 0;
  for (;; text++) {
    char *end;
    unsigned long long id = strtoull(text, &end, 10);
    if (end == text || *text == '-' || id > UINT32_MAX || list->count == MOST_IDS) return -1;
    list->ids[list->count++] = (uint32_t)id;
    text = end;
    if (!*text) return 0;
    if (*text != ',') return -1;
  }
}
