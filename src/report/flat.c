/* The flat profile. */
#include <inttypes.h>
#include <stdlib.h>

#include "report/columns.h"

enum { LEAST_ENTRIES = 10, MOST_ENTRIES = 40 };

static void print_heading(const struct listing *listing) {
  if (!listing->columns.cost) {
    listing_title_by_calls(listing, "Flat profile");
    listing_dim(listing);
    fprintf(listing->out, "%*s  name\n", listing->columns.count, "calls");
    listing_plain(listing);
    return;
  }
  listing_title(listing, "Flat profile");
  listing_dim(listing);
  column_shares_heading(listing);
  column_heading(listing, "self");
  column_heading(listing, "total");
  if (listing->columns.calls) fprintf(listing->out, "%*s", listing->columns.count, "calls");
  if (listing->columns.rates) fprintf(listing->out, " %8s", "self");
  if (listing->columns.rates && listing->columns.uncertainty) fprintf(listing->out, " %8s", "+-");
  fputs("  name\n", listing->out);
  column_shares_units(listing);
  column_units(listing);
  column_units(listing);
  if (listing->columns.rates) fprintf(listing->out, "%*s %8s", listing->columns.count, "", "/call");
  if (listing->columns.rates && listing->columns.uncertainty)
    fprintf(listing->out, " %8s", "/call");
  fputc('\n', listing->out);
  listing_plain(listing);
}

static void print_rates(const struct listing *listing, const char *self, const char *uncertainty) {
  if (!listing->columns.rates) return;
  fprintf(listing->out, " %8s", self);
  if (listing->columns.uncertainty) fprintf(listing->out, " %8s", uncertainty);
}

static void print_per_call(const struct listing *listing, struct estimate self, uint64_t calls) {
  char text[DURATION_BYTES], uncertainty[DURATION_BYTES];
  if (!calls || !self.ns) {
    print_rates(listing, "-", "-");
    return;
  }
  const char *unit = model_unit(listing->model);
  print_rates(listing, quantity_short_text(unit, (double)self.ns / calls, text),
              self.uncertainty_ns == UNCERTAINTY_UNKNOWN
                  ? "?"
                  : quantity_short_text(unit, (double)self.uncertainty_ns / calls, uncertainty));
}

static void print_no_calls(const struct listing *listing, const char *why) {
  if (listing->columns.calls) fprintf(listing->out, "%*s", listing->columns.count, why);
  print_rates(listing, "-", "-");
}

/* All its calls were inlined, in a program whose calls are counted. */
static bool is_gone_by_inlining(const struct listing *listing, uint32_t id) {
  return listing->columns.calls && listing->model->profile->functions[id].bodies == BODY_INLINED &&
         !costs_calls_known(listing->model->profile, listing->model->costs, id);
}

static void print_calls(const struct listing *listing, uint32_t id, struct estimate self) {
  const struct function_cost *cost = &listing->model->costs->functions[id];
  uint64_t calls = cost->calls + cost->recursive;
  if (!listing->columns.calls ||
      !costs_calls_known(listing->model->profile, listing->model->costs, id)) {
    print_no_calls(listing, is_gone_by_inlining(listing, id) ? "inlined" : "-");
    return;
  }
  fprintf(listing->out, "%*" PRIu64, listing->columns.count, calls);
  print_per_call(listing, self, calls);
}

static size_t name_column(const struct listing *listing) {
  return listing->columns.cost * (SHARES_WIDTH + 2 * column_width(listing)) +
         (size_t)(listing->columns.count * listing->columns.calls) +
         9 * listing->columns.rates * (1 + listing->columns.uncertainty) + 2;
}

static void print_cost(const struct listing *listing, uint32_t id, struct estimate self) {
  struct estimate total =
      model_estimate(listing->model, listing->model->costs->functions[id].total);
  bool known = model_has_total(listing->model, id);
  bool by_ratio = model_total_by_ratio(listing->model, id, &total.ns);
  column_shares(listing, self.ns, known || by_ratio ? &total.ns : NULL,
                books_whole_ns(&listing->model->books));
  column_estimate(listing, self);
  if (by_ratio)
    column_by_ratio(listing, total.ns);
  else
    known ? column_estimate(listing, total) : column_unknown(listing);
}

static void print_entry(const struct listing *listing, uint32_t id) {
  struct estimate self = model_estimate(listing->model, listing->model->costs->functions[id].self);
  if (listing->columns.cost) print_cost(listing, id, self);
  print_calls(listing, id, self);
  fputs("  ", listing->out);
  listing_entry_name(listing, id, name_column(listing));
}

/* Without a limit: the functions that make up 99 % of the time. */
static size_t entries_shown(const struct listing *listing, const uint32_t *order) {
  size_t limit = listing->model->options->limit;
  if (limit) return limit < listing->model->listed_count ? limit : listing->model->listed_count;
  uint64_t whole = listing->model->costs->self.raw_ns, sum = 0;
  size_t count = 0;
  while (count < listing->model->listed_count && count < MOST_ENTRIES &&
         (count < LEAST_ENTRIES || !whole || sum < whole / 100 * 99))
    sum += listing->model->costs->functions[order[count++]].self.raw_ns;
  return count;
}

static void print_rest(const struct listing *listing, const uint32_t *order, size_t shown) {
  struct amount rest = {0};
  for (size_t i = shown; i < listing->model->listed_count; i++)
    rest = amount_sum(rest, listing->model->costs->functions[order[i]].self);
  if (shown == listing->model->listed_count) return;
  if (!listing->columns.cost) {
    fprintf(listing->out, "%*s%zu more functions (--limit all)\n", listing->columns.count + 2, "",
            listing->model->listed_count - shown);
    return;
  }
  text_percent(listing->out, books_ns(&listing->model->books, rest),
               books_whole_ns(&listing->model->books), 6);
  fprintf(listing->out, " %% of the %s in %zu more functions (--limit all)\n",
          model_share(listing->model), listing->model->listed_count - shown);
}

static void print_unattributed(const struct listing *listing, const struct unattributed *part) {
  if (!part->time.ns && !part->ticks) return;
  column_shares(listing, part->time.ns, NULL, books_whole_ns(&listing->model->books));
  column_estimate(listing, part->time);
  column_unknown(listing);
  print_no_calls(listing, "-");
  fputs("  ", listing->out);
  text_start(listing->out, part->name, listing_name_width(listing, name_column(listing)));
  fputc('\n', listing->out);
}

/* Among functions: those with more than `ns`, once. */
static void print_rests(const struct listing *listing, struct unattributed *rests, uint64_t ns) {
  for (size_t i = 0; i <= UNATTRIBUTED_UNSAMPLED; i++) {
    if (rests[i].time.ns <= ns) continue;
    print_unattributed(listing, &rests[i]);
    rests[i].time.ns = 0;
  }
}

static bool is_by_self(const struct listing *listing) {
  return listing->model->options->sort == SORT_DEFAULT ||
         listing->model->options->sort == SORT_SELF;
}

static uint64_t self_ns(const struct listing *listing, uint32_t function) {
  return books_ns(&listing->model->books, listing->model->costs->functions[function].self);
}

/* The functions that --mine leaves out. */
static void print_others(const struct listing *listing) {
  struct amount others = {0};
  for (size_t i = 0; i < listing->model->function_count; i++)
    if (!model_lists(listing->model, listing->model->by_total[i]))
      others =
          amount_sum(others, listing->model->costs->functions[listing->model->by_total[i]].self);
  size_t count = listing->model->function_count - listing->model->listed_count;
  if (!count || !listing->columns.cost) return;
  text_percent(listing->out, books_ns(&listing->model->books, others),
               books_whole_ns(&listing->model->books), 6);
  fprintf(listing->out, " %% of the %s in %zu functions of libraries and the system (not --mine)\n",
          model_share(listing->model), count);
}

/* Once, where there is one. */
static void print_inlined_note(const struct listing *listing, const uint32_t *order, size_t shown) {
  bool any = false;
  for (size_t i = 0; i < shown && !any; i++)
    any = is_gone_by_inlining(listing, order[i]);
  if (any)
    fputs("inlined: calls that the compiler inlined were not counted; ascribe cc --expressions "
          "counts them\n",
          listing->out);
}

static void print_ratio_note(const struct listing *listing, const uint32_t *order, size_t shown) {
  uint64_t ns;
  bool any = false;
  for (size_t i = 0; i < shown && !any; i++)
    any = model_total_by_ratio(listing->model, order[i], &ns);
  if (any && listing->columns.cost)
    fputs("by ratio: if each call of a function takes as long as any other; --contexts measures "
          "total times, and then report --misled says where this is wrong\n",
          listing->out);
}

void listing_flat(const struct listing *listing) {
  if (listing->model->options->metric_count > 1) {
    listing_side_by_side(listing);
    return;
  }
  if (listing->model->wait_costs) {
    listing_wall(listing);
    return;
  }
  print_heading(listing);
  uint32_t *order = model_sorted(listing->model, SORT_SELF);
  size_t shown = entries_shown(listing, order);
  struct unattributed rests[UNATTRIBUTED_KINDS];
  for (int kind = 0; kind < UNATTRIBUTED_KINDS; kind++)
    rests[kind] = model_unattributed(listing->model, kind);
  for (size_t i = 0; i < shown; i++) {
    if (is_by_self(listing)) print_rests(listing, rests, self_ns(listing, order[i]));
    print_entry(listing, order[i]);
  }
  print_rest(listing, order, shown);
  print_others(listing);
  print_rests(listing, rests, 0);
  print_inlined_note(listing, order, shown);
  print_ratio_note(listing, order, shown);
  free(order);
  print_unattributed(listing, &rests[UNATTRIBUTED_PROFILER]);
  print_unattributed(listing, &rests[UNATTRIBUTED_DROPPED]);
}
