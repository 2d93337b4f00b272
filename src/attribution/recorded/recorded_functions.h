/* The functions that a recording names by their addresses, in terms of the profile. */
#ifndef ASCRIBE_ATTRIBUTION_RECORDED_FUNCTIONS_H
#define ASCRIBE_ATTRIBUTION_RECORDED_FUNCTIONS_H

#include "attribution/recorded/places.h"

/* The functions of one recorded process. */
struct recorded_functions {
  uint32_t *functions; /* recorded function -> function */
  bool *piece;         /* by recorded function: it is a *.cold or *.part of the function */
  bool *shared;        /* by recorded function: another one became the same function */
  bool *centres;       /* by recorded context: it is of cost centres */
};

/* Make them of the process that places_enter was called with. Functions that hooks were met in
 * become FUNCTION_COUNTED. */
void recorded_functions_make(struct recorded_functions *recorded, struct places *places);

void recorded_functions_free(struct recorded_functions *recorded);

#endif
