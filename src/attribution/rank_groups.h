/* Ranks of a parallel job, or runs, that spend their time alike. */
#ifndef ASCRIBE_ATTRIBUTION_RANK_GROUPS_H
#define ASCRIBE_ATTRIBUTION_RANK_GROUPS_H

#include "profile/profile.h"

enum { RANK_GROUPS_MOST = 8 };
#define NO_RANK_GROUP UINT32_MAX
#define NO_RANK_FUNCTION UINT32_MAX

struct rank_group {
  uint32_t runs;
  double mean_ns; /* of CPU time that was sampled, by run */
  /* The function whose share of self time differs most from its share in the other groups;
   * NO_RANK_FUNCTION: there is one group, or what differs are functions too rare to be told apart.
   * Shares: 0 to 1. */
  uint32_t function;
  double share, share_elsewhere;
};

struct rank_groups {
  size_t count;       /* 0: no run has ticks */
  bool differ_within; /* by more than sampling explains, and more groups are not made */
  uint32_t *of_run;   /* by run; NO_RANK_GROUP: it has no ticks */
  struct rank_group groups[RANK_GROUPS_MOST]; /* the largest first */
};

/* The fewest groups within which shares of self time differ no more than sampling explains (99 %),
 * by k-means (Lloyd, Least squares quantization in PCM, 1982) on square roots of shares: there the
 * error of sampling is the same for all (Freeman and Tukey, Transformations related to the angular
 * and the square root, 1950). The same profile always has the same groups. Free with
 * rank_groups_free. */
void rank_groups_make(const struct profile *profile, struct rank_groups *groups);
void rank_groups_free(struct rank_groups *groups);

#endif
