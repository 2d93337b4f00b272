#include "report/summary_top.h"

#include <inttypes.h>
#include <stdlib.h>

#include "attribution/own_code.h"
#include "attribution/unattributed.h"

enum { TOP_OWN = 6, TOP_OTHERS = 4 };

static bool counts_calls(const struct listing *listing) {
  return listing->model->run.hooks || listing->model->books.calls || listing->model->profile->given;
}

static bool has_times(const struct listing *listing) {
  return listing->model->books.sampled_ns && listing->model->books.all.raw_ns;
}

/* ---- which functions ---- */

/* Its time is that of one other function of the program's own, but for a fiftieth: it says nothing
 * new. */
static bool only_passes_on(const struct listing *listing, uint32_t function) {
  const struct function_cost *cost = &listing->model->costs->functions[function];
  uint64_t least = cost->total.raw_ns - cost->total.raw_ns / 50;
  if (cost->total.raw_ns - cost->self.raw_ns < least) return false;
  size_t first = listing->model->first_callee[function + 1],
         end = listing->model->first_callee[function + 2];
  for (size_t i = first; i < end; i++) {
    const struct arc_cost *arc = &listing->model->costs->arcs[listing->model->callees[i]];
    if (arc->callee != function && own_code(listing->model->profile, arc->callee) &&
        arc->out_self.raw_ns + arc->out_child.raw_ns >= least)
      return true;
  }
  return false;
}

static bool is_called_by_own(const struct listing *listing, uint32_t function) {
  size_t first = listing->model->first_caller[function],
         end = listing->model->first_caller[function + 1];
  for (size_t i = first; i < end; i++) {
    uint32_t caller = listing->model->costs->arcs[listing->model->callers[i]].caller;
    if (caller != NOTHING && own_code(listing->model->profile, caller)) return true;
  }
  return false;
}

/* A hundredth of the time; without times everything counts. */
static bool is_much(const struct listing *listing, struct amount amount) {
  return !has_times(listing) || amount.raw_ns >= listing->model->books.all.raw_ns / 100;
}

static struct amount self_of(const struct listing *listing, uint32_t function) {
  return listing->model->costs->functions[function].self;
}

static struct amount total_of(const struct listing *listing, uint32_t function) {
  return listing->model->costs->functions[function].total;
}

static bool own_by_self(const struct listing *listing, uint32_t function) {
  return own_code(listing->model->profile, function) &&
         is_much(listing, self_of(listing, function));
}

static bool own_by_total(const struct listing *listing, uint32_t function) {
  return has_times(listing) && own_code(listing->model->profile, function) &&
         model_has_total(listing->model, function) && total_of(listing, function).raw_ns &&
         !only_passes_on(listing, function);
}

static bool other_by_self(const struct listing *listing, uint32_t function) {
  return !own_code(listing->model->profile, function) &&
         is_much(listing, self_of(listing, function));
}

/* "std::sort", not all that runs below it. */
static bool other_by_total(const struct listing *listing, uint32_t function) {
  return has_times(listing) && !own_code(listing->model->profile, function) &&
         model_has_total(listing->model, function) &&
         is_much(listing, total_of(listing, function)) && is_called_by_own(listing, function);
}

/* Functions in an order, from the first on that was not looked at yet. */
struct candidates {
  uint32_t *order;
  size_t at;
  bool (*is_worth_a_line)(const struct listing *listing, uint32_t function);
};

struct top {
  uint32_t functions[TOP_OWN];
  size_t count;
};

static void add(struct top *top, uint32_t function) {
  for (size_t i = 0; i < top->count; i++)
    if (top->functions[i] == function) return;
  top->functions[top->count++] = function;
}

static void add_next(const struct listing *listing, struct top *top, struct candidates *from) {
  while (from->at < listing->model->function_count) {
    uint32_t function = from->order[from->at++];
    if (!from->is_worth_a_line(listing, function)) continue;
    add(top, function);
    return;
  }
}

/* From both in turns, `most` of them; those with more time first. */
static void choose(const struct listing *listing, struct candidates from[2], size_t most,
                   struct top *top) {
  size_t before;
  do {
    before = from[0].at + from[1].at;
    for (size_t i = 0; i < 2 && top->count < most; i++)
      add_next(listing, top, &from[i]);
  } while (from[0].at + from[1].at > before && top->count < most);
  if (has_times(listing))
    qsort_r(top->functions, top->count, sizeof *top->functions, model_compare_times,
            listing->model);
}

/* ---- their lines ---- */

enum { TIME_COLUMNS = 12, CALLS_COLUMNS = 20, FOR_TIMES = 90 };

static void print_share(const struct listing *listing, struct estimate estimate) {
  text_uncertain_share(listing->out, estimate, books_whole_ns(&listing->model->books),
                       listing->columns.uncertainty);
}

/* In a program without hooks nothing is counted. */
static void print_calls(const struct listing *listing, uint32_t function) {
  const struct function_cost *cost = &listing->model->costs->functions[function];
  uint64_t calls = cost->calls + cost->recursive;
  if (!counts_calls(listing)) return;
  if (listing->model->profile->functions[function].kind == FUNCTION_COUNTED)
    fprintf(listing->out, "%12" PRIu64 " call%s  ", calls, calls == 1 ? " " : "s");
  else if (listing->model->profile->functions[function].bodies == BODY_INLINED)
    fprintf(listing->out, "%18s  ", "inlined");
  else
    fprintf(listing->out, "%12s calls  ", "-");
}

/* There may be no room beside names. */
static size_t time_columns(const struct listing *listing) {
  return listing->terminal.width < FOR_TIMES ? 0 : TIME_COLUMNS;
}

static void print_time(const struct listing *listing, bool known, uint64_t ns) {
  char text[QUANTITY_BYTES];
  if (time_columns(listing))
    fprintf(listing->out, "%10s  ",
            known ? quantity_short_text(model_unit(listing->model), ns, text) : "-");
}

static void print_function(const struct listing *listing, uint32_t function) {
  const struct function_cost *cost = &listing->model->costs->functions[function];
  size_t used = counts_calls(listing) ? CALLS_COLUMNS : 0;
  if (has_times(listing)) {
    bool has_total = model_has_total(listing->model, function);
    struct estimate self = model_estimate(listing->model, cost->self);
    struct estimate total = model_estimate(listing->model, cost->total);
    print_share(listing, self);
    if (has_total)
      print_share(listing, total);
    else
      fprintf(listing->out, "%*s", UNCERTAIN_SHARE_COLUMNS, "-      ");
    fputs("  ", listing->out);
    print_time(listing, has_total, total.ns);
    used += 2 * UNCERTAIN_SHARE_COLUMNS + 2 + time_columns(listing);
  }
  print_calls(listing, function);
  listing_name(listing, function, listing_name_width(listing, used));
  fputc('\n', listing->out);
}

/* CPU time that no function has, if it is a hundredth of all. */
static void print_rest(const struct listing *listing, enum unattributed_kind kind) {
  struct unattributed part = unattributed_of(&listing->model->books, kind);
  if (!part.time.ns || text_share(part.time.ns, books_whole_ns(&listing->model->books)) < 1) return;
  print_share(listing, part.time);
  fprintf(listing->out, "%*s  ", UNCERTAIN_SHARE_COLUMNS, "");
  print_time(listing, true, part.time.ns);
  fprintf(listing->out, "%s%s\n", counts_calls(listing) ? "           - calls  " : "", part.name);
}

static void print_heading(const struct listing *listing) {
  int time = (int)time_columns(listing);
  if (has_times(listing))
    fprintf(listing->out, "   self %%       total %%       %*s%s\n", time,
            time ? (model_unit(listing->model) ? "total  " : "total time  ") : "",
            counts_calls(listing) ? "       calls" : "");
}

void summary_top(const struct listing *listing) {
  uint32_t *by_self = model_sorted(listing->model, SORT_SELF);
  struct candidates own[2] = {{listing->model->by_total, 0, own_by_total},
                              {by_self, 0, own_by_self}};
  struct candidates other[2] = {{by_self, 0, other_by_self},
                                {listing->model->by_total, 0, other_by_total}};
  struct top own_top = {0}, other_top = {0};
  choose(listing, own, TOP_OWN, &own_top);
  choose(listing, other, own_top.count ? TOP_OTHERS : TOP_OWN, &other_top);
  print_heading(listing);
  for (size_t i = 0; i < own_top.count; i++)
    print_function(listing, own_top.functions[i]);
  if (own_top.count && other_top.count) fputs("in libraries and their headers\n", listing->out);
  for (size_t i = 0; i < other_top.count; i++)
    print_function(listing, other_top.functions[i]);
  print_rest(listing, UNATTRIBUTED_KERNEL);
  print_rest(listing, UNATTRIBUTED_UNSAMPLED);
  free(by_self);
}
