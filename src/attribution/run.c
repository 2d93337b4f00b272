#include "attribution/run.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "recording/reader.h"

void run_make(const struct profile *profile, struct run *run) {
  *run = (struct run){.command = "", .directory = "", .host = ""};
  for (size_t i = 0; i < profile->process_count; i++) {
    const struct profile_process *process = &profile->processes[i];
    if (i == 0) {
      run->command = process->command[0] ? process->command : process->executable;
      run->directory = process->directory;
      run->host = process->host;
      run->started_ns = process->started_ns;
    }
    if (process->started_ns < run->started_ns) run->started_ns = process->started_ns;
    if (process->updated_ns > run->ended_ns) run->ended_ns = process->updated_ns;
    if (!run->tick_source) {
      run->tick_source = process->tick_source;
      run->tick_errno = process->tick_errno;
      run->rate_hz = process->rate_hz;
      run->period_ns = process->period_ns;
    }
    if (!process->tick_source && process->tick_errno) run->unmeasured_errno = process->tick_errno;
    run->processes += process->end != PROCESS_END_EXEC;
    run->hooks |= process->hooks;
    run->hindrances |= process->hindrances;
    for (int kind = 0; kind < DROP_KINDS; kind++)
      run->drops[kind] += process->drops[kind];
  }
  for (size_t i = 0; i < profile->thread_count; i++)
    run->lost_ticks += profile->threads[i].lost;
}

uint32_t run_rate_allowed(const struct run *run) {
  bool outside = run->tick_source == TICK_PERF_OUTSIDE;
  if ((run->tick_source != TICK_PERF && !outside) || !run->period_ns) return 0;
  uint64_t rate = 1000000000u / run->period_ns;
  uint64_t wanted = outside ? run->rate_hz / 4 * 3 : run->rate_hz; /* its period is not exact */
  return rate < wanted ? (uint32_t)rate : 0;
}

static_assert(SPACE_LEAST_MIB == 64, "the texts below say so");

const char *run_unrecorded(const struct run *run) {
  return run->hindrances & HINDRANCE_NARROW
             ? "programs with less than 64 MiB of address space (or without the "
               "runtime, or killed)"
             : "programs without the runtime, or killed";
}

const char *run_lack(const struct run *run) {
  if (run->hindrances & HINDRANCE_DISK_FULL)
    return "no room for all of the recording: its disk was full; free some, or set ASCRIBE_TMPDIR "
           "to a directory with room";
  if (run->hindrances & HINDRANCE_LIMITED)
    return "no room for all of the recording: the program limits its files or its address space "
           "(ulimit -f, ulimit -n, ulimit -v)";
  if (run->hindrances & HINDRANCE_NARROW)
    return "not recorded: programs that are limited to less than 64 MiB of address space (ulimit "
           "-v): too little to share";
  return NULL;
}

void hooks_text(uint32_t hooks, char text[HOOKS_TEXT_BYTES]) {
  static const struct {
    uint32_t hook;
    const char *words;
  } names[] = {{HOOKS_CONTEXTS_PLUGIN, "GCC plugin (calls after inlining)"},
               {HOOKS_CONTEXTS_HEADER, "hook header (calls before inlining)"},
               {HOOKS_CONTEXTS_CALLED, "compiler's own hooks (calls after inlining)"},
               {HOOKS_COUNTS, "counters (calls after inlining, without contexts)"},
               {HOOKS_SOURCE, "counters (the source's own calls, without contexts)"},
               {HOOKS_PG, "-pg (calls after inlining, without contexts)"},
               {HOOKS_HOST, "language host (its program's calls)"},
               {HOOKS_BY_CALLER, "functions charged to their caller's cost centre"},
               {HOOKS_LEXICAL, "functions charged to the cost centre that built them"}};
  text[0] = '\0';
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    size_t length = strlen(text);
    if (hooks & names[i].hook)
      snprintf(text + length, HOOKS_TEXT_BYTES - length, "%s%s", length ? ", " : "",
               names[i].words);
  }
  if (!text[0]) snprintf(text, HOOKS_TEXT_BYTES, "none");
}

const char *clock_text(uint32_t tick_source) {
  switch (tick_source) {
  case TICK_PERF:
    return "perf_event task-clock";
  case TICK_PERF_OUTSIDE:
    return "perf_event task-clock, from outside";
  case TICK_TIMER:
    return "CPU timers";
  case TICK_EVENT:
    return "perf_event";
  case TICK_TSC:
    return "cycle counter";
  case TICK_HOST:
    return "language host's clock";
  default:
    return "none";
  }
}
