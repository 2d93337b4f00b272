#include "cli/event_choice.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CACHE(cache, operation, result)                                                            \
  (PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##operation << 8 |                         \
   PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct event_choice known[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, false},
    {"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, false},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, false},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, false},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, false},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, false},
    {"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, false},
    {"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, false},
    {"L1-dcache-loads", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, ACCESS), false},
    {"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS), false},
    {"L1-icache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1I, READ, MISS), false},
    {"LLC-loads", PERF_TYPE_HW_CACHE, CACHE(LL, READ, ACCESS), false},
    {"LLC-load-misses", PERF_TYPE_HW_CACHE, CACHE(LL, READ, MISS), false},
    {"dTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, MISS), false},
    {"iTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, MISS), false},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, false},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, false},
    {"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, false},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, true},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, true},
};
enum { KNOWN = sizeof known / sizeof *known };

const char *event_choice_name(size_t i) {
  return i < KNOWN ? known[i].name : NULL;
}

static int unknown(const char *text, struct error *error) {
  char names[KNOWN * sizeof known->name] = "";
  for (int i = 0; i < KNOWN; i++) {
    size_t length = strlen(names);
    snprintf(names + length, sizeof names - length, "%s%.*s", i ? ", " : "", EVENT_NAME_MOST,
             known[i].name);
  }
  return error_set(error,
                   "--event %s: no such event; choose from %s, or rNNNN, a raw event of this "
                   "processor in hexadecimal",
                   text, names);
}

/* r01c2 */
static int parse_raw(const char *text, struct event_choice *choice) {
  char *end;
  size_t length = strlen(text);
  if (text[0] != 'r' || length < 2 || length > 17 ||
      strspn(text + 1, "0123456789abcdefABCDEF") != length - 1)
    return -1;
  *choice = (struct event_choice){"", PERF_TYPE_RAW, strtoull(text + 1, &end, 16), false};
  snprintf(choice->name, sizeof choice->name, "%s", text);
  return 0;
}

static int parse(const char *text, struct event_choice *choice, struct error *error) {
  for (int i = 0; i < KNOWN; i++)
    if (strcmp(text, known[i].name) == 0) {
      *choice = known[i];
      return 0;
    }
  return parse_raw(text, choice) == 0 ? 0 : unknown(text, error);
}

static bool has(const struct event_choices *choices, const char *name) {
  for (unsigned i = 0; i < choices->count; i++)
    if (strcmp(choices->list[i].name, name) == 0) return true;
  return false;
}

int event_choices_parse(const char *text, struct event_choices *choices, struct error *error) {
  *choices = (struct event_choices){0};
  for (const char *from = text;; from++) {
    char name[EVENT_NAME_MOST + 1];
    size_t length = strcspn(from, ",");
    if (choices->count == EVENTS_MOST)
      return error_set(error, "--event %s: at most %d events at once", text, EVENTS_MOST);
    snprintf(name, sizeof name, "%.*s", (int)length, from);
    if (has(choices, name)) return error_set(error, "--event %s: %s twice", text, name);
    if (parse(name, &choices->list[choices->count], error)) return -1;
    choices->count++;
    from += length;
    if (!*from) return 0;
  }
}

static int refused(const struct event_choice *choice, int number, struct error *error) {
  bool by_processor = choice->type != PERF_TYPE_SOFTWARE;
  if (by_processor && (number == ENOENT || number == EOPNOTSUPP || number == ENODEV))
    return error_set(error,
                     "--event %s: this machine has no counter for it (most virtual machines have "
                     "none); page-faults and other events of the kernel work everywhere",
                     choice->name);
  if (number == EACCES || number == EPERM)
    return error_set(
        error,
        "--event %s: not permitted (%s): it needs kernel.perf_event_paranoid of %d or less (sudo "
        "sysctl kernel.perf_event_paranoid=%d), and a container that permits perf events",
        choice->name, strerror(number), choice->kernel ? 1 : 2, choice->kernel ? 1 : 2);
  return error_set(error, "--event %s: the kernel cannot count it: %s", choice->name,
                   strerror(number));
}

/* As the runtime opens it in the program. */
static int try(const struct event_choice *choice, struct error *error) {
  struct perf_event_attr attr = {.type = choice->type,
                                 .size = sizeof attr,
                                 .config = choice->config,
                                 .sample_period = 1ull << 40,
                                 .disabled = 1,
                                 .exclude_kernel = !choice->kernel,
                                 .exclude_hv = 1,
                                 .remove_on_exec = 1,
                                 .sigtrap = 1};
  long descriptor = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (descriptor < 0) return refused(choice, errno, error);
  close((int)descriptor);
  return 0;
}

int event_choices_try(const struct event_choices *choices, struct error *error) {
  for (unsigned i = 0; i < choices->count; i++)
    if (try(&choices->list[i], error)) return -1;
  return 0;
}

void event_choices_variable(const struct event_choices *choices, char text[EVENT_VARIABLE_BYTES]) {
  size_t length = 0;
  for (unsigned i = 0; i < choices->count; i++) {
    const struct event_choice *choice = &choices->list[i];
    length += (size_t)snprintf(text + length, EVENT_VARIABLE_BYTES - length,
                               "%s%" PRIx32 ":%" PRIx64 ":%x:%s", i ? "," : "", choice->type,
                               choice->config, choice->kernel, choice->name);
  }
}
