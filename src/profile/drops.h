/* What a recording gave up, by enum drop: names of its counts in files, and in texts. */
#ifndef ASCRIBE_PROFILE_DROPS_H
#define ASCRIBE_PROFILE_DROPS_H

#include "recording/layout.h"

/* DROP_..., the name in JSON and, behind "dropped_", of a column; in words, of one and of several.
 */
#define DROP_NAMES(ENTRY)                                                                          \
  ENTRY(CONTEXTS, contexts, "context", "contexts")                                                 \
  ENTRY(TRANSITIONS, transitions, "call without a transition, or of MPI",                          \
        "calls without a transition, or of MPI")                                                   \
  ENTRY(TICKS, ticks, "tick", "ticks")                                                             \
  ENTRY(FUNCTIONS, functions, "function", "functions")                                             \
  ENTRY(OBJECTS, objects, "object", "objects")                                                     \
  ENTRY(THREADS, threads, "thread", "threads")                                                     \
  ENTRY(PROCESSES, processes, "child process", "child processes")                                  \
  ENTRY(COUNTERS, counters, "area of counters", "areas of counters")                               \
  ENTRY(STACKS, stacks, "stack that a language host never told",                                   \
        "stacks that a language host never told")                                                  \
  ENTRY(POINTS, points,                                                                            \
        "use of a point or context that a language host was not given, or had forgotten",          \
        "uses of points or contexts that a language host was not given, or had forgotten")         \
  ENTRY(CENSUSES, censuses,                                                                        \
        "census of a language host's heap that never ended or that a pause cut",                   \
        "censuses of a language host's heap that never ended or that a pause cut")

struct drop_name {
  const char *key, *one, *several;
};

extern const struct drop_name drop_names[DROP_KINDS];

#endif
