/* The runs that were merged, and how functions vary from run to run. */
#include "attribution/run_costs.h"

#include <inttypes.h>
#include <stdlib.h>

#include "report/listing.h"

enum { LISTED_RUNS = 12, LISTED_FUNCTIONS = 20, NAME_COLUMN = 106 };

/* ---- runs ---- */

static bool is_time(const struct listing *listing) {
  return !model_unit(listing->model);
}

static void print_run(const struct listing *listing, size_t number) {
  const struct profile_run *run = &listing->model->profile->runs[number];
  char date[DATE_BYTES];
  uint64_t amount = is_time(listing) && !listing->model->profile->origin.format
                        ? run->user_ns + run->system_ns
                        : run->sampled_ns;
  fprintf(listing->out, "%5zu  %19s", number + 1,
          run->started_ns ? date_text(run->started_ns, date) : "-");
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

static void print_runs(const struct listing *listing) {
  size_t count = listing->model->profile->run_count;
  size_t limit = listing->model->options->limit ? listing->model->options->limit : LISTED_RUNS;
  fputc('\n', listing->out);
  listing_bold(listing);
  fputs("Runs\n", listing->out);
  listing_plain(listing);
  listing_dim(listing);
  fprintf(listing->out,
          "  run             recorded  %8s     ticks        calls  command\n"
          "                             %7s\n",
          is_time(listing) ? "CPU time" : "whole", listing->unit.name);
  listing_plain(listing);
  for (size_t i = 0; i < count && i < limit; i++)
    print_run(listing, i);
  if (count > limit) fprintf(listing->out, "%zu more runs (--limit all)\n", count - limit);
}

/* ---- spread ---- */

static void print_number(const struct listing *listing, double ns) {
  fprintf(listing->out, "%10.*f", listing->unit.digits, ns / listing->unit.ns);
}

/* The mark says that sampling does not explain the difference. */
static void print_spread(const struct listing *listing, const struct run_spread *spread) {
  print_number(listing, spread->mean);
  print_number(listing, spread->deviation);
  fputc(spread_is_real(spread, listing->model->profile->run_count) ? '*' : ' ', listing->out);
  print_number(listing, spread->least);
  print_number(listing, spread->most);
}

/* Counts are exact: any difference is the program's. */
static void print_calls(const struct listing *listing, const struct function_spread *function) {
  if (!function_is_counted(listing->model->profile->functions[function->function].kind))
    fprintf(listing->out, "%12s ", "-");
  else
    fprintf(listing->out, "%12.0f%c", function->calls.mean, function->calls.deviation ? '*' : ' ');
}

static void print_function(const struct listing *listing, const struct function_spread *function) {
  print_spread(listing, &function->self);
  if (function->total_known)
    print_spread(listing, &function->total);
  else
    fprintf(listing->out, "%10s%10s %10s%10s", "-", "-", "-", "-");
  print_calls(listing, function);
  fputc(' ', listing->out);
  listing_name(listing, function->function, listing_name_width(listing, NAME_COLUMN));
  fprintf(listing->out, " [%u]\n", listing->model->index[function->function]);
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

static void print_spreads(const struct listing *listing) {
  size_t count, shown = 0, limit = listing->model->options->limit;
  struct function_spread *list = runs_spread(listing->model->profile, &count);
  uint32_t *place = memory_zeroed(listing->model->profile->function_count, sizeof *place);
  uint32_t *order = model_sorted(listing->model, SORT_SELF);
  for (size_t i = 0; i < count; i++)
    place[list[i].function] = i + 1;
  print_heading(listing);
  for (size_t i = 0; i < listing->model->listed_count; i++) {
    if (!place[order[i]] || shown == (limit ? limit : LISTED_FUNCTIONS)) continue;
    print_function(listing, &list[place[order[i]] - 1]);
    shown++;
  }
  if (shown < count) fprintf(listing->out, "%zu more functions (--limit all)\n", count - shown);
  free(list);
  free(place);
  free(order);
}

void listing_runs(const struct listing *listing) {
  if (!listing->model->profile->run_count) {
    fputs("\nRuns: one; ascribe merge makes a profile of several\n", listing->out);
    return;
  }
  print_runs(listing);
  const struct profile *profile = listing->model->profile;
  if (!profile->metric)
    print_spreads(listing);
  else
    fprintf(listing->out, "\nHow functions vary is known of the first metric only, %s\n",
            profile->metrics[0].name);
}

void listing_merged_head(const struct listing *listing) {
  const struct profile *profile = listing->model->profile;
  char first[DATE_BYTES], last[DATE_BYTES];
  if (!profile->run_count) return;
  fprintf(listing->out, "%zu", profile->run_count);
  if (listing->model->run.started_ns)
    fprintf(listing->out, ", from %s to %s", date_text(listing->model->run.started_ns, first),
            date_text(listing->model->run.ended_ns, last));
  fputs("; --runs shows how they differ\n", listing->out);
}
