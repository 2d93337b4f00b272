/* What a name on the command line stands for: functions of the profile, or a source file. */
#ifndef ASCRIBE_REPORT_SUBJECT_H
#define ASCRIBE_REPORT_SUBJECT_H

#include "attribution/costs.h"

/* Functions that are defined in one place: one, or the instances of a template. */
struct subject_functions {
  uint32_t *ids; /* by id; the group that the array belongs to is the subject's */
  size_t count;
};

struct subject {
  struct subject_functions *groups;
  size_t group_count;
  uint32_t *ids;    /* of all groups */
  const char *file; /* the profile's pointer; null: functions */
};

/* The functions of that name: whole, without its parameters, or as in the symbol table; or else
 * those whose name ends in these parts ("sort" or "std::sort" for
 * "void std::sort<int*>(int*, int*)"). Returns 0, and the subject is to be freed with
 * subject_free; or -1: there is none. `option` is named in the error, with names that are near. */
int subject_find_functions(const struct profile *profile, const char *name, const char *option,
                           struct subject *subject, struct error *error);

/* The same, or else the source file whose path ends in these components. */
int subject_find(const struct profile *profile, const char *name, const char *option,
                 struct subject *subject, struct error *error);

/* The groups, most expensive first: by the self time of their functions, then by the total. The
 * array is the caller's. */
const struct subject_functions **subject_order(const struct subject *subject,
                                               const struct costs *costs);

void subject_free(struct subject *subject);

#endif
