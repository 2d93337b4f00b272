#include "report/live_top.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/unattributed.h"
#include "base/map.h"
#include "report/listing.h"
#include "report/thread_function.h"

/* Of a function or a thread. */
struct figures {
  struct amount self, total;
  uint64_t calls;
};

/* As the report before has them. */
struct remembered {
  struct figures figures;
  uint64_t report; /* the last one that has the name */
  uint64_t same;   /* others that have it there, too */
};

struct live_top {
  struct pool *names; /* that identify functions and threads from one profile to the next */
  struct map known;   /* by address, and number among those of one name -> place in `remembered` */
  struct remembered *remembered;
  size_t count;
  uint64_t reports;   /* so far, with the one that is made */
  struct books books; /* the same of the whole */
  double tick_ns;     /* what a tick stands for, on average since the start */
};

struct live_top *live_top_open(void) {
  struct live_top *top = memory_zeroed(1, sizeof *top);
  top->names = pool_create();
  return top;
}

void live_top_close(struct live_top *top) {
  if (!top) return;
  pool_free(top->names);
  map_free(&top->known);
  free(top->remembered);
  free(top);
}

/* ---- since the report before ---- */

static uint64_t less(uint64_t whole, uint64_t part) {
  return part < whole ? whole - part : 0;
}

/* All ticks weigh the same: times since the start are scaled anew with each profile, and their
 * differences would be of that, too. */
static struct amount amount_since(const struct live_top *top, struct amount now,
                                  struct amount before) {
  uint64_t ticks = less(now.ticks, before.ticks);
  return (struct amount){ticks, (uint64_t)(top->tick_ns * ticks + 0.5)};
}

/* Its place in `remembered`; `same`: its number among those of the name. */
static uint32_t find_place(struct live_top *top, const char *key, uint64_t same) {
  uint32_t at = map_find_or_add(&top->known, (uintptr_t)key, same, (uint32_t)top->count);
  if (at < top->count) return at;
  ARRAY_GROW(top->remembered, top->count);
  top->remembered[top->count++] = (struct remembered){0};
  return at;
}

/* Returns what was added, and remembers what there is now. */
static struct figures figures_since(struct live_top *top, const char *name, struct figures now) {
  const char *key = pool_string(top->names, name);
  uint32_t at = find_place(top, key, 0);
  struct remembered *first = &top->remembered[at];
  first->same = first->report == top->reports ? first->same + 1 : 0;
  first->report = top->reports;
  if (first->same) at = find_place(top, key, first->same);
  struct figures before = top->remembered[at].figures;
  top->remembered[at].figures = now;
  return (struct figures){amount_since(top, now.self, before.self),
                          amount_since(top, now.total, before.total),
                          less(now.calls, before.calls)};
}

/* `self`: the sum of what functions had. */
static void books_since(const struct live_top *top, const struct books *now, struct amount self,
                        struct books *since) {
  const struct books *before = &top->books;
  *since = *now;
  since->user_ns = less(now->user_ns, before->user_ns);
  since->system_ns = less(now->system_ns, before->system_ns);
  since->sampled_ns = less(now->sampled_ns, before->sampled_ns);
  since->kernel_ns = less(now->kernel_ns, before->kernel_ns);
  since->unsampled_ns = less(now->unsampled_ns, before->unsampled_ns);
  since->handlers_ns = less(now->handlers_ns, before->handlers_ns);
  since->profiler = amount_since(top, now->profiler, before->profiler);
  since->dropped = amount_since(top, now->dropped, before->dropped);
  since->calls = less(now->calls, before->calls);
  since->squares = now->squares > before->squares ? now->squares - before->squares : 0;
  since->all = amount_sum(self, amount_sum(since->profiler, since->dropped));
}

/* ---- a report ---- */

struct live_report {
  struct live_top *top;
  struct listing listing;
  const struct live_moment *moment;
  struct figures *functions, *threads; /* since the report before */
  struct books since;
};

/* What tells functions apart in a profile (builder.c); the text is the caller's. */
static char *function_key(const struct profile *profile, const struct profile_function *function) {
  const char *object = function->object == NOTHING ? "" : profile->objects[function->object].path;
  return memory_printed("%s\n%s\n%s\n%s\n%" PRIu32 " %" PRIu32 "\n%d", object, function->name,
                        function->linkage ? function->linkage : "",
                        function->file ? function->file : "", function->line, function->column,
                        (int)function->kind);
}

static void find_functions(struct live_report *report) {
  const struct profile *profile = report->listing.model->profile;
  const struct costs *costs = report->listing.model->costs;
  report->functions = memory_zeroed(profile->function_count, sizeof *report->functions);
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct function_cost *cost = &costs->functions[i];
    char *name = function_key(profile, &profile->functions[i]);
    report->functions[i] =
        figures_since(report->top, name,
                      (struct figures){cost->self, cost->total, cost->calls + cost->recursive});
    free(name);
  }
}

/* A thread keeps its place among those of its process, though another one may follow it there. */
static void find_threads(struct live_report *report) {
  const struct profile *profile = report->listing.model->profile;
  const struct costs *costs = report->listing.model->costs;
  report->threads = memory_zeroed(profile->thread_count, sizeof *report->threads);
  for (size_t i = 0, first = 0; i < profile->thread_count; i++) {
    const struct profile_process *process = &profile->processes[profile->threads[i].process];
    if (profile->threads[i].process != profile->threads[first].process) first = i;
    char *name =
        memory_printed("\n%u %" PRIu64 " %zu", process->pid, process->started_ns, i - first);
    report->threads[i] =
        figures_since(report->top, name, (struct figures){.self = costs->thread_self[i]});
    free(name);
  }
}

static void find_whole(struct live_report *report) {
  const struct books *now = &report->listing.model->books;
  struct amount self = {0};
  for (size_t i = 0; i < report->listing.model->profile->function_count; i++)
    self = amount_sum(self, report->functions[i].self);
  books_since(report->top, now, self, &report->since);
  report->top->books = *now;
}

/* ---- its lines ---- */

static bool has_since(const struct live_report *report) {
  return report->moment->elapsed_ns != 0;
}

static bool has_times(const struct live_report *report) {
  return report->listing.model->books.sampled_ns && report->listing.model->books.all.raw_ns;
}

static bool has_calls(const struct live_report *report) {
  return report->listing.model->books.calls;
}

static void print_head(struct live_report *report) {
  struct listing *listing = &report->listing;
  const struct books *books = &listing->model->books, *since = &report->since;
  const struct live_moment *moment = report->moment;
  char whole[DURATION_BYTES], text[COST_BYTES];
  uint64_t total = books->user_ns + books->system_ns, now = since->user_ns + since->system_ns;
  text_name(listing->out, listing->model->run.command, listing_name_width(listing, 0));
  fprintf(listing->out, "\nCPU time %s", duration_text(total, whole));
  if (moment->age_ns) fprintf(listing->out, " in %s", duration_text(moment->age_ns, whole));
  fputs(" since the start", listing->out);
  if (has_since(report)) {
    fprintf(listing->out, "; %s in the last ", duration_text(now, whole));
    fprintf(listing->out, "%s (%.0f %% of a core)", duration_text(moment->elapsed_ns, whole),
            text_share(now, moment->elapsed_ns));
  }
  fprintf(listing->out, "\n%zu process%s, %zu thread%s; profiling cost %s\n",
          listing->model->run.processes, listing->model->run.processes == 1 ? "" : "es",
          listing->model->profile->thread_count,
          listing->model->profile->thread_count == 1 ? "" : "s",
          cost_text(books_profiler_ns(books), total, text));
  if (listing_drops(listing, "dropped: ")) fputc('\n', listing->out);
  const char *lack = run_lack(&listing->model->run);
  if (lack) fprintf(listing->out, "%s\n", lack);
}

static void print_heading(const struct live_report *report) {
  const struct listing *listing = &report->listing;
  bool times = has_times(report), since = has_since(report), calls = has_calls(report);
  int wide = (times ? 2 * UNCERTAIN_SHARE_COLUMNS : 0) + (calls ? 14 : 0);
  char last[DURATION_BYTES + 16] = "", elapsed[DURATION_BYTES];
  snprintf(last, sizeof last, "   in the last %s",
           duration_text(report->moment->elapsed_ns, elapsed));
  listing_bold(listing);
  if (since) fprintf(listing->out, "%-*s", wide, last);
  fprintf(listing->out, "   since the start\n");
  for (int i = since ? 0 : 1; i < 2; i++)
    fprintf(listing->out, "%s%s", times ? "   self %       total %    " : "",
            calls ? "         calls" : "");
  listing_plain(listing);
  fputc('\n', listing->out);
}

static void print_share(const struct live_report *report, const struct books *books, bool known,
                        struct amount amount) {
  const struct listing *listing = &report->listing;
  if (!has_times(report)) return;
  if (known && books->all.raw_ns)
    text_uncertain_share(listing->out, books_estimate(books, amount), books_whole_ns(books),
                         listing->columns.uncertainty);
  else
    fprintf(listing->out, "%*s", UNCERTAIN_SHARE_COLUMNS, "-      ");
}

static void print_calls(const struct live_report *report, bool counted, uint64_t calls) {
  if (!has_calls(report)) return;
  if (counted)
    fprintf(report->listing.out, "%14" PRIu64, calls);
  else
    fprintf(report->listing.out, "%14s", "-");
}

/* Returns how many columns that took. */
static size_t print_both(const struct live_report *report, const struct figures *since,
                         struct figures now, bool total, bool counted) {
  const struct books *books = &report->listing.model->books;
  size_t columns =
      (has_times(report) ? 2 * UNCERTAIN_SHARE_COLUMNS : 0) + (has_calls(report) ? 14 : 0);
  if (has_since(report)) {
    print_share(report, &report->since, true, since->self);
    print_share(report, &report->since, total, since->total);
    print_calls(report, counted, since->calls);
  }
  print_share(report, books, true, now.self);
  print_share(report, books, total, now.total);
  print_calls(report, counted, now.calls);
  fputs("  ", report->listing.out);
  return columns * (has_since(report) ? 2 : 1) + 2;
}

static void print_function(const struct live_report *report, uint32_t function) {
  const struct listing *listing = &report->listing;
  const struct function_cost *cost = &listing->model->costs->functions[function];
  size_t used = print_both(report, &report->functions[function],
                           (struct figures){cost->self, cost->total, cost->calls + cost->recursive},
                           model_has_total(listing->model, function),
                           listing->model->profile->functions[function].kind == FUNCTION_COUNTED);
  listing_name(listing, function, listing_name_width(listing, used));
  fputc('\n', listing->out);
}

/* Time that no function has, where it is a hundredth of either whole. */
static void print_rest(const struct live_report *report, enum unattributed_kind kind) {
  const struct listing *listing = &report->listing;
  const struct books *both[] = {&report->since, &listing->model->books};
  bool much = false;
  for (int i = has_since(report) ? 0 : 1; i < 2; i++)
    much |= text_share(unattributed_of(both[i], kind).time.ns, books_whole_ns(both[i])) >= 1;
  if (!much || !has_times(report)) return;
  for (int i = has_since(report) ? 0 : 1; i < 2; i++) {
    text_uncertain_share(listing->out, unattributed_of(both[i], kind).time, books_whole_ns(both[i]),
                         listing->columns.uncertainty);
    fprintf(listing->out, "%*s", UNCERTAIN_SHARE_COLUMNS + (has_calls(report) ? 14 : 0), "");
  }
  fprintf(listing->out, "  %s\n", unattributed_of(&listing->model->books, kind).name);
}

static int by_cost(const void *left, const void *right, void *context) {
  const struct live_report *report = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  const struct figures *since_a = &report->functions[a], *since_b = &report->functions[b];
  const struct function_cost *all = report->listing.model->costs->functions;
  const uint64_t keys[][2] = {{since_a->self.ticks, since_b->self.ticks},
                              {all[a].self.raw_ns, all[b].self.raw_ns},
                              {all[a].total.raw_ns, all[b].total.raw_ns},
                              {since_a->calls, since_b->calls},
                              {all[a].calls + all[a].recursive, all[b].calls + all[b].recursive}};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (keys[i][0] != keys[i][1]) return keys[i][0] > keys[i][1] ? -1 : 1;
  return (a > b) - (a < b);
}

static void print_functions(struct live_report *report) {
  const struct report_model *model = report->listing.model;
  size_t count = model->function_count, bytes = count * sizeof(uint32_t);
  uint32_t *order = memory_zeroed(count, sizeof *order);
  if (count) memcpy(order, model->by_total, bytes);
  qsort_r(order, count, sizeof *order, by_cost, report);
  print_heading(report);
  for (size_t i = 0; i < count && i < report->moment->functions; i++)
    print_function(report, order[i]);
  print_rest(report, UNATTRIBUTED_KERNEL);
  print_rest(report, UNATTRIBUTED_UNSAMPLED);
  free(order);
}

static int by_thread_cost(const void *left, const void *right, void *context) {
  const struct live_report *report = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  const struct amount *all = report->listing.model->costs->thread_self;
  if (report->threads[a].self.ticks != report->threads[b].self.ticks)
    return report->threads[a].self.ticks > report->threads[b].self.ticks ? -1 : 1;
  if (all[a].raw_ns != all[b].raw_ns) return all[a].raw_ns > all[b].raw_ns ? -1 : 1;
  return (a > b) - (a < b);
}

static void print_thread(const struct live_report *report, uint32_t id) {
  const struct listing *listing = &report->listing;
  const struct profile *profile = listing->model->profile;
  const struct profile_thread *thread = &profile->threads[id];
  if (has_since(report)) print_share(report, &report->since, true, report->threads[id].self);
  print_share(report, &listing->model->books, true, listing->model->costs->thread_self[id]);
  fprintf(listing->out, "  %u ", thread->tid);
  text_name(listing->out, thread->name, 0);
  uint32_t function = thread_function(profile, id);
  if (function != NOTHING) {
    fputs(": ", listing->out);
    size_t used = (has_since(report) ? 2 : 1) * UNCERTAIN_SHARE_COLUMNS + strlen(thread->name) + 12;
    listing_name(listing, function, listing_name_width(listing, used));
  }
  fputc('\n', listing->out);
}

static void print_threads(struct live_report *report) {
  const struct profile *profile = report->listing.model->profile;
  if (profile->thread_count < 2 || !has_times(report)) return;
  uint32_t *order = memory_zeroed(profile->thread_count, sizeof *order);
  for (size_t i = 0; i < profile->thread_count; i++)
    order[i] = (uint32_t)i;
  qsort_r(order, profile->thread_count, sizeof *order, by_thread_cost, report);
  listing_bold(&report->listing);
  fprintf(report->listing.out, "%s   start %%        thread\n",
          has_since(report) ? "    last %    " : "");
  listing_plain(&report->listing);
  for (size_t i = 0; i < profile->thread_count && i < report->moment->threads; i++)
    print_thread(report, order[i]);
  if (profile->thread_count > report->moment->threads)
    fprintf(report->listing.out, "  and %zu more\n",
            profile->thread_count - report->moment->threads);
  free(order);
}

void live_top_print(struct live_top *top, const struct profile *profile,
                    const struct live_moment *moment, const struct terminal *terminal, FILE *out) {
  static const struct report_options whole = {.selection.thread = NOTHING};
  struct live_report report = {.top = top, .moment = moment};
  top->reports++;
  listing_open(&report.listing, profile, &whole, terminal, out);
  const struct amount *all = &report.listing.model->books.all;
  top->tick_ns = all->ticks ? (double)all->raw_ns / all->ticks : 0;
  find_functions(&report);
  find_threads(&report);
  find_whole(&report);
  print_head(&report);
  print_functions(&report);
  print_threads(&report);
  free(report.functions);
  free(report.threads);
  listing_close(&report.listing);
}
