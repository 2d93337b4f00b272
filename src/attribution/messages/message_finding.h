/* State that is shared by the files which find late senders, late receivers and who came last to
 * collective calls. */
#ifndef ASCRIBE_ATTRIBUTION_MESSAGE_FINDING_H
#define ASCRIBE_ATTRIBUTION_MESSAGE_FINDING_H

#include "attribution/messages/clock_relation.h"
#include "base/map.h"
#include "profile/profile.h"

/* By process: which clock it has, and where it is in its job. */
struct member {
  uint32_t job, instance; /* the instance: of several processes that were one rank */
  uint32_t clock;
};

struct job_clock {
  const char *name; /* null: of one process alone */
  double cycle_ns;  /* by the process that was there for the longest */
  uint64_t lived_ns;
  uint32_t rank; /* of that process */
  uint64_t zero; /* cycles: before all ends */
  /* In a tree of the clocks that can be compared: finding_compare_clocks. */
  uint32_t root, parent; /* of finding.clocks; of the root: itself */
  uint32_t depth;
  double distance; /* the uncertainty of the way to the root, in ns */
};

/* Two of finding.clocks, the lower number first. */
struct related_clocks {
  uint32_t low, high;
  struct clock_relation relation;
};

/* Until relations are found. */
struct related_bound {
  uint32_t relation; /* of finding.relations */
  bool is_most;
  struct clock_bound bound;
};

struct pair {
  uint32_t send, receive; /* of profile.message_ends */
};

/* Ends of one collective call: `count` of finding.collective from `first` on. */
struct meeting {
  uint32_t first, count;
};

/* One message's part in a call of `process`, or the process's part in a collective call. */
struct part {
  uint32_t process, line, partner_line, call, partner_call, partner;
  enum late_end late_end;
  bool unrelated;
  uint64_t begin; /* cycles: of the call that completed it */
  double late, uncertainty, clock_uncertainty;
};

struct finding {
  struct profile *profile;
  struct member *members;
  const char **jobs;
  size_t job_count;
  struct job_clock *clocks;
  size_t clock_count;
  struct pair *pairs;
  size_t pair_count;
  uint32_t *collective; /* of profile.message_ends */
  struct meeting *meetings;
  size_t meeting_count;
  struct map relation_ids; /* two clocks, the lower number first -> of relations */
  struct related_clocks *relations;
  size_t relation_count;
  struct related_bound *bounds;
  size_t bound_count;
  struct part *parts;
  size_t part_count;
};

#define COMPARE(a, b)                                                                              \
  if ((a) != (b)) return (a) < (b) ? -1 : 1

static inline uint64_t end_wait_begin(const struct profile_message_end *end) {
  return end->posted + end->wait_after;
}
static inline uint64_t end_wait_end(const struct profile_message_end *end) {
  return end_wait_begin(end) + end->waited;
}

/* clock_tree.c: comparing clocks. */

/* Bounds the clocks: `from` was at `before` earlier than `to` was at `after`. */
void finding_relate(struct finding *finding, uint32_t from, uint64_t before, uint32_t to,
                    uint64_t after);

/* When all bounds are there. */
void finding_compare_clocks(struct finding *finding);

/* Then: how many ns later `cycles` of the clock `from` is than `base` of the clock `to`. False: the
 * clocks cannot be compared. */
bool finding_later_by(const struct finding *finding, uint32_t from, uint64_t cycles, uint32_t to,
                      uint64_t base, double *later, double *uncertainty);

/* Adds the part of the call that completed `own`: it waited until `partner` was posted, as far as
 * their clocks tell. `is_known`: it is the partner that the call waited for. */
void finding_add_part(struct finding *finding, const struct profile_message_end *own,
                      const struct profile_message_end *partner, enum late_end late_end,
                      bool is_known);

/* matched_messages.c: sends with their receives. */
void pairs_find(struct finding *finding);
void pairs_relate_clocks(struct finding *finding);
void pairs_find_parts(struct finding *finding);

/* collective_delays.c: calls that all ranks of a communicator make together. */
void meetings_find(struct finding *finding);
void meetings_relate_clocks(struct finding *finding);
void meetings_find_parts(struct finding *finding);

#endif
