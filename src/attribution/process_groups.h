/* Processes by the program that they ran: a build starts the same compiler hundreds of times. */
#ifndef ASCRIBE_ATTRIBUTION_PROCESS_GROUPS_H
#define ASCRIBE_ATTRIBUTION_PROCESS_GROUPS_H

#include "profile/profile.h"

/* Processes whose programs were started by one name. */
struct process_group {
  const char *name;
  const uint32_t *processes; /* most CPU time first */
  size_t count;              /* at least 1 */
  uint64_t user_ns, system_ns;
};

struct process_groups {
  struct process_group *list; /* most CPU time first */
  size_t count;
  struct pool *pool;   /* owns the names */
  uint32_t *processes; /* owns those of all groups */
};

/* Covers the processes in `selected` (null: all). The caller frees the result with
 * process_groups_free. */
struct process_groups *process_groups_find(const struct profile *profile, const bool *selected);
void process_groups_free(struct process_groups *groups);

/* The name that a process's program was started by, without folders: "cc1", "sh".  Where the
 * command is not known, the kernel's name of its main thread.  Not that of its file, which is often
 * another
 * ("dash", "python3.11"), but where there is nothing else. */
const char *process_name(const struct profile *profile, uint32_t process, struct pool *pool);

/* True if `name` is that name, the name of the executable's file, or its path. */
bool process_has_name(const struct profile *profile, uint32_t process, const char *name);

/* CPU time, user and system. */
static inline uint64_t process_cpu_ns(const struct profile_process *process) {
  return process->cpu_user_ns + process->cpu_system_ns;
}

/* By the clock on the wall, from its start to the last sign of life. */
static inline uint64_t process_lifetime_ns(const struct profile_process *process) {
  return process->updated_ns > process->started_ns ? process->updated_ns - process->started_ns : 0;
}

#endif
