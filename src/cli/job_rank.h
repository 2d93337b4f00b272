/* Which rank of a parallel job this process is, by its launcher's environment. */
#ifndef ASCRIBE_CLI_JOB_RANK_H
#define ASCRIBE_CLI_JOB_RANK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct job_rank {
  bool known;
  uint32_t rank;    /* from 0; at most UINT32_MAX - 1 */
  uint32_t size;    /* ranks of the job; 0: not known */
  const char *job;  /* its id, in the environment; null: not known */
  const char *node; /* as the batch system calls it, in the environment; null: not known */
};

/* Open MPI, MPICH and others by PMI, PMIx, and srun of Slurm are known. `variable` names the
 * environment variable that has the rank instead; null: none. 0, also where nothing is known; -1
 * if `variable` has no number. */
int job_rank_find(const char *variable, struct job_rank *rank, struct error *error);

/* Whether other ranks run beside it, or may: files need its number in their names. */
bool job_rank_has_others(const struct job_rank *rank);

#endif
