#include "exchange/ghc_run.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_name.h"
#include "base/begins.h"
#include "exchange/printed_date.h"
#include "profile/appended.h"

enum { MARKS_MOST = 1 << 16 };
#define MINUTE_NS UINT64_C(60000000000)

bool ghc_run_has_retainers(const char *start, size_t count) {
  static const char first[] = "Retainer Profiling: ";
  return count >= strlen(first) && memcmp(start, first, strlen(first)) == 0;
}

void ghc_run_open(struct ghc_run *run) {
  *run = (struct ghc_run){.time = NOTHING, .allocated = NOTHING, .live = NOTHING};
  cost_centres_open(&run->centres);
}

static void add_words(char **text, const char *before, const char *words) {
  char *longer = *text ? memory_printed("%s%s%s", *text, before, words) : memory_text(words);
  free(*text);
  *text = longer;
}

void ghc_run_format(struct ghc_run *run, const char *words) {
  if (!run->format) run->format = memory_text("GHC's ");
  add_words(&run->format, run->format[strlen("GHC's ")] ? ", " : "", words);
}

void ghc_run_note(struct ghc_run *run, const char *note) {
  add_words(&run->note, "; ", note);
}

/* ---- which run it is ---- */

/* "dir/prog a +RTS -hc -RTS b" as "prog a b": the options of the runtime may come from elsewhere,
 * and files quote arguments in different ways. To be freed. */
static char *plain_command(const char *line) {
  size_t first = strcspn(line, " ");
  char *program = memory_text_part(line, first), *made = memory_text(base_name(program));
  bool of_runtime = false;
  for (const char *at = line + first; *(at += strspn(at, " "));) {
    size_t length = strcspn(at, " ");
    char *word = memory_text_part(at, length);
    at += length;
    if (strcmp(word, "+RTS") == 0)
      of_runtime = true;
    else if (strcmp(word, "-RTS") == 0 || strcmp(word, "--RTS") == 0)
      of_runtime = false;
    else if (!of_runtime)
      add_words(&made, " ", word);
    free(word);
  }
  size_t kept = 0;
  for (const char *at = made; *at; at++)
    if (*at != '"' && *at != '\\') made[kept++] = *at;
  made[kept] = '\0';
  free(program);
  return made;
}

/* Whether the program ran in the minute of the date, which is local time: the zone is that of
 * whoever wrote it, and zones differ by quarters of an hour. */
static bool is_within(const struct ghc_identity *log, uint64_t date_ns) {
  if (!log->from_ns || !date_ns) return true;
  const int64_t quarter = 15 * MINUTE_NS;
  uint64_t from_ns = log->from_ns - log->from_ns % MINUTE_NS;
  int64_t after = (int64_t)(date_ns - from_ns) % quarter;
  return (uint64_t)(after < 0 ? after + quarter : after) <= log->last_ns - from_ns;
}

static int another_run(const struct ghc_identity *known, const struct ghc_identity *told,
                       struct error *error) {
  char known_date[PRINTED_DATE_BYTES], told_date[PRINTED_DATE_BYTES];
  return error_set(error, "%s and %s are of different runs: %.80s, %s; and %.80s, %s", known->file,
                   told->file, known->command,
                   printed_date_text(known->from_ns, GHC_DATE, known_date), told->command,
                   printed_date_text(told->from_ns, GHC_DATE, told_date));
}

static void name_process(struct ghc_run *run, const char *command, uint64_t from_ns,
                         uint64_t last_ns) {
  struct stack_profile *stacks = &run->centres.stacks;
  struct profile_process *process = &stacks->profile->processes[run->centres.process];
  process->command = stack_profile_text(stacks, command);
  process->started_ns = from_ns;
  process->updated_ns = last_ns;
}

int ghc_run_identify(struct ghc_run *run, const char *file, const char *command, const char *date,
                     struct error *error) {
  struct ghc_identity told = {.file = file, .command = plain_command(command)};
  told.from_ns = told.last_ns = date ? printed_date_read(date, GHC_DATE) : 0;
  const struct ghc_identity *log = &run->log_identity, *other = &run->identity;
  int result = 0;
  if (log->file && (strcmp(log->command, told.command) != 0 || !is_within(log, told.from_ns)))
    result = another_run(log, &told, error);
  /* The runtime reads the clock once for both files. */
  else if (other->file &&
           (strcmp(other->command, told.command) != 0 || other->from_ns != told.from_ns))
    result = another_run(other, &told, error);
  if (result != 0 || other->file) {
    free(told.command);
    return result;
  }
  if (!log->file) name_process(run, command, told.from_ns, told.last_ns);
  run->identity = told;
  return 0;
}

void ghc_run_identify_log(struct ghc_run *run, const char *file, const char *command, uint32_t pid,
                          uint64_t started_ns) {
  uint64_t last_ns = started_ns ? started_ns + run->log.last_ns : 0;
  run->log_identity = (struct ghc_identity){file, plain_command(command), started_ns, last_ns};
  name_process(run, command, started_ns, last_ns);
  run->centres.stacks.profile->processes[run->centres.process].pid = pid;
}

int ghc_run_same_ticks(const struct ghc_run *run, const char *file, uint64_t ticks, bool all,
                       struct error *error) {
  const struct ghc_log *log = &run->log;
  uint64_t known = all ? log->ticks : log->program_ticks;
  if (!log->ticks || known == ticks) return 0;
  return error_set(error, "%s has %" PRIu64 " ticks, and %s %" PRIu64 ": %s", file, ticks,
                   run->log_identity.file, known,
                   log->has_end ? "they are of different runs" : "the log is cut off");
}

int ghc_run_same_sample(const struct ghc_run *run, const char *file, size_t sample, uint64_t sum,
                        struct error *error) {
  const struct ghc_log *log = &run->log;
  if (sample >= log->sum_count && !log->has_end) return 0;
  if (sample < log->sum_count && log->sums[sample] == sum) return 0;
  return error_set(error,
                   "%s has other heap samples than %s (the first is number %zu): they are of "
                   "different runs",
                   file, run->log_identity.file, sample + 1);
}

/* ---- marks ---- */

void ghc_run_mark(struct ghc_run *run, uint64_t time_ns, const char *text, size_t length) {
  struct profile *profile = run->centres.stacks.profile;
  if (profile->mark_count == MARKS_MOST) {
    if (!run->lost_marks++) ghc_run_note(run, "marks behind the first 65536");
    return;
  }
  char *copy = memory_text_part(text, length);
  struct profile_mark mark = {run->centres.process, time_ns,
                              stack_profile_text(&run->centres.stacks, copy)};
  (void)APPENDED(profile->marks, profile->mark_count, mark);
  free(copy);
}

/* Those of several capabilities stand in blocks behind each other. */
static int by_time(const void *left, const void *right) {
  const struct profile_mark *a = left, *b = right;
  return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

static void order_marks(struct profile *profile) {
  if (profile->mark_count)
    qsort(profile->marks, profile->mark_count, sizeof *profile->marks, by_time);
}

/* ---- metrics ---- */

static uint32_t add_metric(struct ghc_run *run, const char *name, const char *unit,
                           enum evidence evidence) {
  struct profile *profile = run->centres.stacks.profile;
  uint32_t id = 0;
  if (run->metric_count++)
    id = metrics_add(profile, METRIC_GIVEN, name, unit);
  else
    profile->metrics[0].name = name, profile->metrics[0].unit = unit;
  profile->metrics[id].evidence = evidence;
  return id;
}

uint32_t ghc_run_time(struct ghc_run *run) {
  if (run->time == NOTHING) run->time = add_metric(run, "time", NULL, EVIDENCE_TICKS);
  return run->time;
}

uint32_t ghc_run_allocated(struct ghc_run *run) {
  if (run->allocated == NOTHING)
    run->allocated = add_metric(run, heap_metric_name(HEAP_OF_MALLOC, HEAP_ALLOCATED), "bytes",
                                EVIDENCE_COUNTED);
  return run->allocated;
}

void ghc_run_levels(struct ghc_run *run, const char *unit) {
  if (run->live != NOTHING) return;
  run->live = add_metric(run, "", unit, EVIDENCE_COUNTED);
  level_series_open(&run->levels, &run->centres.stacks, run->live, unit);
  run->metric_count++;
}

int ghc_run_charge(struct ghc_run *run, const struct centre_figures *figures) {
  struct stack_profile *stacks = &run->centres.stacks;
  struct amount time = {.ticks = figures->ticks, .raw_ns = figures->ns};
  struct amount allocated = {.raw_ns = figures->bytes};
  uint32_t time_metric = ghc_run_time(run), allocated_metric = ghc_run_allocated(run);
  if (stack_profile_calls(stacks, figures->entries) != 0) return -1;
  if (figures->ns && !run->log.ticks && stack_profile_charge(stacks, time_metric, time) != 0)
    return -1;
  return figures->bytes ? stack_profile_charge(stacks, allocated_metric, allocated) : 0;
}

/* ---- bands ---- */

/* "(308)f/g/CAF" has the number of a stack, as names may be cut off: it goes to the end, because a
 * name that begins with a bracket is not taken for code of the program (own_code.c). To be freed.
 */
static char *band_name(const char *label) {
  size_t digits = label[0] == '(' ? strspn(label + 1, "0123456789") : 0;
  const char *name = label + digits + 2;
  if (!digits || name[-1] != ')' || !*name) return memory_text(label);
  return memory_printed("%s (%.*s)", name, (int)digits, label + 1);
}

uint32_t ghc_run_band(struct ghc_run *run, const char *label) {
  struct stack_profile *stacks = &run->centres.stacks;
  const char *text = stack_profile_text(stacks, label);
  uint32_t known = map_find(&run->bands, (uintptr_t)text, 0);
  if (known != UINT32_MAX) return known;
  char *name = band_name(label);
  struct profile_function band = {.name = name, .object = NOTHING};
  uint32_t function = stack_profile_function(stacks, &band, BODY_OWN);
  free(name);
  return map_find_or_add(&run->bands, (uintptr_t)text, 0, function);
}

void ghc_run_push_band(struct ghc_run *run, uint32_t function) {
  struct stack_profile *stacks = &run->centres.stacks;
  stack_profile_begin(stacks, run->centres.thread);
  stack_profile_frame(stacks, function, stack_profile_line(stacks, function, NULL, 0));
}

/* ---- the profile ---- */

static int choose_first(struct ghc_run *run, const char *name, const char *event,
                        struct error *error) {
  struct profile *profile = run->centres.stacks.profile;
  const struct amount *all = run->centres.stacks.all;
  uint32_t first = NOTHING;
  if (event) {
    first = metrics_find(profile, event);
    if (first == NOTHING)
      return error_set(error, "%s: no %s in it: the file has %s", name, event,
                       metrics_text(profile, profile->pool));
  } else if (run->time != NOTHING && all[run->time].raw_ns) {
    first = run->time;
  } else if (run->allocated != NOTHING && (all[run->allocated].raw_ns || run->live == NOTHING)) {
    first = run->allocated;
  } else {
    first = run->live;
  }
  bool is_summed = first == run->time || first == run->allocated;
  if (is_summed && !all[first].raw_ns)
    return error_set(error, "%s: all cost centres have 0 %s", name, profile->metrics[first].name);
  metrics_put_first(profile, first);
  return 0;
}

int ghc_run_finish(struct ghc_run *run, const char *name, const char *event, int result,
                   struct profile **profile, struct error *error) {
  struct stack_profile *stacks = &run->centres.stacks;
  struct profile *made = stacks->profile;
  if (run->live != NOTHING && result == 0) level_series_finish(&run->levels);
  if (run->log.ticks && result == 0)
    time_series_finish(&run->log.times, made, run->time, run->log.tick_ns, run->log.last_ns);
  if (result == 0) result = choose_first(run, name, event, error);
  order_marks(made);
  if (run->format) made->origin.format = stack_profile_text(stacks, run->format);
  if (run->note) made->origin.note = stack_profile_text(stacks, run->note);
  cost_centres_finish(&run->centres);
  stack_profile_finish(stacks);
  if (run->live != NOTHING) level_series_free(&run->levels);
  map_free(&run->bands);
  time_series_free(&run->log.times);
  free(run->log.sums);
  free(run->log_identity.command);
  free(run->identity.command);
  free(run->format);
  free(run->note);
  if (result == 0)
    *profile = made;
  else
    profile_free(made);
  return result;
}

int ghc_run_read(import_add *add, struct input *input, const struct import_options *options,
                 struct profile **profile, struct error *error) {
  struct ghc_run run;
  ghc_run_open(&run);
  int result = add(input, &run, error);
  return ghc_run_finish(&run, input->name, options->event, result, profile, error);
}
