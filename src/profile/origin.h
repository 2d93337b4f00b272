/* Where a profile comes from. */
#ifndef ASCRIBE_PROFILE_ORIGIN_H
#define ASCRIBE_PROFILE_ORIGIN_H

/* Where a profile comes from. All zeros: a recording of Ascribe. */
struct profile_origin {
  const char *format; /* that it was imported from, in words: "perf script"; or null */
  const char *note;   /* what the file has and the profile has not, for the user; or null */
};

#endif
