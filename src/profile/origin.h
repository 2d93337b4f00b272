/* Where a profile comes from, and what its figures rest on. */
#ifndef ASCRIBE_PROFILE_ORIGIN_H
#define ASCRIBE_PROFILE_ORIGIN_H

/* What the figures of a profile rest on. */
enum evidence {
  EVIDENCE_TICKS,   /* sampled: ticks are independent, and their number gives the uncertainty */
  EVIDENCE_COUNTED, /* counted: exact */
  EVIDENCE_UNKNOWN, /* sampled, but nobody knows in how many samples: uncertainty unknown */
};

/* Where a profile comes from and what its amounts are.  All zeros: a recording of Ascribe, time.
 * With a unit only: a recording of another event than time. */
struct profile_origin {
  const char *format; /* that it was imported from, in words: "perf script"; or null */
  const char *event;  /* what was measured, as the file or the kernel names it; null: time */
  const char *unit;   /* of all amounts: "instructions", "bytes"; null: nanoseconds */
  const char *note;   /* what the file has and the profile has not, for the user; or null */
  enum evidence evidence;
};

#endif
