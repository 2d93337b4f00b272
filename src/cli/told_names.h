/* Names of functions that stand in one table: which of them are the same, and what tells the others
 * apart where they are shortened. */
#ifndef ASCRIBE_CLI_TOLD_NAMES_H
#define ASCRIBE_CLI_TOLD_NAMES_H

#include <stdbool.h>

#include "symbols/name_telling.h"

struct told_name {
  char *name;
  struct name_part telling; /* a piece of the name */
  bool shared;              /* more than one of these was added */
};

/* Zero at first. To be freed with told_names_free. */
struct told_names {
  struct told_name *names; /* sorted, each once, when told_names_end was called */
  size_t count;
};

void told_names_add(struct told_names *told, const char *name);
void told_names_end(struct told_names *told);

/* Null: it was not added. */
const struct told_name *told_names_find(const struct told_names *told, const char *name);

void told_names_free(struct told_names *told);

#endif
