#include "cli/job_rank.h"

#include <stdlib.h>
#include <string.h>

/* What launchers say, the innermost first: mpirun in a Slurm job is started by srun.
 * Sources: Open MPI's manual, "Environment variables set for MPI applications"; MPICH's PMI-1
 * (process_manager.c of Hydra); the PMIx standard, PMIx_Init; srun(1). */
static const struct launcher {
  const char *rank, *size, *job;
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE"},
    {"PMI_RANK", "PMI_SIZE", "PMI_JOBID"},
    {"PMIX_RANK", "SLURM_STEP_NUM_TASKS", "PMIX_NAMESPACE"},
    {"PMIX_RANK", NULL, "PMIX_NAMESPACE"},
    /* A batch script has SLURM_PROCID, too, but is no rank: only srun sets the step's tasks. */
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_JOB_ID"},
};

static const char *value_of(const char *variable) {
  const char *value = variable ? getenv(variable) : NULL;
  return value && *value ? value : NULL;
}

/* A whole number below UINT32_MAX. */
static bool number_of(const char *variable, uint32_t *number) {
  const char *text = value_of(variable);
  size_t length = text ? strlen(text) : 0;
  if (!length || length > 10 || strspn(text, "0123456789") != length) return false;
  unsigned long long value = strtoull(text, NULL, 10);
  if (value >= UINT32_MAX) return false;
  *number = (uint32_t)value;
  return true;
}

/* The batch system's id of a job is the one that users know. */
static const char *job_of(const struct launcher *launcher) {
  const char *job = value_of("SLURM_JOB_ID");
  return job ? job : value_of(launcher->job);
}

static bool ask(const struct launcher *launcher, struct job_rank *rank) {
  uint32_t number, size = 0;
  if (!number_of(launcher->rank, &number)) return false;
  if (launcher->size && !number_of(launcher->size, &size)) return false;
  if (size && number >= size) return false;
  *rank = (struct job_rank){true, number, size, job_of(launcher), value_of("SLURMD_NODENAME")};
  return true;
}

int job_rank_find(const char *variable, struct job_rank *rank, struct error *error) {
  *rank = (struct job_rank){0};
  if (variable) {
    if (ask(&(struct launcher){.rank = variable}, rank)) return 0;
    return error_set(error, "--rank-from %s: the environment variable %s", variable,
                     getenv(variable) ? "is not a number" : "is not set");
  }
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
    if (ask(&launchers[i], rank)) return 0;
  return 0;
}

bool job_rank_has_others(const struct job_rank *rank) {
  return rank->known && rank->size != 1;
}
