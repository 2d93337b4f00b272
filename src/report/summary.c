/* What `ascribe record` prints when the program has ended. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_name.h"
#include "report/listing.h"
#include "report/summary_top.h"
#include "report/terminal.h"

enum { TOP_FUNCTIONS = 5, FILE_WIDTH = 100 };

/* All of it, without colours. */
static void open_whole(struct listing *listing, const struct profile *profile, FILE *out) {
  static const struct report_options whole = {.selection.thread = NOTHING};
  unsigned width = terminal_of(out).width;
  const struct terminal terminal = {.width = width ? width : FILE_WIDTH};
  listing_open(listing, profile, &whole, &terminal, out);
}

static void print_top_wall(const struct listing *listing) {
  uint32_t *order = model_sorted(listing->model, SORT_SELF);
  uint64_t unseen = listing->model->wait_books.unsampled_ns;
  uint64_t whole = model_whole_ns(listing->model);
  for (size_t i = 0; i < listing->model->listed_count && i < TOP_FUNCTIONS; i++) {
    struct estimate cpu =
        model_estimate(listing->model, listing->model->costs->functions[order[i]].self);
    struct estimate waiting = books_estimate(&listing->model->wait_books,
                                             listing->model->wait_costs->functions[order[i]].self);
    if (!cpu.ns && !waiting.ns) continue;
    char cpu_text[ESTIMATE_BYTES], waiting_text[ESTIMATE_BYTES];
    fprintf(listing->out, "  %5.1f %%  CPU %-21s waiting %-21s ",
            text_share(cpu.ns + waiting.ns, whole),
            estimate_text(cpu.ns, cpu.uncertainty_ns, cpu_text),
            estimate_text(waiting.ns, waiting.uncertainty_ns, waiting_text));
    listing_name(listing, order[i], listing_name_width(listing, 68));
    fputc('\n', listing->out);
  }
  if (unseen >= (whole + 99) / 100)
    fprintf(listing->out, "  %5.1f %%  waiting that was not sampled\n", text_share(unseen, whole));
  free(order);
}

static void print_lives(const struct listing *listing) {
  const struct books *books = &listing->model->books;
  char lived[DURATION_BYTES], ready[DURATION_BYTES], waited[DURATION_BYTES];
  if (!books->looked_ns) return;
  fprintf(listing->out,
          "threads lived %s in all, %s of it waiting for a processor and %s waiting for anything "
          "else\n",
          duration_text(books->lived_ns, lived), duration_text(books->ready_ns, ready),
          duration_text(books->waited_ns, waited));
}

/* Some kernels let nobody but root look at a process that is no child. */
static void print_unseen(const struct listing *listing) {
  const struct profile *profile = listing->model->profile;
  size_t count = 0;
  uint32_t reason = 0;
  for (size_t i = 0; i < profile->process_count; i++) {
    if (!profile->processes[i].unseen_errno) continue;
    reason = profile->processes[i].unseen_errno;
    count++;
  }
  if (count)
    fprintf(listing->out,
            "where threads waited could not be seen in %zu process%s (%s): the program dropped or "
            "gained privileges, or kernel.yama.ptrace_scope is above 1\n",
            count, count == 1 ? "" : "es", strerror((int)reason));
}

/* Being refused is normal (containers, Debian's default): say so once, and what would help. */
static void print_refusal(const struct listing *listing) {
  const struct run *run = &listing->model->run;
  if (run->unmeasured_errno)
    fprintf(listing->out,
            "perf_event_open refused in the program (%s): nothing was measured there\n",
            strerror((int)run->unmeasured_errno));
  if (!run->tick_errno || run->tick_source == TICK_NONE) return;
  fprintf(
      listing->out,
      "perf_event_open refused (%s): ticks came from CPU timers, at the kernel's own rate; sudo "
      "sysctl kernel.perf_event_paranoid=2 allows more, unless this is a container\n",
      strerror((int)run->tick_errno));
}

static void print_slow_rate(const struct listing *listing) {
  uint32_t allowed = run_rate_allowed(&listing->model->run);
  if (allowed)
    fprintf(listing->out,
            "kernel.perf_event_max_sample_rate allows %u ticks a second, not %u: sudo sysctl "
            "kernel.perf_event_max_sample_rate=%u\n",
            allowed, listing->model->run.rate_hz, 2 * listing->model->run.rate_hz);
}

/* Objects with hooks of which nothing was counted: perhaps a mistake in the build. */
static void print_uncounted(const struct listing *listing) {
  enum { SHOWN = 3 };
  const struct profile *profile = listing->model->profile;
  size_t count = 0;
  for (size_t i = 0; i < profile->object_count; i++) {
    const struct profile_object *object = &profile->objects[i];
    if (!object->uncounted || ++count > SHOWN) continue;
    fputs(count == 1 ? "has hooks, but no call was counted: " : ", ", listing->out);
    text_name(listing->out, base_name(object->path), 0);
  }
  if (count > SHOWN) fprintf(listing->out, " and %zu more", count - SHOWN);
  if (count) fputs("; ascribe report gives possible reasons\n", listing->out);
}

#define WORTH_LOOKING_NS 10000000 /* else there would be some ticks at most */

static void print_signals(const struct listing *listing) {
  const struct profile *profile = listing->model->profile;
  char name[SIGNAL_BYTES];
  for (size_t i = 0; i < profile->process_count; i++) {
    int signal = (int)profile->processes[i].end_signal;
    if (!signal) continue;
    text_name(listing->out, profile->processes[i].executable, 0);
    fprintf(listing->out, " was ended by %s\n", signal_text(signal, name));
  }
}

/* Where it is much, the functions are the smaller part of what there is to know. */
static void print_kernel(const struct listing *listing) {
  const struct books *books = &listing->model->books;
  double percent = text_share(books->kernel_ns, books_whole_ns(books));
  if (percent > 10 && books->kernel_ns >= WORTH_LOOKING_NS && !books->events &&
      !listing->model->wait_costs)
    fprintf(listing->out,
            "%.0f %% of the time was spent in the kernel, which was not sampled: record --perf"
            " as root shows where\n",
            percent);
}

static void print_event(const struct listing *listing) {
  char measured[QUANTITY_BYTES];
  bool waiting = model_is_of_waiting(listing->model);
  fprintf(listing->out, "%s%s in all; most in%s\n",
          quantity_text(model_unit(listing->model), listing->model->books.sampled_ns, measured),
          waiting ? " of waiting" : "",
          listing->model->books.measured ? "" : " (95 % uncertainty)");
}

/* Of --event with several. */
static void print_other_events(const struct profile *profile, FILE *out) {
  for (uint32_t i = 1; i < profile->metric_count; i++) {
    struct profile view = metric_view(profile, i);
    struct listing listing;
    open_whole(&listing, &view, out);
    print_event(&listing);
    summary_top(&listing);
    listing_close(&listing);
  }
}

void report_summary(const struct profile *profile, FILE *out) {
  struct listing listing;
  open_whole(&listing, profile, out);
  const struct books *books = &listing.model->books;
  uint64_t total = books->user_ns + books->system_ns;
  struct range cost = books_profiler_ns(books);
  char whole[DURATION_BYTES], user[DURATION_BYTES], system[DURATION_BYTES], text[COST_BYTES];
  fprintf(out, "CPU time %s (%s user, %s system)", duration_text(total, whole),
          duration_text(books->user_ns, user), duration_text(books->system_ns, system));
  if (listing.model->run.tick_source != TICK_HOST)
    fprintf(out, ", %" PRIu64 " %s", books->all.ticks,
            books->all.ticks == 1 ? "tick (sample)" : "ticks (samples)");
  if (books->calls)
    fprintf(out, ", %" PRIu64 " %s", books->calls, books->calls == 1 ? "call" : "calls");
  else if (listing.model->run.hooks)
    fputs(", no calls known", out);
  fputc('\n', out);
  listing_programs(&listing);
  print_signals(&listing);
  print_lives(&listing);
  listing_heap_sums(profile, out);
  cost.low += books->recorder_ns;
  cost.high += books->recorder_ns;
  fprintf(out, "profiling cost %s%s", cost_text(cost, total, text),
          books->looked_ns     ? ", recorder included"
          : books->recorder_ns ? " in the recorder, in addition to the program's CPU time"
                               : "");
  if (!books->measured && books->all.ticks && !books->recorder_ns)
    fputs(", plus the kernel's work for each tick", out);
  fputc('\n', out);
  if (listing_drops(&listing, "dropped: ")) fputc('\n', out);
  const char *lack = run_lack(&listing.model->run);
  if (lack) fprintf(out, "%s\n", lack);
  if (books->paused_ns)
    fprintf(out,
            "not recorded: %s of CPU time in pauses (before --delay, after --duration, stopped)\n",
            duration_text(books->paused_ns, text));
  if (books->unknown_ns)
    fprintf(out, "not recorded: %s of CPU time of %s, and of exec and exit\n",
            duration_text(books->unknown_ns, text), run_unrecorded(&listing.model->run));
  print_refusal(&listing);
  print_slow_rate(&listing);
  print_unseen(&listing);
  print_uncounted(&listing);
  if (listing.model->run.hooks & HOOKS_PG)
    fputs("the -pg programs that were recorded write no gmon.out: their calls are in the profile\n",
          out);
  if (books->events)
    print_event(&listing);
  else if (books->all.ticks || listing.model->wait_costs)
    fputs("most time was spent in (95 % uncertainty)\n", out);
  else
    fputs(listing.model->run.hooks ? "no ticks, so times are unknown; most called\n"
                                   : "no ticks, so times are unknown\n",
          out);
  if (listing.model->wait_costs)
    print_top_wall(&listing);
  else if (books->all.ticks || listing.model->run.hooks)
    summary_top(&listing);
  print_kernel(&listing);
  if (books->events) print_other_events(profile, out);
  listing_close(&listing);
}

void report_merged_summary(const struct profile *profile, FILE *out) {
  struct listing listing;
  open_whole(&listing, profile, out);
  char whole[QUANTITY_BYTES];
  fprintf(out, "%zu runs: %s in all, %" PRIu64 " ticks, %" PRIu64 " calls; most was spent in\n",
          profile->run_count,
          quantity_text(model_unit(listing.model), listing.model->books.sampled_ns, whole),
          listing.model->books.all.ticks, listing.model->books.calls);
  summary_top(&listing);
  listing_close(&listing);
}

void report_imported_summary(const struct profile *profile, FILE *out) {
  struct listing listing;
  open_whole(&listing, profile, out);
  listing_imported_head(&listing);
  fputs("most was spent in\n", out);
  summary_top(&listing);
  listing_close(&listing);
}
