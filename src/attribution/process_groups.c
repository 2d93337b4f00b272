#include "attribution/process_groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/base_name.h"

/* ---- names ---- */

/* As the kernel keeps it: at most 15 bytes. "" where it is not known. */
static const char *main_thread_name(const struct profile *profile, uint32_t process) {
  for (size_t i = 0; i < profile->thread_count; i++)
    if (profile->threads[i].process == process &&
        profile->threads[i].tid == profile->processes[process].pid)
      return profile->threads[i].name;
  return "";
}

static const char *name_without_command(const struct profile *profile, uint32_t process) {
  enum { CUT_OFF = 15 };
  const char *file = base_name(profile->processes[process].executable);
  const char *name = main_thread_name(profile, process);
  size_t length = strlen(name);
  return length && (length < CUT_OFF || strncmp(file, name, length) != 0) ? name : file;
}

const char *process_name(const struct profile *profile, uint32_t id, struct pool *pool) {
  const struct profile_process *process = &profile->processes[id];
  size_t path = strlen(process->executable), length = strcspn(process->command, " ");
  if (!length) return pool_string(pool, name_without_command(profile, id));
  /* Blanks separate arguments, and stand in paths, too. */
  if (path && strncmp(process->command, process->executable, path) == 0) length = path;
  char *word = memory_text_part(process->command, length);
  const char *name = pool_string(pool, base_name(word));
  free(word);
  return name;
}

bool process_has_name(const struct profile *profile, uint32_t process, const char *name) {
  const char *executable = profile->processes[process].executable;
  if (!*name) return false;
  if (strcmp(executable, name) == 0 || strcmp(base_name(executable), name) == 0) return true;
  struct pool *pool = pool_create();
  bool same = strcmp(process_name(profile, process, pool), name) == 0;
  pool_free(pool);
  return same;
}

/* ---- groups ---- */

struct named {
  const char *name;
  uint64_t cpu_ns;
  uint32_t process;
};

static int compare_named(const void *left, const void *right) {
  const struct named *a = left, *b = right;
  int order = strcmp(a->name, b->name);
  if (order) return order;
  if (a->cpu_ns != b->cpu_ns) return a->cpu_ns > b->cpu_ns ? -1 : 1;
  return (a->process > b->process) - (a->process < b->process);
}

static int compare_groups(const void *left, const void *right) {
  const struct process_group *a = left, *b = right;
  uint64_t of_a = a->user_ns + a->system_ns, of_b = b->user_ns + b->system_ns;
  if (of_a != of_b) return of_a > of_b ? -1 : 1;
  return strcmp(a->name, b->name);
}

static struct named *sorted_by_name(const struct profile *profile, const bool *selected,
                                    struct pool *pool, size_t *count) {
  struct named *list = memory_zeroed(profile->process_count, sizeof *list);
  *count = 0;
  for (size_t i = 0; i < profile->process_count; i++) {
    const struct profile_process *process = &profile->processes[i];
    bool elsewhere = profile->interval.to_ns && process->updated_ns <= process->started_ns;
    if (!elsewhere && (!selected || selected[i]))
      list[(*count)++] = (struct named){process_name(profile, i, pool), process_cpu_ns(process), i};
  }
  qsort(list, *count, sizeof *list, compare_named);
  return list;
}

struct process_groups *process_groups_find(const struct profile *profile, const bool *selected) {
  struct process_groups *groups = memory_zeroed(1, sizeof *groups);
  size_t count;
  groups->pool = pool_create();
  struct named *list = sorted_by_name(profile, selected, groups->pool, &count);
  groups->list = memory_zeroed(count, sizeof *groups->list);
  groups->processes = memory_zeroed(count, sizeof *groups->processes);
  for (size_t i = 0; i < count; i++) {
    const struct profile_process *process = &profile->processes[list[i].process];
    groups->processes[i] = list[i].process;
    if (i == 0 || list[i].name != list[i - 1].name)
      groups->list[groups->count++] =
          (struct process_group){.name = list[i].name, .processes = &groups->processes[i]};
    struct process_group *group = &groups->list[groups->count - 1];
    group->count++;
    group->user_ns += process->cpu_user_ns;
    group->system_ns += process->cpu_system_ns;
  }
  free(list);
  qsort(groups->list, groups->count, sizeof *groups->list, compare_groups);
  return groups;
}

void process_groups_free(struct process_groups *groups) {
  if (!groups) return;
  pool_free(groups->pool);
  free(groups->list);
  free(groups->processes);
  free(groups);
}
