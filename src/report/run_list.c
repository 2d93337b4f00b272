/* The runs that were merged, and how functions vary from run to run; the same of the ranks of a
 * parallel job, with which of them has the most. */
#include "attribution/run_costs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/message_list.h"
#include "report/rank_list.h"
#include "report/spread_list.h"

enum { LISTED_RUNS = 12, LISTED_FUNCTIONS = 20, NAME_COLUMN = 106, RANKS_COLUMN = 88 };

/* ---- runs ---- */

static bool is_time(const struct listing *listing) {
  return !model_unit(listing->model);
}

static void print_run(const struct listing *listing, const struct run_rank *ranks,
                      uint32_t number) {
  const struct profile_run *run = &listing->model->profile->runs[number];
  char date[DATE_BYTES];
  uint64_t amount = is_time(listing) && !listing->model->profile->origin.format
                        ? run->user_ns + run->system_ns
                        : run->sampled_ns;
  spread_number_of(listing, ranks, number);
  fprintf(listing->out, "  %19s", run->started_ns ? date_text(run->started_ns, date) : "-");
  text_time(listing->out, listing->unit, amount, 10);
  fprintf(listing->out, "%10" PRIu64, run->ticks);
  if (run->calls)
    fprintf(listing->out, "%13" PRIu64 "  ", run->calls);
  else
    fprintf(listing->out, "%13s  ", "-");
  text_name(listing->out, run->command, listing_name_width(listing, 61));
  if (run->host[0]) {
    fputs(" on ", listing->out);
    text_name(listing->out, run->host, 0);
  }
  fputc('\n', listing->out);
}

static int compare_ranks(const void *a, const void *b, void *ranks) {
  const uint32_t runs[] = {*(const uint32_t *)a, *(const uint32_t *)b};
  const struct run_rank *list = ranks, *first = &list[runs[0]], *second = &list[runs[1]];
  int jobs = strcmp(first->job ? first->job : "", second->job ? second->job : "");
  if (jobs) return jobs;
  if (first->known != second->known) return first->known ? -1 : 1;
  if (first->rank != second->rank) return first->rank < second->rank ? -1 : 1;
  return runs[0] < runs[1] ? -1 : 1;
}

/* Runs in their order; ranks by job and number. */
static uint32_t *runs_in_order(const struct listing *listing, struct run_rank *ranks) {
  size_t count = listing->model->profile->run_count;
  uint32_t *order = memory_zeroed(count, sizeof *order);
  for (size_t i = 0; i < count; i++)
    order[i] = i;
  if (ranks) qsort_r(order, count, sizeof *order, compare_ranks, ranks);
  return order;
}

/* Ranks from one number to before another. */
static void print_gap(const struct listing *listing, bool *said, uint32_t from, uint32_t to) {
  if (from >= to) return;
  fprintf(listing->out, "%s%" PRIu32, *said ? ", " : "not here: rank ", from);
  if (to - from > 1) fprintf(listing->out, " to %" PRIu32, to - 1);
  *said = true;
}

/* Which ranks of each job have no profile here: killed with their disk, or not copied. */
static void print_missing(const struct listing *listing, const struct run_rank *ranks,
                          const uint32_t *order) {
  enum { GAPS_SHOWN = 20 };
  size_t count = listing->model->profile->run_count, gaps = 0;
  for (size_t i = 0; i < count;) {
    const struct run_rank *first = &ranks[order[i]];
    bool said = false;
    uint32_t next = 0;
    for (; i < count && ranks[order[i]].job == first->job; i++) {
      const struct run_rank *rank = &ranks[order[i]];
      if (!rank->known) continue;
      if (rank->rank > next && gaps++ < GAPS_SHOWN) print_gap(listing, &said, next, rank->rank);
      next = rank->rank + 1;
    }
    if (first->known) print_gap(listing, &said, next, first->ranks);
    if (said && first->ranks) fprintf(listing->out, " of %" PRIu32, first->ranks);
    if (said && first->job) {
      fputs(" of job ", listing->out);
      text_name(listing->out, first->job, 0);
    }
    if (said) fputc('\n', listing->out);
  }
  if (gaps > GAPS_SHOWN) fprintf(listing->out, "and %zu more gaps\n", gaps - GAPS_SHOWN);
}

static void print_runs(const struct listing *listing, const struct run_rank *ranks,
                       const uint32_t *order) {
  size_t count = listing->model->profile->run_count;
  size_t limit = listing->model->options->limit ? listing->model->options->limit : LISTED_RUNS;
  fputc('\n', listing->out);
  listing_bold(listing);
  fputs(ranks ? "Ranks\n" : "Runs\n", listing->out);
  listing_plain(listing);
  listing_dim(listing);
  fprintf(listing->out,
          " %s             recorded  %8s     ticks        calls  command\n"
          "                             %7s\n",
          ranks ? "rank" : " run", is_time(listing) ? "CPU time" : "whole", listing->unit.name);
  listing_plain(listing);
  for (size_t i = 0; i < count && i < limit; i++)
    print_run(listing, ranks, order[i]);
  if (count > limit)
    fprintf(listing->out, "%zu more %s (--limit all)\n", count - limit, ranks ? "ranks" : "runs");
  if (ranks) print_missing(listing, ranks, order);
}

/* ---- functions ---- */

static bool has_calls(const struct listing *listing, const struct function_spread *function) {
  const struct profile *profile = listing->model->profile;
  return function->calls_known && !profile->calls_unknown &&
         function_is_counted(profile->functions[function->function].kind);
}

/* Counts are exact: any difference is the program's. */
static void print_calls(const struct listing *listing, const struct function_spread *function) {
  if (!has_calls(listing, function))
    fprintf(listing->out, "%12s ", "-");
  else
    fprintf(listing->out, "%12.0f%c", function->calls.mean, function->calls.deviation ? '*' : ' ');
}

static void print_function(const struct listing *listing, const struct function_spread *function) {
  spread_print(listing, &function->self);
  if (function->total_known)
    spread_print(listing, &function->total);
  else
    fprintf(listing->out, "%10s%10s %10s%10s", "-", "-", "-", "-");
  print_calls(listing, function);
  fputc(' ', listing->out);
  listing_name(listing, function->function, listing_name_width(listing, NAME_COLUMN));
  fprintf(listing->out, " [%u]\n", listing->model->index[function->function]);
}

static void print_of_ranks(const struct listing *listing, const struct run_rank *ranks,
                           const struct function_spread *function) {
  bool of_total = listing->model->options->sort == SORT_TOTAL;
  const struct run_spread *spread = of_total ? &function->total : &function->self;
  if (of_total && !function->total_known) {
    fprintf(listing->out, "%10s%10s %10s%10s%6s%22s", "-", "-", "-", "-", "-", "");
  } else {
    spread_print(listing, spread);
    fputc(' ', listing->out);
    if (spread->most)
      spread_number_of(listing, ranks, spread->most_run);
    else
      fprintf(listing->out, "%5s", "-");
    spread_print_imbalance(listing, &spread->imbalance);
  }
  print_calls(listing, function);
  fputc(' ', listing->out);
  listing_name(listing, function->function, listing_name_width(listing, RANKS_COLUMN));
  fprintf(listing->out, " [%u]\n", listing->model->index[function->function]);
}

static void print_ranks_heading(const struct listing *listing) {
  const char *unit = listing->unit.name;
  const char *what = listing->model->options->sort == SORT_TOTAL ? "total" : " self";
  fputc('\n', listing->out);
  listing_bold(listing);
  fprintf(listing->out, "How %zu ranks share the functions", listing->model->profile->run_count);
  if (!is_time(listing)) fprintf(listing->out, ", in %s", model_unit(listing->model));
  listing_plain(listing);
  fputs("\n*: they differ by more than sampling explains (99 %). Imbalance: most / mean, with its\n"
        "interval (95 %): from 1.00 on, sampling alone may be the reason\n",
        listing->out);
  listing_dim(listing);
  fprintf(listing->out,
          "     %s deviation      least      most  rank    imbalance (95 %%)       calls  name\n"
          "   %7s   %7s    %7s   %7s  with                         mean\n",
          what, unit, unit, unit, unit);
  listing_plain(listing);
}

static void print_heading(const struct listing *listing) {
  const char *unit = listing->unit.name;
  fputc('\n', listing->out);
  listing_bold(listing);
  fprintf(listing->out, "How functions vary over %zu runs", listing->model->profile->run_count);
  if (!is_time(listing)) fprintf(listing->out, ", in %s", model_unit(listing->model));
  listing_plain(listing);
  fputs("\n*: by more than sampling explains (99 %)\n", listing->out);
  listing_dim(listing);
  fprintf(listing->out,
          "      self deviation      least      most     total deviation      least      most"
          "       calls  name\n"
          "   %7s   %7s    %7s   %7s   %7s   %7s    %7s   %7s        mean\n",
          unit, unit, unit, unit, unit, unit, unit, unit);
  listing_plain(listing);
}

/* False: there would be no figure in its line. */
static bool has_figure(const struct listing *listing, const struct run_rank *ranks,
                       const struct function_spread *function) {
  bool of_total = ranks && listing->model->options->sort == SORT_TOTAL;
  return !of_total || function->total_known || has_calls(listing, function);
}

/* `ranks`: of those; null: of runs. */
static void print_spreads(const struct listing *listing, const struct run_rank *ranks) {
  size_t count, listed = 0, limit = listing->model->options->limit;
  if (!limit) limit = LISTED_FUNCTIONS;
  struct function_spread *list = runs_spread(listing->model->profile, &count);
  uint32_t *place = memory_zeroed(listing->model->profile->function_count, sizeof *place);
  uint32_t *order = model_sorted(listing->model, SORT_SELF);
  for (size_t i = 0; i < count; i++)
    place[list[i].function] = i + 1;
  ranks ? print_ranks_heading(listing) : print_heading(listing);
  for (size_t i = 0; i < listing->model->listed_count; i++) {
    if (!place[order[i]]) continue;
    const struct function_spread *function = &list[place[order[i]] - 1];
    if (!has_figure(listing, ranks, function)) continue;
    if (listed++ >= limit) continue;
    ranks ? print_of_ranks(listing, ranks, function) : print_function(listing, function);
  }
  if (listed > limit) fprintf(listing->out, "%zu more functions (--limit all)\n", listed - limit);
  free(list);
  free(place);
  free(order);
}

static void print_all(const struct listing *listing, struct run_rank *ranks) {
  const struct profile *profile = listing->model->profile;
  uint32_t *order = runs_in_order(listing, ranks);
  print_runs(listing, ranks, order);
  if (ranks) listing_nodes(listing, ranks, order);
  if (ranks && !profile->metric) listing_rank_groups(listing, ranks, order);
  free(order);
  print_spreads(listing, ranks);
  const struct profile_metric *metric = profile_metric(profile);
  const char *runs = ranks ? "ranks" : "runs";
  if (!profile->run_cost_count && profile->metrics[0].spread_count)
    fprintf(listing->out,
            "There are too many %s to keep what each function cost in each; only the spread is"
            " known\n",
            runs);
  if (!metric->spread_count && metric->tick_count)
    fprintf(listing->out,
            "How %slines and contexts vary over the %s is not known: this is a part of them, or was"
            " merged by an earlier version\n",
            profile->metric ? "functions, " : "", runs);
  listing_spreads(listing, ranks, SPREAD_OF_LINES);
  listing_spreads(listing, ranks, SPREAD_OF_CONTEXTS);
}

void listing_runs(const struct listing *listing) {
  if (listing->model->profile->run_count)
    print_all(listing, NULL);
  else
    fputs("\nRuns: one; ascribe merge makes a profile of several\n", listing->out);
}

static bool any_rank(const struct profile *profile, const struct run_rank *ranks) {
  for (size_t i = 0; i == 0 || i < profile->run_count; i++)
    if (ranks[i].known) return true;
  return false;
}

/* Whether some rank of a job has several runs. */
static bool are_repeated(const struct listing *listing, struct run_rank *ranks) {
  uint32_t *order = runs_in_order(listing, ranks);
  bool repeated = false;
  for (size_t i = 1; i < listing->model->profile->run_count; i++) {
    const struct run_rank *one = &ranks[order[i - 1]], *other = &ranks[order[i]];
    const char *job = one->job ? one->job : "", *other_job = other->job ? other->job : "";
    repeated |=
        one->known && other->known && one->rank == other->rank && strcmp(job, other_job) == 0;
  }
  free(order);
  return repeated;
}

void listing_ranks(const struct listing *listing) {
  const struct profile *profile = listing->model->profile;
  struct run_rank *ranks = runs_ranks(profile);
  if (!any_rank(profile, ranks))
    fputs(
        "\nRanks: none is known; record a parallel job with mpirun -n 4 ascribe record -- PROGRAM,"
        " and merge its profiles\n",
        listing->out);
  else if (are_repeated(listing, ranks))
    fputs("\nRanks: several runs of one rank were merged; --runs shows how runs differ\n",
          listing->out);
  else if (profile->run_count)
    print_all(listing, ranks);
  else
    fprintf(listing->out,
            "\nRanks: this is rank %" PRIu32 "; ascribe merge makes a profile of all\n",
            ranks[0].rank);
  free(ranks);
  listing_messages(listing);
}

void listing_merged_head(const struct listing *listing) {
  const struct profile *profile = listing->model->profile;
  char first[DATE_BYTES], last[DATE_BYTES];
  if (!profile->run_count) return;
  fprintf(listing->out, "%zu", profile->run_count);
  if (listing->model->run.started_ns)
    fprintf(listing->out, ", from %s to %s", date_text(listing->model->run.started_ns, first),
            date_text(listing->model->run.ended_ns, last));
  struct run_rank *ranks = runs_ranks(profile);
  fprintf(listing->out, "; --%s shows how they differ\n",
          any_rank(profile, ranks) ? "ranks" : "runs");
  free(ranks);
}
