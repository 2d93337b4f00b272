/* What a comparison found, pair by pair. */
#ifndef ASCRIBE_COMPARE_COMPARED_H
#define ASCRIBE_COMPARE_COMPARED_H

#include "compare/match.h"
#include "compare/spread.h"

enum truth { TRUTH_UNKNOWN = -1, TRUTH_NO, TRUTH_YES };

/* In memory, as there are a million arcs.  Zeros at first; to be freed with compared_free. */
struct compared {
  enum compared_kind kind;
  size_t first, second; /* whose entries the pairs are */
  struct entry_pairs pairs;
  struct compared_value { /* of each pair */
    double value;         /* NaN: not known, or no number */
    float below, above; /* to the ends of its 95 % interval; 0 for what is exact; NaN: not known */
    signed char stands_out, failed; /* enum truth; failed: the condition holds */
  } * values;                       /* null: nothing was compared yet */
  double neutral;
  size_t judged_together; /* pairs whose value chance could have moved (judgement.h) */
  struct spread spread;
};

void compared_free(struct compared *compared);

/* The place of the pair of a's entry `id`, or the number of pairs. */
size_t compared_find(const struct compared *compared, int64_t id);

/* Put the pairs at the places `which`, `count` of them (null: all), in this order into the table
 * `compared`, which had others before: a, b, value, low, high, stands_out (NULL: not known),
 * failed; and the neutral value and judged_together into the table `comparing`. */
int compared_table(struct workspace *workspace, const struct compared *compared,
                   const uint32_t *which, size_t count, struct error *error);

#endif
