/* Processes and threads, where there are several. */
#include <stdlib.h>

#include "report/listing.h"

enum { LISTED = 6 }; /* without --limit */

static size_t shown(const struct listing *listing, size_t count) {
  size_t limit = listing->options->limit ? listing->options->limit : LISTED;
  return count < limit ? count : limit;
}

static int more_cpu_first(const void *left, const void *right, void *context) {
  const struct profile *profile = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  const struct profile_process *of_a = &profile->processes[a], *of_b = &profile->processes[b];
  uint64_t cpu_a = of_a->cpu_user_ns + of_a->cpu_system_ns;
  uint64_t cpu_b = of_b->cpu_user_ns + of_b->cpu_system_ns;
  if (cpu_a != cpu_b) return cpu_a > cpu_b ? -1 : 1;
  return (a > b) - (a < b);
}

static int more_time_first(const void *left, const void *right, void *context) {
  const struct costs *costs = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  uint64_t of_a = costs->thread_self[a].raw_ns, of_b = costs->thread_self[b].raw_ns;
  if (of_a != of_b) return of_a > of_b ? -1 : 1;
  return (a > b) - (a < b);
}

static uint32_t *numbers(size_t count) {
  uint32_t *list = memory_zeroed(count, sizeof *list);
  for (size_t i = 0; i < count; i++)
    list[i] = i;
  return list;
}

static void print_process(const struct listing *listing, const struct profile_process *process) {
  fprintf(listing->out, "%8u", process->pid);
  text_time(listing->out, listing->unit, process->cpu_user_ns, 10);
  text_time(listing->out, listing->unit, process->cpu_system_ns, 10);
  fputs("  ", listing->out);
  text_name(listing->out, process->command[0] ? process->command : process->executable,
            listing_name_width(listing, 30));
  fputc('\n', listing->out);
}

void listing_processes(const struct listing *listing) {
  const struct profile *profile = listing->profile;
  size_t count = profile->process_count, most = shown(listing, count);
  uint32_t *order = numbers(count);
  qsort_r(order, count, sizeof *order, more_cpu_first, (void *)profile);
  fputc('\n', listing->out);
  listing_bold(listing);
  fputs("Processes\n", listing->out);
  listing_plain(listing);
  listing_dim(listing);
  fprintf(listing->out, "     pid      user    system  command\n          %8s  %8s\n",
          listing->unit.name, listing->unit.name);
  listing_plain(listing);
  for (size_t i = 0; i < most; i++)
    print_process(listing, &profile->processes[order[i]]);
  if (most < count) fprintf(listing->out, "%zu more processes (--limit all)\n", count - most);
  free(order);
}

static void print_thread(const struct listing *listing, uint32_t id) {
  const struct profile_thread *thread = &listing->profile->threads[id];
  struct estimate self = listing_estimate(listing, listing->costs->thread_self[id]);
  fprintf(listing->out, "%8u%8u", id + 1, thread->tid);
  text_time(listing->out, listing->unit, self.ns, 10);
  text_uncertainty(listing->out, listing->unit, self.ns, self.uncertainty_ns, 10);
  fputs("  ", listing->out);
  text_name(listing->out, thread->name, 0);
  if (thread->start_function != NOTHING) {
    fputs(": ", listing->out);
    listing_name(listing, thread->start_function, listing_name_width(listing, 56));
  }
  if (thread->owners > 1) fprintf(listing->out, " (%u threads, one after another)", thread->owners);
  fputc('\n', listing->out);
}

void listing_threads(const struct listing *listing) {
  size_t count = listing->profile->thread_count, most = shown(listing, count);
  uint32_t *order = numbers(count);
  qsort_r(order, count, sizeof *order, more_time_first, listing->costs);
  fputc('\n', listing->out);
  listing_bold(listing);
  fputs("Threads\n", listing->out);
  listing_plain(listing);
  listing_dim(listing);
  fprintf(listing->out,
          "  thread     tid      self        +-  name: first function\n"
          "                  %8s  %8s\n",
          listing->unit.name, listing->unit.name);
  listing_plain(listing);
  for (size_t i = 0; i < most; i++)
    print_thread(listing, order[i]);
  if (most < count) fprintf(listing->out, "%zu more threads (--limit all)\n", count - most);
  free(order);
}
