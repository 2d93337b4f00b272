/* Single ranks of a merged profile of a parallel job, and groups of them, shown instead of the job.
 *
 * Each rank has saved a profile of its own (docs/CLUSTER.md).  Those beside the job's profile are
 * used, `*.RANK.ascribe`, if they are of the very run: same rank, same start. */
#ifndef ASCRIBE_VIEW_RANK_FILES_H
#define ASCRIBE_VIEW_RANK_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "compare/workspace.h"

/* Add the ranks, as "0-3,7", of the job whose profile is the file at `job`: merged, as one profile.
 * Their metric is the workspace's. */
int rank_files_add(struct workspace *workspace, const char *job, const char *text,
                   struct error *error);

/* Whether a file of this name may be the profile of the rank: NAME.RANK.ascribe. */
bool rank_files_names(const char *name, uint32_t rank);

#endif
