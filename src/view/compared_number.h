/* Columns of comparisons, which all pairs have in memory. */
#ifndef ASCRIBE_VIEW_COMPARED_NUMBER_H
#define ASCRIBE_VIEW_COMPARED_NUMBER_H

#include "compare/comparison.h"

enum compared_number_of {
  COMPARED_VALUE,
  COMPARED_LOW,
  COMPARED_HIGH,
  COMPARED_STANDS_OUT,
  COMPARED_DISTANCE, /* of the value from no difference */
  COMPARED_ORDER,    /* what stands out first, then by the distance */
  COMPARED_END
};

/* COMPARED_END: no column is called so. */
enum compared_number_of compared_number_named(const char *name);

/* The number for the pair at `place`; NaN: unknown. */
double compared_number(const struct compared *compared, size_t place,
                       enum compared_number_of which);

#endif
