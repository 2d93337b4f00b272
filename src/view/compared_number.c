#include "view/compared_number.h"

#include <math.h>
#include <string.h>

enum compared_number_of compared_number_named(const char *name) {
  static const char *const names[] = {"value",      "low",      "high",
                                      "stands_out", "distance", "verdict_order"};
  int which = COMPARED_VALUE;
  while (which < COMPARED_END && strcmp(names[which], name) != 0)
    which++;
  return which;
}

static double distance_of(const struct compared *compared, const struct compared_value *value) {
  return fabs(value->value - compared->neutral);
}

double compared_number(const struct compared *compared, size_t place,
                       enum compared_number_of which) {
  const struct compared_value *value = &compared->values[place];
  switch (which) {
  case COMPARED_LOW:
    return value->value - value->below;
  case COMPARED_HIGH:
    return value->value + value->above;
  case COMPARED_STANDS_OUT:
    return value->stands_out == TRUTH_UNKNOWN ? NAN : value->stands_out;
  case COMPARED_DISTANCE:
    return distance_of(compared, value);
  case COMPARED_ORDER: /* a distance is brought below 1 */
    return (value->stands_out == TRUTH_YES) + 1 - 1 / (1 + distance_of(compared, value));
  default:
    return value->value;
  }
}
