/* All threads of a process that runs already. */
#ifndef ASCRIBE_OUTSIDE_ATTACH_H
#define ASCRIBE_OUTSIDE_ATTACH_H

#include "outside/record_stream.h"
#include "outside/target.h"

/* Measure them, and tell the stream's tree of them and of what is mapped.  The target's rings are
 * read meanwhile.  The tree has the process already.  0, or -1 (error set). */
int attach(uint32_t pid, struct target *target, const struct event *event, struct ring_set *rings,
           struct record_stream *stream, struct error *error);

#endif
