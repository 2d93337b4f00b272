/* The value of an expression for a pair of entries, and how sure it is. */
#ifndef ASCRIBE_COMPARE_PAIR_VALUES_H
#define ASCRIBE_COMPARE_PAIR_VALUES_H

#include "compare/compared.h"
#include "compare/entries.h"
#include "compare/pair_statement.h"
#include "compare/spread.h"

struct pair_side {
  struct entry_figures figures;
  double whole, unseen;      /* NaN: not known */
  sqlite3_stmt *texts;       /* of an entry; null: not needed */
  bool counts, counts_calls; /* calls of functions; what `calls` are of these entries */
  bool present;
  double of[ENTRY_FIGURES]; /* of the pair's entry */
};

struct pair_values {
  struct workspace *workspace;
  struct error *error;
  sqlite3_stmt *statement;
  struct pair_used used;
  struct pair_side sides[2];
  struct spread spread;
  /* What doubling everything did to values that are not 0, which tells nothing. */
  bool kept, changed;
};

/* Zero but for workspace and error. To be closed, also after a failure. 0, or -1 with the reason;
 * so below. */
int pair_values_prepare(struct pair_values *values, const char *expression, const char *condition);
/* Read the figures of both profiles' entries, once they are prepared. */
int pair_values_open(struct pair_values *values, size_t first, size_t second,
                     enum compared_kind kind);
void pair_values_close(struct pair_values *values);

/* The value, its interval, and whether the condition holds for the figures as they are; what chance
 * explains is judged with all others (judgement.h).  `values` notes what doubling did. */
int pair_values_of(struct pair_values *values, const struct entry_pair *pair,
                   struct compared_value *value);

/* What is claimed of a pair. */
struct pair_claim {
  int side; /* the value lies above (1) or below (-1) the neutral one; 0: the condition holds */
  double neutral;
};

/* The claim holds wherever the figures of both lie at most `*z` standard deviations from where they
 * were found, in all directions, and with b's whole brought nearer to a's (spread.h) as well. 0:
 * not even at 1.96; infinity: the figures are exact. */
int pair_values_reach(struct pair_values *values, const struct entry_pair *pair,
                      const struct pair_claim *claim, double *z);
/* Whether a sampled figure of the pair is certainly above nothing: what is not cannot differ. */
int pair_values_seen(struct pair_values *values, const struct entry_pair *pair, bool *seen);
/* Whether chance can make the condition hold: it does at some corner of the 95 % intervals. */
int pair_values_might(struct pair_values *values, const struct entry_pair *pair, bool *might);

#endif
