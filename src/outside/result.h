/* The tree of processes as a recording, in the form that its reader gives. */
#ifndef ASCRIBE_OUTSIDE_RESULT_H
#define ASCRIBE_OUTSIDE_RESULT_H

#include "outside/process_tree.h"

/* What all processes have in common. */
struct result_run {
  uint32_t rate_hz, tick_flags;
  uint64_t period_ns;
  uint64_t realtime_ns; /* what CLOCK_REALTIME is ahead of CLOCK_MONOTONIC */
  uint64_t ended_ns;    /* CLOCK_MONOTONIC: of what runs on */
  uint64_t recorder_ns; /* CPU time that looking on took */
  const char *host;
};

/* What is known so far of one program; its header and host are not filled in. The arrays belong to
 * the image and are valid until the image is charged again or the next result is made. */
struct process_recording result_of_image(struct process_image *image);

/* Programs on the way from a fork to an exec, on which no tick fell, are left out. The arrays of
 * the processes stay the tree's; the list of processes is the caller's to free. */
struct recording result_make(struct process_tree *tree, const struct result_run *run);

#endif
