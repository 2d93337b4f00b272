/* Programs, processes and threads, for machines. */
#include "attribution/process_groups.h"
#include "recording/history.h"
#include "recording/reader.h"
#include "report/json_parts.h"
#include "report/json_values.h"

void json_programs(struct json *json, const struct profile *profile) {
  struct process_groups *groups = process_groups_find(profile, NULL);
  json_open(json, "programs", '[');
  for (size_t i = 0; i < groups->count; i++) {
    const struct process_group *group = &groups->list[i];
    json_open(json, NULL, '{');
    json_text(json, "name", group->name);
    json_number(json, "user_ns", group->user_ns);
    json_number(json, "system_ns", group->system_ns);
    json_open(json, "processes", '[');
    for (size_t member = 0; member < group->count; member++)
      json_id(json, NULL, group->processes[member]);
    json_close(json, ']');
    json_close(json, '}');
  }
  json_close(json, ']');
  process_groups_free(groups);
}

void json_processes(struct json *json, const struct profile *profile) {
  json_open(json, "processes", '[');
  for (size_t i = 0; i < profile->process_count; i++) {
    const struct profile_process *process = &profile->processes[i];
    json_open(json, NULL, '{');
    json_id(json, "id", i);
    json_number(json, "pid", process->pid);
    json_number(json, "parent_pid", process->parent_pid);
    json_text(json, "command", process->command);
    json_text(json, "executable", process->executable);
    json_number(json, "started_ns", process->started_ns);
    json_number(json, "lived_ns", process_lifetime_ns(process));
    json_number(json, "user_ns", process->cpu_user_ns);
    json_number(json, "system_ns", process->cpu_system_ns);
    json_number(json, "paused_ns", process->paused_user_ns + process->paused_system_ns);
    json_flag(json, "ended_by_exit", process->end == PROCESS_END_EXIT);
    json_flag(json, "ended_by_exec", process->end == PROCESS_END_EXEC);
    json_number(json, "signal", process->end_signal);
    json_flag(json, "whole", !process->truncated);
    json_close(json, '}');
  }
  json_close(json, ']');
}

/* The functions that were active when it was made, outermost first; null: not known. */
static void write_spawners(struct json *json, const struct profile *profile, uint32_t id) {
  if (id == NOTHING) {
    json_null(json, "spawned_in");
    return;
  }
  const struct profile_context *context = &profile->contexts[id];
  json_open(json, "spawned_in", '[');
  for (uint32_t i = 0; i < context->length; i++)
    json_text(json, NULL, profile->functions[history_function(context->history[i])].name);
  json_close(json, ']');
}

void json_threads(struct json *json, const struct listing *listing) {
  const struct profile *profile = listing->profile;
  json_open(json, "threads", '[');
  for (size_t i = 0; i < profile->thread_count; i++) {
    const struct profile_thread *thread = &profile->threads[i];
    uint32_t start = thread->start_function;
    json_open(json, NULL, '{');
    json_id(json, "id", i);
    json_id(json, "process", thread->process);
    json_number(json, "tid", thread->tid);
    json_text(json, "name", thread->name);
    json_number(json, "owners", thread->owners);
    json_id(json, "start_function", start);
    json_text(json, "start_function_name",
              start == NOTHING ? NULL : profile->functions[start].name);
    json_id(json, "spawned_in_context", thread->spawned_in);
    write_spawners(json, profile, thread->spawned_in);
    json_number(json, "cpu_ns", thread->cpu_ns);
    json_number(json, "unsampled_ns", thread->unsampled_ns);
    json_amount(json, "self", &listing->books, listing->costs->thread_self[i]);
    json_close(json, '}');
  }
  json_close(json, ']');
}
