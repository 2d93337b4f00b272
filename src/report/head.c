/* The head of every report: what was run, what profiling cost, what is missing. */
#include <inttypes.h>
#include <string.h>

#define ASCRIBE_RUNTIME /* the version only */
#include "ascribe/host.h"
#include "attribution/heap_costs.h"
#include "attribution/interval.h"
#include "base/base_name.h"
#include "base/begins.h"
#include "profile/drops.h"
#include "recording/reader.h"
#include "report/listing.h"

void listing_label(const struct listing *listing, const char *name) {
  listing_dim(listing);
  fprintf(listing->out, "%-11s", name);
  listing_plain(listing);
}

/* What is known by time. */
static void print_interval_kinds(const struct listing *listing) {
  const struct profile *profile = listing->model->profile;
  const char *kinds[3];
  size_t count = 0;
  bool waits = false;
  for (size_t i = 0; i < profile->metric_count; i++)
    waits |= profile->metrics[i].kind == METRIC_WAITING;
  if (waits) kinds[count++] = "waiting";
  if (heap_metric_of(profile, HEAP_ALLOCATIONS) != NOTHING) kinds[count++] = "allocations";
  if (profile->centres && profile->centres->slice_entry_count)
    kinds[count++] = "entries of cost centres";
  fputs("ticks", listing->out);
  for (size_t i = 0; i < count; i++)
    fprintf(listing->out, "%s%s", i + 1 < count ? ", " : " and ", kinds[i]);
}

/* Part of the run only. */
static void print_interval(const struct listing *listing) {
  const struct profile *profile = listing->model->profile;
  char from[DURATION_BYTES], to[DURATION_BYTES];
  if (!profile->interval.to_ns) return;
  listing_label(listing, "interval");
  fprintf(listing->out, "%s to %s%s: ",
          profile->interval.from_ns ? duration_text(profile->interval.from_ns, from) : "0 s",
          duration_text(interval_last(profile), to), profile->run_count ? " of each run" : "");
  print_interval_kinds(listing);
  fputs("; calls are not known by time\n", listing->out);
}

static void print_run(const struct listing *listing) {
  const struct run *run = &listing->model->run;
  char date[DATE_BYTES], duration[DURATION_BYTES];
  listing_label(listing, "command");
  listing_bold(listing);
  text_name(listing->out, run->command, listing_name_width(listing, 11));
  listing_plain(listing);
  fputc('\n', listing->out);
  if (listing->model->profile->run_count) {
    listing_label(listing, "runs");
    listing_merged_head(listing);
    return;
  }
  listing_label(listing, "recorded");
  uint64_t wall = run->ended_ns > run->started_ns ? run->ended_ns - run->started_ns : 0;
  fprintf(listing->out, "%s", date_text(run->started_ns, date));
  if (run->host[0]) {
    fputs(" on ", listing->out);
    text_name(listing->out, run->host, 0);
  }
  fprintf(listing->out, ", %s, %zu process%s", duration_text(wall, duration), run->processes,
          run->processes == 1 ? "" : "es");
  if (run->processes != listing->model->profile->process_count)
    fprintf(listing->out, " that ran %zu programs", listing->model->profile->process_count);
  fprintf(listing->out, ", %zu thread%s\n", listing->model->profile->thread_count,
          listing->model->profile->thread_count == 1 ? "" : "s");
}

/* Where ticks are of user code only, the kernel's part is what they leave, as uncertain as they. */
static const char *system_text(const struct books *books, char text[ESTIMATE_BYTES]) {
  if (!books->kernel_ns || books->events || !books->all.ticks)
    return duration_text(books->system_ns, text);
  return estimate_text(books->system_ns, books_kernel_estimate(books).uncertainty_ns, text);
}

/* What the figures of functions are shares of: tick handlers are in the CPU time, but not part of
 * the program. */
static void print_whole(const struct listing *listing) {
  const struct books *books = &listing->model->books;
  char whole[DURATION_BYTES], total[DURATION_BYTES];
  duration_text(books_whole_ns(books), whole);
  duration_text(books->user_ns + books->system_ns, total);
  bool user_only = books->kernel_ns != 0;
  bool less = books->handlers_ns && !listing->model->wait_costs && strcmp(whole, total) != 0;
  if (books->events || model_is_of_waiting(listing->model) || (!user_only && !less)) return;
  listing_label(listing, "");
  if (less) fprintf(listing->out, "100 %% is %s, without tick handlers", whole);
  if (user_only)
    fprintf(listing->out,
            "%sfunctions have user time only (record --perf as root samples the kernel)",
            less ? "; " : "");
  fputc('\n', listing->out);
}

static void print_cpu(const struct listing *listing) {
  const struct books *books = &listing->model->books;
  char total[DURATION_BYTES], user[DURATION_BYTES], system[ESTIMATE_BYTES], part[DURATION_BYTES];
  listing_label(listing, "CPU time");
  fprintf(listing->out, "%s: %s user, %s system",
          duration_text(books->user_ns + books->system_ns, total),
          duration_text(books->user_ns, user), system_text(books, system));
  if (books->unsampled_ns && !model_is_of_waiting(listing->model))
    fprintf(listing->out, "; %s not sampled (%s)", duration_text(books->unsampled_ns, part),
            listing->model->run.rate_hz ? "processes without a tick, blocked or lost ticks"
                                        : "no ticks were asked for");
  if (books->paused_ns)
    fprintf(listing->out, "; %s more in pauses, not recorded",
            duration_text(books->paused_ns, part));
  if (books->unknown_ns)
    fprintf(listing->out, "; %s more was not recorded (%s; exec and exit of others)",
            duration_text(books->unknown_ns, part), run_unrecorded(&listing->model->run));
  fputc('\n', listing->out);
  print_whole(listing);
}

/* CPU timers come with the kernel's own ticks: a rhythm of the same length keeps step with them. */
static void print_beat(const struct listing *listing) {
  if (listing->model->run.tick_source != TICK_TIMER || !listing->model->books.all.ticks) return;
  listing_label(listing, "");
  fputs("these ticks follow the kernel's clock: work repeated every few ms may be off by more than "
        "+-\n",
        listing->out);
}

/* The books of all threads together, where they were looked at while they waited. */
static void print_lives(const struct listing *listing) {
  const struct books *books = &listing->model->books;
  char lived[DURATION_BYTES], cpu[DURATION_BYTES], ready[DURATION_BYTES], waited[DURATION_BYTES];
  if (!books->looked_ns) return;
  listing_label(listing, "threads");
  fprintf(listing->out,
          "lived %s in all: %s on a processor, %s waiting for one, %s waiting for anything else\n",
          duration_text(books->lived_ns, lived),
          duration_text(books->user_ns + books->system_ns, cpu),
          duration_text(books->ready_ns, ready), duration_text(books->waited_ns, waited));
}

/* Why there are no times. */
static const char *silence(const struct listing *listing) {
  enum { TICKS_TO_EXPECT = 10 };
  if (listing->model->books.sampled_ns + listing->model->books.unsampled_ns <
      TICKS_TO_EXPECT * listing->model->run.period_ns)
    return listing->model->wait_costs ? "too little CPU time" : "the run was too short for times";
  return "none arrived";
}

static void print_clock(const struct listing *listing) {
  const struct run *run = &listing->model->run;
  const struct books *books = &listing->model->books;
  listing_label(listing, "clock");
  if (model_is_of_waiting(listing->model)) {
    fprintf(listing->out, "%" PRIu64 " look%s from outside at threads that waited\n",
            books->all.ticks, books->all.ticks == 1 ? "" : "s");
    return;
  }
  if (profile_metric(listing->model->profile)->kind == METRIC_HEAP) {
    uint64_t mean = heap_mean(listing->model->profile);
    char bytes[QUANTITY_BYTES];
    if (begins(profile_metric(listing->model->profile)->name,
               heap_metric_name(HEAP_OF_CLOSURES, HEAP_ALLOCATIONS)))
      fputs("none: the language host told of every closure\n", listing->out);
    else if (mean)
      fprintf(listing->out, "one sample of %s that were allocated, on average\n",
              quantity_text("bytes", mean, bytes));
    else
      fputs("none: every allocation and every free was recorded\n", listing->out);
    return;
  }
  if (profile_metric(listing->model->profile)->kind == METRIC_MESSAGES) {
    fputs("none: every call of MPI was recorded\n", listing->out);
    return;
  }
  if (books->measured && !books->events) {
    fputs("cycle counter, read at every call and return: times include waiting\n", listing->out);
    return;
  }
  if (run->tick_source == TICK_NONE) {
    fputs("none: only counts are known", listing->out);
    if (run->tick_errno)
      fprintf(listing->out, " (perf_event refused: %s)", strerror((int)run->tick_errno));
    fputc('\n', listing->out);
    return;
  }
  if (run->tick_source == TICK_HOST && books->measured) {
    fprintf(listing->out,
            "none: the language host's clock was read at every change of context (%" PRIu64
            " times)\n",
            books->all.ticks);
    return;
  }
  fprintf(listing->out, "%" PRIu64 " tick%s (samples) of %s", books->all.ticks,
          books->all.ticks == 1 ? "" : "s", clock_text(run->tick_source));
  if (books->events) fprintf(listing->out, " %s", model_unit(listing->model));
  if (books->events && books->measured) fputs(", one for each", listing->out);
  if (run->rate_hz) fprintf(listing->out, ", at %u Hz", run->rate_hz);
  if (run_rate_allowed(run))
    fprintf(listing->out, ", %u allowed (half of kernel.perf_event_max_sample_rate)",
            run_rate_allowed(run));
  if (run->tick_errno)
    fprintf(listing->out, " (perf_event refused: %s)", strerror((int)run->tick_errno));
  if (run->lost_ticks)
    fprintf(listing->out, "; %" PRIu64 " more were due and merged with them", run->lost_ticks);
  if (!books->all.ticks)
    fprintf(listing->out, ": %s, only %s known", silence(listing),
            listing->model->wait_costs ? "waiting (--metric waiting) and counts are"
                                       : "counts are");
  fputc('\n', listing->out);
  print_beat(listing);
}

/* Their names alone, on lines of up to 100 characters. */
static void name_other_metrics(const struct listing *listing) {
  enum { LABEL = 11, WIDTH = 100, COMMA = 2 };
  const struct profile *profile = listing->model->profile;
  size_t used = LABEL;
  listing_label(listing, "--metric");
  for (uint32_t i = 0, named = 0; i < profile->metric_count; i++) {
    const char *name = profile->metrics[i].name;
    if (i == profile->metric) continue;
    fputs(named ? "," : "other: ", listing->out);
    used += named ? COMMA + strlen(name) : strlen("other: ") + strlen(name);
    if (named++) {
      fputs(used < WIDTH ? " " : "\n           ", listing->out);
      if (used >= WIDTH) used = LABEL + strlen(name);
    }
    text_name(listing->out, name, 0);
  }
  fputc('\n', listing->out);
}

void listing_other_metrics(const struct listing *listing) {
  enum { WITH_FIGURES = 4 };
  const struct profile *profile = listing->model->profile;
  if (profile->metric_count > WITH_FIGURES + 1) {
    name_other_metrics(listing);
    return;
  }
  for (uint32_t i = 0; i < profile->metric_count; i++) {
    struct profile view = metric_view(profile, i);
    const char *name = view.metrics[i].name, *unit = view.metrics[i].unit;
    struct books books;
    char whole[QUANTITY_BYTES];
    if (i == profile->metric) continue;
    books_make(&view, &books);
    bool is_counted = unit && strcmp(unit, name) == 0; /* "42 page-faults" */
    listing_label(listing, "");
    fputs("besides ", listing->out);
    if (!is_counted) text_name(listing->out, name, 0);
    fprintf(listing->out, "%s%s (--metric ", is_counted ? "" : ": ",
            quantity_text(unit, books.sampled_ns, whole));
    text_name(listing->out, name, 0);
    fputs(")\n", listing->out);
  }
}

static void print_events(const struct listing *listing) {
  const struct books *books = &listing->model->books;
  char whole[QUANTITY_BYTES];
  if (!books->events) return;
  listing_label(listing, "measured");
  bool of_calls = metric_is_of_calls(profile_metric(listing->model->profile));
  bool is_host = listing->model->run.tick_source == TICK_HOST;
  bool of_time = of_calls && !model_unit(listing->model);
  fprintf(listing->out,
          of_time ? "%s of wall time in calls of MPI%s; percentages are shares of it\n"
                  : "%s%s; all figures but CPU time are in these\n",
          quantity_text(model_unit(listing->model), books->sampled_ns, whole),
          of_calls  ? ""
          : is_host ? ", as the host counted them"
                    : ", as the kernel counted them");
  listing_other_metrics(listing);
}

/* A recorder outside has its own CPU time; the kernel's work for each tick is in the program's. */
static void print_recorder(const struct listing *listing) {
  const struct books *books = &listing->model->books;
  uint64_t total = books->user_ns + books->system_ns;
  char cost[COST_BYTES];
  listing_label(listing, books->looked_ns ? "" : "profiling");
  fprintf(listing->out, "%s in the recorder, in addition to the program's CPU time\n",
          cost_text((struct range){books->recorder_ns, books->recorder_ns}, total, cost));
}

/* What else the program takes because of profiling is not measured: memory that allocations'
 * records displace from caches, and what the compiler could not do. */
static bool costs_more(const struct listing *listing) {
  size_t processes;
  struct profile_heap sums = heap_sums(listing->model->profile, &processes);
  return (sums.recorded && !sums.mean) || listing->model->run.hooks & HOOKS_SOURCE;
}

/* What profiling leaves of the CPU time, where that is another figure. */
static void print_program(const struct listing *listing) {
  const struct books *books = &listing->model->books;
  struct range charged = books_charged_ns(books);
  char part[RANGE_BYTES];
  bool differs = charged.low < (books->user_ns + books->system_ns) / 100 * 99;
  bool unknown = !books->measured && books->all.ticks;
  if (!differs && !unknown) return;
  listing_label(listing, "");
  if (differs && costs_more(listing))
    fprintf(listing->out, "the program alone takes less than %s%s",
            duration_text(charged.high, part), unknown ? "; " : "");
  else if (differs)
    fprintf(listing->out, "the program alone took %s%s",
            range_text(charged.low, charged.high, part), unknown ? "; " : "");
  if (unknown)
    fputs("the kernel's work for each tick is unknown, and counts as the program's", listing->out);
  fputc('\n', listing->out);
}

static void print_cost(const struct listing *listing) {
  const struct books *books = &listing->model->books;
  struct estimate measured = model_estimate(listing->model, books->profiler);
  uint64_t total = books->user_ns + books->system_ns;
  char cost[COST_BYTES], ticks[ESTIMATE_BYTES], part[RANGE_BYTES];
  listing_label(listing, "profiling");
  fprintf(listing->out, "%s: %s in tick handlers", cost_text(books_profiler_ns(books), total, cost),
          duration_text(books->handlers_ns, part));
  if ((listing->model->run.hooks || measured.ns) && !books->events) {
    fprintf(listing->out, ", %s in the rest of the runtime",
            estimate_text(measured.ns, measured.uncertainty_ns, ticks));
    if (books->hooks.high)
      fprintf(listing->out, ", %s in inline hooks (calibrated; part of their functions' self time)",
              range_text(books->hooks.low, books->hooks.high, part));
  }
  fputc('\n', listing->out);
  print_program(listing);
  if (listing->model->run.hooks & HOOKS_SOURCE) {
    listing_label(listing, "");
    fputs("--expressions also prevents some optimizations, at a cost that is not known\n",
          listing->out);
  }
}

/* The share in percent of stacks that end with this function of FUNCTION_CUT. */
static double cut_share(const struct listing *listing, const char *name) {
  const struct report_model *model = listing->model;
  struct amount cut = {0};
  for (size_t i = 0; i < model->profile->function_count; i++)
    if (model->profile->functions[i].kind == FUNCTION_CUT &&
        strcmp(model->profile->functions[i].name, name) == 0)
      cut = model->costs->functions[i].total;
  return cut.raw_ns ? text_share(books_ns(&model->books, cut), model->books.sampled_ns) : 0;
}

static void print_stacks(const struct listing *listing) {
  if (!listing->model->costs->line_total) return;
  double cut = cut_share(listing, CUT_STACK), haskell = cut_share(listing, CUT_HASKELL);
  listing_label(listing, "stacks");
  bool of_messages = profile_metric(listing->model->profile)->kind == METRIC_MESSAGES;
  fputs(of_messages ? "recorded with every call of MPI, " : "sampled with every tick, ",
        listing->out);
  if (cut > 0)
    fprintf(listing->out, "cut off for %.2f %% of the time (some callers unknown)\n", cut);
  else
    fprintf(listing->out, "%s complete\n", haskell > 0 ? "those of C" : "all");
  if (!(haskell > 0)) return;
  listing_label(listing, "Haskell");
  fprintf(listing->out,
          "compiled code keeps its callers on a stack of its own: they are unknown for %.2f %% of "
          "the time\n",
          haskell);
}

static void print_calls(const struct listing *listing) {
  char hooks[HOOKS_TEXT_BYTES];
  if (!listing->model->run.hooks && !listing->model->books.calls) return;
  hooks_text(listing->model->run.hooks, hooks);
  listing_label(listing, "calls");
  /* How libraries were built is not recorded, only how the program was. */
  if (listing->model->books.calls)
    fprintf(listing->out, "%" PRIu64 ", counted by %s\n", listing->model->books.calls,
            listing->model->run.hooks ? hooks : "hooks of libraries");
  else
    fprintf(listing->out, "none counted, by %s\n", hooks);
}

/* The part of the CPU time that no function has, because its ticks are lost. */
static void print_dropped_time(const struct listing *listing) {
  const struct books *books = &listing->model->books;
  char part[DURATION_BYTES];
  if (!books->dropped.raw_ns || books->events || model_is_of_waiting(listing->model)) return;
  fprintf(listing->out, " (%s of the CPU time)",
          duration_text(books_ns(books, books->dropped), part));
}

bool listing_drops(const struct listing *listing, const char *before) {
  bool any = false;
  for (int kind = 0; kind < DROP_KINDS; kind++) {
    uint64_t count = listing->model->run.drops[kind];
    if (!count) continue;
    fprintf(listing->out, "%s%" PRIu64 " %s", any ? ", " : before, count,
            count == 1 ? drop_names[kind].one : drop_names[kind].several);
    if (kind == DROP_TICKS) print_dropped_time(listing);
    any = true;
  }
  return any;
}

static void print_drops(const struct listing *listing) {
  listing_label(listing, "dropped");
  fputs(listing_drops(listing, "") ? "\n" : "nothing\n", listing->out);
  const char *lack = run_lack(&listing->model->run);
  if (!lack) return;
  listing_label(listing, "");
  fprintf(listing->out, "%s\n", lack);
}

static void note_uncounted(const struct listing *listing) {
  enum { SHOWN = 5 };
  const struct profile *profile = listing->model->profile;
  size_t count = 0;
  for (size_t i = 0; i < profile->object_count; i++) {
    const struct profile_object *object = &profile->objects[i];
    if (!object->uncounted || ++count > SHOWN) continue;
    listing_label(listing, "uncounted");
    text_name(listing->out, object->path, 0);
    fprintf(listing->out, " has hooks, but no call was counted: %s\n", object->uncounted);
  }
  if (count <= SHOWN) return;
  listing_label(listing, "uncounted");
  fprintf(listing->out, "and %zu more objects (--json names them)\n", count - SHOWN);
}

static size_t count_hindered(const struct profile *profile, uint32_t by) {
  size_t count = 0;
  for (size_t i = 0; i < profile->process_count; i++)
    count += (profile->processes[i].hindrances & by) != 0;
  return count;
}

#define ONE_HANDLES " has signal handlers on an alternate stack"
#define SEVERAL_HANDLE "es have signal handlers on alternate stacks"

/* Versions are told by the one that is read here. */
#define TEXT_OF(number) #number
#define DIGITS_OF(number) TEXT_OF(number)
#define ONE_HOST " has a language host whose program is not recorded, since its ascribe/host.h is"
#define SEVERAL_HOSTS                                                                              \
  "es have language hosts whose programs are not recorded, since their ascribe/host.h is"
#define HOST_HEADER " than version " DIGITS_OF(ASCRIBE_HOST_VERSION)

static void note_hindrances(const struct listing *listing) {
  static const struct {
    enum hindrance by;
    const char *one, *several, *rest;
  } notes[] = {
      {HINDRANCE_CONFINED, " forbade system calls to itself",
       "es forbade system calls to themselves",
       " (seccomp): threads, processes and libraries that came later may be missing"},
      {HINDRANCE_STOPPED, "", "es", " could not be sampled afterwards (rt_sigreturn is blocked)"},
      {HINDRANCE_TAKEN, " took the signal of the ticks by a system call of its own",
       "es took the signal of the ticks by a system call of their own",
       ", so ticks are missing here; record --perf sends no signals"},
      {HINDRANCE_HELD, ONE_HANDLES, SEVERAL_HANDLE,
       ": ticks there know their function, but not the functions between it and the interrupted "
       "code"},
      {HINDRANCE_UNTICKED, ONE_HANDLES, SEVERAL_HANDLE,
       ": their time is charged to the code that they interrupted"},
      {HINDRANCE_THREADS, " has a pthread_create of its own",
       "es have a pthread_create of their own",
       ": threads that it makes may be missing, and calls that they make"},
      {HINDRANCE_ENTRIES, " entered cost centres from more than 8160 places",
       "es entered cost centres from more than 8160 places",
       " in one thread: when that was is not known"},
      {HINDRANCE_NO_MAPS, "", "es",
       " could not read /proc/self/maps: the names of code, and counts, may be missing"},
      {HINDRANCE_HOST_OLDER, ONE_HOST " older" HOST_HEADER, SEVERAL_HOSTS " older" HOST_HEADER,
       ": build it again with the header of this Ascribe"},
      {HINDRANCE_HOST_NEWER, ONE_HOST " newer" HOST_HEADER, SEVERAL_HOSTS " newer" HOST_HEADER,
       ": update ascribe"},
      {HINDRANCE_CLOCK, " has a language host whose clock went back",
       "es have language hosts whose clocks went back",
       ": what it counted between the last change of context and then is missing"},
      {HINDRANCE_FLOW, " has more than 200,000 possible calls",
       "es have more than 200,000 possible calls",
       " in counted code: callers are unknown; --contexts measures them"}};
  for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
    size_t count = count_hindered(listing->model->profile, notes[i].by);
    if (!count) continue;
    listing_label(listing, "note");
    fprintf(listing->out, "%zu process%s%s\n", count, count == 1 ? notes[i].one : notes[i].several,
            notes[i].rest);
  }
}

static void note_signals(const struct listing *listing) {
  const struct profile *profile = listing->model->profile;
  for (size_t i = 0; i < profile->process_count; i++) {
    int signal = (int)profile->processes[i].end_signal;
    if (!signal) continue;
    char name[SIGNAL_BYTES];
    listing_label(listing, "note");
    fprintf(listing->out, "process %" PRIu32 " was ended by %s\n", profile->processes[i].pid,
            signal_text(signal, name));
  }
}

/* Of `ascribe csc`: trace points have no columns. */
static bool has_procedures(const struct profile *profile) {
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct profile_function *function = &profile->functions[i];
    if (function->object == NOTHING || !function->column) continue;
    const struct profile_object *object = &profile->objects[function->object];
    if (object->kind == OBJECT_WORLD && strcmp(object->path, "CHICKEN") == 0) return true;
  }
  return false;
}

/* Its code calls by continuations: the C stack says nothing of who called whom. */
static void note_chicken(const struct listing *listing) {
  static const char library[] = "libchicken.so";
  const struct profile *profile = listing->model->profile;
  bool is_linked = false, is_traced = false;
  for (size_t i = 0; i < profile->object_count; i++) {
    const struct profile_object *object = &profile->objects[i];
    is_traced |= object->kind == OBJECT_WORLD && strcmp(object->path, "CHICKEN") == 0;
    is_linked |= strncmp(base_name(object->path), library, strlen(library)) == 0;
  }
  if (!is_linked && !is_traced) return;
  listing_label(listing, "CHICKEN");
  fputs(has_procedures(profile) && profile->possible_call_count
            ? "callers follow from counts, and total times from their ratio: `ascribe csc` without "
              "--counts measures both\n"
        : has_procedures(profile)
            ? "procedures of `ascribe csc` are counted in their contexts; what eval runs is not\n"
        : is_traced
            ? "a trace point has the time until the next one; what eval runs has none\n"
            : "no trace points: code run by csi or eval, or compiled with -no-trace or -d0, "
              "has none, and "
              "the stacks are not of Scheme's callers\n",
        listing->out);
}

/* Which Scheme's: a program that Chez ran, or the one that it is. */
static bool runs_chez(const struct profile *profile) {
  static const char *const names[] = {"chezscheme", "petite", "scheme"};
  for (size_t i = 0; i < profile->process_count; i++)
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
      if (strcmp(base_name(profile->processes[i].executable), names[k]) == 0) return true;
  return false;
}

static void note_chez(const struct listing *listing) {
  const struct profile *profile = listing->model->profile;
  bool is_counted = false;
  for (size_t i = 0; i < profile->object_count; i++)
    is_counted |= profile->objects[i].kind == OBJECT_WORLD &&
                  strcmp(profile->objects[i].path, "Chez Scheme") == 0;
  if (!is_counted && !runs_chez(profile)) return;
  listing_label(listing, "Chez");
  fputs(!is_counted
            ? "Scheme's own procedures are not told apart: record `ascribe scheme` with the same "
              "arguments\n"
        : profile->possible_call_count
            ? "callers follow from counts, and total times from their ratio: --contexts measures "
              "both\n"
            : "what was compiled elsewhere is charged to the procedure that called it\n",
        listing->out);
  for (size_t i = 0; is_counted && i < profile->process_count; i++) {
    const struct profile_process *process = &profile->processes[i];
    if (process->end != PROCESS_END_UNKNOWN && !process->end_signal) continue;
    listing_label(listing, "");
    fputs("it was killed: counts are those of its last collection\n", listing->out);
    break;
  }
}

static void print_notes(const struct listing *listing) {
  const struct profile *profile = listing->model->profile;
  size_t damaged = 0, killed = 0, running = 0;
  for (size_t i = 0; i < profile->process_count; i++) {
    damaged += profile->processes[i].truncated != 0;
    killed += profile->processes[i].end == PROCESS_END_UNKNOWN &&
              !(profile->processes[i].hindrances & HINDRANCE_NARROW);
    running += profile->processes[i].end == PROCESS_END_RUNNING;
  }
  if (damaged) {
    listing_label(listing, "note");
    fprintf(listing->out, "the recording of %zu process%s is incomplete: figures are too low\n",
            damaged, damaged == 1 ? "" : "es");
  }
  if (running) {
    listing_label(listing, "note");
    fprintf(listing->out, "%zu process%s still running at the end of the recording\n", running,
            running == 1 ? " was" : "es were");
  }
  if (killed) {
    listing_label(listing, "note");
    fprintf(listing->out,
            "%zu process%s without exit: killed, still running, or gone on as a program that was "
            "not recorded\n",
            killed, killed == 1 ? " ended" : "es ended");
  }
  note_signals(listing);
  note_hindrances(listing);
  note_uncounted(listing);
  note_chicken(listing);
  note_chez(listing);
  listing_symbol_notes(listing);
}

void listing_head(const struct listing *listing) {
  print_run(listing);
  print_interval(listing);
  print_cpu(listing);
  print_lives(listing);
  print_clock(listing);
  print_events(listing);
  listing_heap_sums(listing->model->profile, listing->out);
  bool of_calls = metric_is_of_calls(profile_metric(listing->model->profile));
  if (!of_calls && (!listing->model->books.recorder_ns || listing->model->books.looked_ns))
    print_cost(listing);
  if (listing->model->books.recorder_ns) print_recorder(listing);
  print_calls(listing);
  listing_equations(listing);
  print_stacks(listing);
  listing_coverage(listing);
  print_drops(listing);
  print_notes(listing);
  if (model_is_part(listing->model)) {
    listing_label(listing, "only");
    listing_selection(listing);
  }
}
