/* Programs, processes and threads: a few lines of them in every whole report of several, all that
 * is known of them where it was asked for. */
#include "attribution/process_groups.h"
#include "attribution/unattributed.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "recording/history.h"
#include "report/listing.h"
#include "report/thread_function.h"
#include "symbols/name_parts.h"

enum {
  LISTED = 6, /* without --limit... */
  LISTED_WHERE_ASKED = 40,
  COMMAND_WIDTH = 72, /* at most, where it was not asked for: compilers have long commands */
  FRAME_BYTES = 200,  /* of a function in a chain of them */
  CHAIN_BYTES = 4000,
  WIDE_INDENT = 48, /* of such a chain */
  NARROW_INDENT = 18
};

static size_t most_shown(const struct listing *listing, bool asked) {
  if (listing->model->options->limit) return listing->model->options->limit;
  return asked ? LISTED_WHERE_ASKED : LISTED;
}

static bool asked_for(const struct listing *listing, enum report_part part) {
  return listing->model->options->parts & part;
}

static void title(const struct listing *listing, const char *name) {
  fputc('\n', listing->out);
  listing_bold(listing);
  fprintf(listing->out, "%s\n", name);
  listing_plain(listing);
}

/* ---- processes ---- */

static void print_cpu(const struct listing *listing, struct time_unit unit, uint64_t user_ns,
                      uint64_t system_ns) {
  text_time(listing->out, unit, user_ns, 10);
  text_time(listing->out, unit, system_ns, 10);
}

static size_t command_width(const struct listing *listing, size_t used) {
  size_t width = listing_name_width(listing, used);
  if (asked_for(listing, REPORT_PROCESSES)) return width;
  return width && width < COMMAND_WIDTH ? width : COMMAND_WIDTH;
}

/* A member of a group stands below its name. */
static void print_process(const struct listing *listing, struct time_unit unit, uint32_t id,
                          bool member) {
  const struct profile_process *process = &listing->model->profile->processes[id];
  fprintf(listing->out, "%8u%8u", process->pid, process->parent_pid);
  print_cpu(listing, unit, process->cpu_user_ns, process->cpu_system_ns);
  text_time(listing->out, unit, process_lifetime_ns(process), 10);
  fputs(member ? "    " : "  ", listing->out);
  text_name(listing->out, process->command[0] ? process->command : process->executable,
            command_width(listing, member ? 50 : 48));
  fputc('\n', listing->out);
}

static void print_members(const struct listing *listing, struct time_unit unit,
                          const struct process_group *group) {
  size_t most = most_shown(listing, false);
  for (size_t i = 0; i < group->count && i < most; i++)
    print_process(listing, unit, group->processes[i], true);
  if (group->count > most)
    fprintf(listing->out, "%50s%zu more (--limit all)\n", "", group->count - most);
}

static void print_group(const struct listing *listing, struct time_unit unit,
                        const struct process_group *group) {
  fprintf(listing->out, "%16s", "");
  print_cpu(listing, unit, group->user_ns, group->system_ns);
  fprintf(listing->out, "%10s  ", "");
  text_name(listing->out, group->name, 0);
  fprintf(listing->out, " \u00d7%zu\n", group->count);
}

static uint64_t longest(const struct profile *profile) {
  uint64_t most = 0, cpu = 0;
  for (size_t i = 0; i < profile->process_count; i++) {
    uint64_t lifetime = process_lifetime_ns(&profile->processes[i]);
    if (lifetime > most) most = lifetime;
    cpu += process_cpu_ns(&profile->processes[i]);
  }
  return most > cpu ? most : cpu;
}

void listing_processes(const struct listing *listing) {
  bool asked = asked_for(listing, REPORT_PROCESSES);
  struct process_groups *groups =
      process_groups_find(listing->model->profile, listing->model->options->selection.processes);
  struct time_unit unit = time_unit_for(longest(listing->model->profile));
  size_t most = most_shown(listing, asked), left_out = 0;
  title(listing, "Processes");
  listing_dim(listing);
  fprintf(listing->out,
          "     pid  parent      user    system     lived  program\n"
          "%26s%10s%10s\n",
          unit.name, unit.name, unit.name);
  listing_plain(listing);
  for (size_t i = 0; i < groups->count; i++) {
    const struct process_group *group = &groups->list[i];
    if (i >= most)
      left_out += group->count;
    else if (group->count == 1)
      print_process(listing, unit, group->processes[0], false);
    else
      print_group(listing, unit, group);
    if (asked && i < most && group->count > 1) print_members(listing, unit, group);
  }
  if (left_out)
    fprintf(listing->out, "%zu more process%s (--limit all)\n", left_out,
            left_out == 1 ? "" : "es");
  process_groups_free(groups);
}

void listing_programs(const struct listing *listing) {
  enum { NAMED = 4 };
  if (listing->model->profile->process_count < 2) return;
  struct process_groups *groups = process_groups_find(listing->model->profile, NULL);
  size_t others = listing->model->profile->process_count;
  size_t processes = listing->model->run.processes;
  fprintf(listing->out, "%zu process%s", processes, processes == 1 ? "" : "es");
  fprintf(listing->out, processes == others ? ": " : " that ran %zu programs: ", others);
  for (size_t i = 0; i < groups->count && i < NAMED; i++) {
    const struct process_group *group = &groups->list[i];
    char text[DURATION_BYTES];
    if (i) fputs(", ", listing->out);
    text_name(listing->out, group->name, 0);
    if (group->count > 1) fprintf(listing->out, " \u00d7%zu", group->count);
    fprintf(listing->out, " (%s)", duration_text(group->user_ns + group->system_ns, text));
    others -= group->count;
  }
  if (others) fprintf(listing->out, " and %zu more", others);
  fputc('\n', listing->out);
  process_groups_free(groups);
}

/* ---- threads ---- */

static bool is_cpu_time(const struct listing *listing) {
  const struct books *books = &listing->model->books;
  return books->user_ns && !books->events && !books->measured &&
         !model_is_of_waiting(listing->model);
}

static int more_time_first(const void *left, const void *right, void *context) {
  const struct costs *costs = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  uint64_t of_a = costs->thread_self[a].raw_ns, of_b = costs->thread_self[b].raw_ns;
  if (of_a != of_b) return of_a > of_b ? -1 : 1;
  return (a > b) - (a < b);
}

/* The functions that were active when the thread was made. */
static void print_spawners(const struct listing *listing, const struct profile_thread *thread) {
  if (thread->spawned_in == NOTHING) return;
  const struct profile_context *context = &listing->model->profile->contexts[thread->spawned_in];
  char chain[CHAIN_BYTES] = "", name[FRAME_BYTES];
  size_t used = 0, indent = listing->terminal.width ? NARROW_INDENT : WIDE_INDENT;
  for (uint32_t i = 0; i < context->length && used < sizeof chain; i++) {
    const char *whole =
        listing->model->profile->functions[history_function(context->history[i])].name;
    used += snprintf(chain + used, sizeof chain - used, "%s%s", i ? " > " : " in ",
                     name_brief(whole, name, sizeof name));
  }
  int made = fprintf(listing->out, "%*smade by thread %u", (int)indent, "", context->thread + 1);
  text_name(listing->out, chain, listing_name_width(listing, made));
  fputc('\n', listing->out);
}

static void print_process_of(const struct listing *listing, const struct profile_thread *thread) {
  if (listing->model->profile->process_count < 2) return;
  struct pool *pool = pool_create();
  const struct profile_process *process = &listing->model->profile->processes[thread->process];
  fputs(" in ", listing->out);
  text_name(listing->out, process_name(listing->model->profile, thread->process, pool), 0);
  fprintf(listing->out, " (%u)", process->pid);
  pool_free(pool);
}

static bool some_lack_ticks(const struct listing *listing) {
  if (!is_cpu_time(listing)) return false;
  for (size_t i = 0; i < listing->model->profile->thread_count; i++)
    if (listing->model->profile->threads[i].unsampled_ns) return true;
  return false;
}

static void print_thread(const struct listing *listing, uint32_t id) {
  const struct profile_thread *thread = &listing->model->profile->threads[id];
  struct amount amount = listing->model->costs->thread_self[id];
  struct estimate self = model_estimate(listing->model, amount);
  fprintf(listing->out, "%8u%8u", id + 1, thread->tid);
  text_time(listing->out, listing->unit, self.ns, 10);
  text_uncertainty(listing->out, listing->unit, self, 10);
  fprintf(listing->out, "%10" PRIu64, amount.ticks);
  if (some_lack_ticks(listing)) text_time(listing->out, listing->unit, thread->unsampled_ns, 12);
  fputs("  ", listing->out);
  text_name(listing->out, thread->name, 0);
  uint32_t function = thread_function(listing->model->profile, id);
  if (function != NOTHING) {
    fputs(": ", listing->out);
    listing_name(listing, function, listing_name_width(listing, 50 + strlen(thread->name)));
  }
  print_process_of(listing, thread);
  if (thread->owners > 1) fprintf(listing->out, " (%u threads, one after another)", thread->owners);
  fputc('\n', listing->out);
}

/* Time that is no thread's. */
__attribute__((format(printf, 3, 4))) static void
print_beside(const struct listing *listing, uint64_t ns, const char *format, ...) {
  va_list arguments;
  if (!ns) return;
  fprintf(listing->out, "%16s", "");
  text_time(listing->out, listing->unit, ns, 10);
  fprintf(listing->out, "%*s", some_lack_ticks(listing) ? 34 : 22, "");
  va_start(arguments, format);
  vfprintf(listing->out, format, arguments);
  va_end(arguments);
  fputc('\n', listing->out);
}

/* With it the sum is the CPU time that the head tells. */
static void print_rest_of_time(const struct listing *listing) {
  const struct books *books = &listing->model->books;
  if (!is_cpu_time(listing) || model_is_part(listing->model)) return;
  uint64_t known = 0;
  for (size_t i = 0; i < listing->model->profile->thread_count; i++)
    known += listing->model->profile->threads[i].unsampled_ns;
  uint64_t unsampled = books->unsampled_ns > known ? books->unsampled_ns - known : 0;
  const uint64_t times[UNATTRIBUTED_KINDS] = {
      [UNATTRIBUTED_KERNEL] = books->kernel_ns,
      [UNATTRIBUTED_UNSAMPLED] = unsampled,
      [UNATTRIBUTED_PROFILER] = books_ns(books, books->profiler) + books->handlers_ns,
      [UNATTRIBUTED_DROPPED] = books_ns(books, books->dropped)};
  for (int kind = 0; kind < UNATTRIBUTED_KINDS; kind++)
    print_beside(listing, times[kind], "%s", unattributed_of(books, kind).name);
  print_beside(listing, books->user_ns + books->system_ns, "all CPU time");
}

void listing_threads(const struct listing *listing) {
  const struct profile *profile = listing->model->profile;
  bool asked = asked_for(listing, REPORT_THREADS);
  uint32_t *order = memory_zeroed(profile->thread_count, sizeof *order);
  size_t count = 0, most = most_shown(listing, asked);
  bool lacking = some_lack_ticks(listing);
  for (size_t i = 0; i < profile->thread_count; i++)
    if (costs_thread_selected(profile, &listing->model->options->selection, i) &&
        (profile->threads[i].ticks || !profile->interval.to_ns))
      order[count++] = (uint32_t)i;
  qsort_r(order, count, sizeof *order, more_time_first, listing->model->costs);
  title(listing, "Threads");
  listing_dim(listing);
  fprintf(listing->out,
          "  thread     tid      self        +-     ticks%s  name: first function\n"
          "%26s%10s%*s\n",
          lacking ? " not sampled" : "", listing->unit.name, listing->unit.name, lacking ? 22 : 0,
          lacking ? listing->unit.name : "");
  listing_plain(listing);
  for (size_t i = 0; i < count && i < most; i++) {
    print_thread(listing, order[i]);
    if (asked) print_spawners(listing, &profile->threads[order[i]]);
  }
  struct amount more = {0};
  for (size_t i = most; i < count; i++)
    more = amount_sum(more, listing->model->costs->thread_self[order[i]]);
  if (count > most)
    print_beside(listing, books_ns(&listing->model->books, more),
                 "in %zu more threads (--limit all)", count - most);
  if (asked) print_rest_of_time(listing);
  free(order);
}
