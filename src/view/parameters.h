/* What a request asks for: names with values, as in an address after '?'. */
#ifndef ASCRIBE_VIEW_PARAMETERS_H
#define ASCRIBE_VIEW_PARAMETERS_H

#include <stddef.h>
#include <stdint.h>

enum { MOST_PARAMETERS = 32 };

/* Texts are the caller's. All zeros: none. */
struct parameters {
  struct parameter {
    const char *name, *value;
  } items[MOST_PARAMETERS];
  size_t count;
};

/* -1 when there are too many. */
int parameters_add(struct parameters *parameters, const char *name, const char *value);

/* The value, or null. */
const char *parameters_text(const struct parameters *parameters, const char *name);

/* The number from 0 to `most`, or `otherwise` where there is none, or none in that range. */
int64_t parameters_number(const struct parameters *parameters, const char *name, int64_t most,
                          int64_t otherwise);

#endif
