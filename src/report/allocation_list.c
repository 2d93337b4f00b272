/* What a program allocated: its books, where it did, and what it was. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/heap_costs.h"
#include "report/columns.h"

enum {
  ROWS_SHOWN = 25,
  NUMBER_WIDTH = 12,
  RANGE_WIDTH = 20,
  PLACE_BYTES = 4200,
  TITLE_BYTES = 100
};

static uint64_t left(uint64_t whole, uint64_t gone) {
  return gone < whole ? whole - gone : 0;
}

static const char *bytes_text(uint64_t bytes, char text[QUANTITY_BYTES]) {
  return quantity_text("bytes", bytes, text);
}

static bool any_seen(const struct profile_heap *heap) {
  return heap->allocations || heap->unknown_frees || heap->early_frees;
}

/* Processes whose calls of malloc did not come to the runtime. */
static size_t count_unanswered(const struct profile *profile) {
  size_t count = 0;
  for (size_t i = 0; i < profile->process_count; i++) {
    const struct profile_process *process = &profile->processes[i];
    count += process->hindrances & HINDRANCE_ALLOCATOR && process->heap.recorded &&
             !any_seen(&process->heap);
  }
  return count;
}

static void print_none(const struct profile_heap *sums, size_t unanswered, FILE *out) {
  char text[QUANTITY_BYTES];
  if (unanswered)
    fputs("heap       no allocation was seen: the program is statically linked, or defines malloc "
          "itself; link it by ascribe cc --heap\n",
          out);
  else if (sums->mean)
    fprintf(out, "heap       no sample was met, one of %s on average\n",
            bytes_text(sums->mean, text));
  else
    fputs("heap       no allocation was recorded\n", out);
}

static const char *total_text(const struct profile *profile, enum heap_metric metric,
                              char text[QUANTITY_ESTIMATE_BYTES]) {
  return quantity_estimate_text(heap_metric_unit(metric), heap_estimate(profile, metric), text);
}

static void print_counted(const struct profile *profile, const struct profile_heap *sums,
                          FILE *out) {
  char text[QUANTITY_ESTIMATE_BYTES];
  if (sums->mean)
    fprintf(out, "heap       %s", total_text(profile, HEAP_ALLOCATIONS, text));
  else
    fprintf(out, "heap       %" PRIu64 " allocation%s", sums->allocations,
            sums->allocations == 1 ? "" : "s");
  fprintf(out, " of %s", total_text(profile, HEAP_ALLOCATED, text));
}

static void print_peak(const struct profile *profile, const struct profile_heap *sums,
                       size_t processes, FILE *out) {
  char text[QUANTITY_ESTIMATE_BYTES], at[DURATION_BYTES];
  fprintf(out, "; at most %s at once", total_text(profile, HEAP_PEAK, text));
  if (processes > 1) fputs(" (the sum of its processes' peaks)", out);
  if (sums->peak_within)
    fprintf(out, " (or up to %s more: threads tell theirs in parts)",
            bytes_text(sums->peak_within, text));
  if (processes == 1 && sums->peak_ns) fprintf(out, ", after %s", duration_text(sums->peak_ns, at));
}

static void print_live(const struct profile *profile, const struct profile_heap *sums, FILE *out) {
  uint64_t blocks = left(sums->allocations, sums->frees);
  char text[QUANTITY_ESTIMATE_BYTES];
  fprintf(out, "; %s", total_text(profile, HEAP_LIVE, text));
  if (!sums->mean) fprintf(out, " in %" PRIu64 " block%s", blocks, blocks == 1 ? "" : "s");
  fputs(" at the end\n", out);
  if (sums->mean)
    fprintf(out, "           estimated from random samples, one of %s on average\n",
            bytes_text(sums->mean, text));
}

static void print_some(const struct profile *profile, const struct profile_heap *sums,
                       size_t processes, size_t unanswered, FILE *out) {
  print_counted(profile, sums, out);
  print_peak(profile, sums, processes, out);
  print_live(profile, sums, out);
  if (unanswered)
    fprintf(out,
            "           without those of %zu process%s: statically linked, or with a malloc of "
            "%s own; link by ascribe cc --heap\n",
            unanswered, unanswered == 1 ? "" : "es", unanswered == 1 ? "its" : "their");
}

void listing_heap_sums(const struct profile *profile, FILE *out) {
  size_t processes;
  struct profile_heap sums = heap_sums(profile, &processes);
  if (!sums.recorded) return;
  size_t unanswered = count_unanswered(profile);
  if (any_seen(&sums))
    print_some(profile, &sums, processes, unanswered, out);
  else
    print_none(&sums, unanswered, out);
  if (sums.dropped)
    fprintf(out,
            "           %" PRIu64 " more had no room or came in signal handlers: in no figure\n",
            sums.dropped);
  if (sums.mappings_lost)
    fprintf(out,
            "           %" PRIu64 " times memory was mapped or unmapped without being counted\n",
            sums.mappings_lost);
  if (sums.stackless)
    fprintf(out, "           %" PRIu64 " of them had no room for their stack\n", sums.stackless);
  if (sums.unnamed)
    fprintf(out, "           %" PRIu64 " names of blocks had no room: there are too many of them\n",
            sums.unnamed);
  if (sums.unknown_frees + sums.early_frees)
    fprintf(out,
            "           %" PRIu64
            " blocks were freed that are in no other figure: allocated before "
            "the recording, by a process that forked, or in a pause\n",
            sums.unknown_frees + sums.early_frees);
}

/* ---- lists ---- */

/* The list that is printed. */
struct cost_list {
  const struct listing *listing;
  enum heap_owner of;
  enum heap_metric by;
  struct heap_cost *costs;
  size_t count;
  struct books books; /* of that metric */
};

static bool is_sampled(const struct cost_list *list) {
  return list->books.heaviest > 0;
}

static int costliest_first(const void *left_cost, const void *right_cost, void *context) {
  const struct heap_cost *a = left_cost, *b = right_cost;
  enum heap_metric by = ((const struct cost_list *)context)->by;
  uint64_t x = a->cost[by].raw_ns, y = b->cost[by].raw_ns;
  if (x != y) return x > y ? -1 : 1;
  uint64_t calls = a->cost[HEAP_ALLOCATIONS].raw_ns, others = b->cost[HEAP_ALLOCATIONS].raw_ns;
  if (calls != others) return calls > others ? -1 : 1;
  return (a->of > b->of) - (a->of < b->of);
}

/* By size, the smallest blocks first; of unknown size last. */
static int smallest_first(const void *left_cost, const void *right_cost, void *context) {
  const struct heap_cost *a = left_cost, *b = right_cost;
  const struct profile_kind *kinds =
      ((const struct cost_list *)context)->listing->model->profile->kinds;
  uint64_t x = a->of == NOTHING ? UINT64_MAX : kinds[a->of].least;
  uint64_t y = b->of == NOTHING ? UINT64_MAX : kinds[b->of].least;
  return (x > y) - (x < y);
}

static const char *name_of_range(enum heap_metric by) {
  return by == HEAP_LIVE ? "at end, 95 %" : by == HEAP_PEAK ? "at peak, 95 %" : "allocated, 95 %";
}

static const char *heading_of(enum heap_owner of) {
  static const char *const headings[] = {[HEAP_BY_SITE] = "function and line",
                                         [HEAP_BY_KIND] = "kind, or type",
                                         [HEAP_BY_SIZE] = "size",
                                         [HEAP_BY_POOL] = "pool",
                                         [HEAP_BY_MAPPING] = "how",
                                         [HEAP_BY_CLOSURE] = "kind and description"};
  return headings[of];
}

struct cost_column {
  const char *name;
  enum heap_metric of;
  bool ticks; /* these are shown, not the amount */
};

enum { COLUMNS = 6 };

/* What rows are sorted by stands first. */
static const struct cost_column *column_at(const struct cost_list *list, size_t at) {
  static const struct cost_column columns[COLUMNS] = {
      {"allocated", HEAP_ALLOCATED, false}, {"allocations", HEAP_ALLOCATIONS, false},
      {"temporary", HEAP_TEMPORARY, false}, {"at peak", HEAP_PEAK, false},
      {"at end", HEAP_LIVE, false},         {"blocks", HEAP_LIVE, true}};
  size_t first = 0, moved;
  while (columns[first].of != list->by)
    first++;
  moved = list->by == HEAP_LIVE ? 2 : 1; /* blocks go with their bytes */
  if (at < moved) return &columns[first + at];
  return &columns[at - moved < first ? at - moved : at];
}

static void print_heading(const struct cost_list *list, const char *title) {
  const struct listing *listing = list->listing;
  fputc('\n', listing->out);
  listing_bold(listing);
  fprintf(listing->out, "%s (%s)\n", title, is_sampled(list) ? "estimated" : "counted");
  listing_plain(listing);
  listing_dim(listing);
  if (is_sampled(list)) fprintf(listing->out, "%*s", RANGE_WIDTH, name_of_range(list->by));
  for (size_t i = 0; i < COLUMNS; i++)
    fprintf(listing->out, "%*s", NUMBER_WIDTH, column_at(list, i)->name);
  fprintf(listing->out, "  %s\n", heading_of(list->of));
  listing_plain(listing);
}

static void print_bytes(const struct listing *listing, uint64_t bytes) {
  char text[QUANTITY_BYTES];
  fprintf(listing->out, "%*s", NUMBER_WIDTH, bytes_text(bytes, text));
}

static void print_range(const struct cost_list *list, struct amount amount) {
  char low[QUANTITY_BYTES], high[QUANTITY_BYTES], text[2 * QUANTITY_BYTES + 2];
  if (!is_sampled(list)) return;
  struct estimate estimate = books_estimate(&list->books, amount);
  snprintf(text, sizeof text, "%s..%s", bytes_text(estimate.low_ns, low),
           bytes_text(estimate.high_ns, high));
  fprintf(list->listing->out, "%*s", RANGE_WIDTH, text);
}

/* A part of a run has no peak. */
static bool is_known(const struct cost_list *list, enum heap_metric metric) {
  bool may_lack = metric == HEAP_PEAK || list->of == HEAP_BY_CLOSURE;
  return !may_lack ||
         heap_metric_in(list->listing->model->profile, heap_area_of(list->of), metric) != NOTHING;
}

static void print_site(const struct cost_list *list, uint32_t id) {
  const struct listing *listing = list->listing;
  const struct profile_line *line = &listing->model->profile->lines[id];
  char place[PLACE_BYTES] = "";
  size_t used = COLUMNS * NUMBER_WIDTH + 2 + (is_sampled(list) ? RANGE_WIDTH : 0);
  if (line->file && line->line)
    snprintf(place, sizeof place, "  %s:%" PRIu32, model_relative(listing->model, line->file),
             line->line);
  listing_name(listing, line->function, listing_name_width(listing, used + strlen(place)));
  fputs(place, listing->out);
}

static void print_kind(const struct listing *listing, uint32_t id) {
  const struct profile_kind *kind = id == NOTHING ? NULL : &listing->model->profile->kinds[id];
  if (!kind)
    fputs("(unknown)", listing->out);
  else
    text_name(listing->out, kind->name, 0);
}

static void print_closure(const struct listing *listing, uint32_t id) {
  static const char *const kinds[] = {[KIND_CONSTRUCTOR] = "constructor",
                                      [KIND_FUNCTION] = "function",
                                      [KIND_PARTIAL] = "partial application",
                                      [KIND_THUNK] = "thunk"};
  if (id != NOTHING) fprintf(listing->out, "%s ", kinds[listing->model->profile->kinds[id].basis]);
  print_kind(listing, id);
}

static void print_size(const struct listing *listing, uint32_t id) {
  const struct profile_kind *kind = id == NOTHING ? NULL : &listing->model->profile->kinds[id];
  if (!kind)
    fputs("(unknown)", listing->out);
  else if (kind->most == UINT64_MAX)
    fprintf(listing->out, "from %" PRIu64 " bytes", kind->least);
  else
    fprintf(listing->out, "up to %" PRIu64 " bytes", kind->most);
}

static void print_column(const struct cost_list *list, const struct cost_column *column,
                         const struct heap_cost *cost) {
  const struct listing *listing = list->listing;
  const struct amount *amount = &cost->cost[column->of];
  bool of_bytes = strcmp(heap_metric_unit(column->of), "bytes") == 0;
  if (!is_known(list, column->of))
    fprintf(listing->out, "%*s", NUMBER_WIDTH, "-");
  else if (of_bytes && !column->ticks)
    print_bytes(listing, amount->raw_ns);
  else
    fprintf(listing->out, "%*" PRIu64, NUMBER_WIDTH,
            column->ticks ? amount->ticks : amount->raw_ns);
}

static void print_cost(const struct cost_list *list, const struct heap_cost *cost) {
  const struct listing *listing = list->listing;
  print_range(list, cost->cost[list->by]);
  for (size_t i = 0; i < COLUMNS; i++)
    print_column(list, column_at(list, i), cost);
  fputs("  ", listing->out);
  if (list->of == HEAP_BY_SITE)
    print_site(list, cost->of);
  else if (list->of == HEAP_BY_SIZE)
    print_size(listing, cost->of);
  else if (list->of == HEAP_BY_CLOSURE)
    print_closure(listing, cost->of);
  else
    print_kind(listing, cost->of);
  fputc('\n', listing->out);
}

/* Where one line allocates most, its callers may be what is asked for. */
static void print_hint(const struct cost_list *list) {
  const struct profile *profile = list->listing->model->profile;
  uint64_t all = 0, first = list->costs[0].cost[list->by].raw_ns;
  for (size_t i = 0; i < list->count; i++)
    all += list->costs[i].cost[list->by].raw_ns;
  if (list->count < 2 || !all || first <= all / 2) return;
  fputs("one place has most of it; its callers are shown with --wrappers '", list->listing->out);
  text_name(list->listing->out, profile->functions[profile->lines[list->costs[0].of].function].name,
            0);
  fputs("'\n", list->listing->out);
}

/* Of the rows that have anything. */
static void print_rows(const struct cost_list *list, const char *more) {
  size_t shown = 0, left = 0, limit = list->listing->model->options->limit;
  if (!limit) limit = ROWS_SHOWN;
  for (size_t i = 0; i < list->count; i++) {
    const struct amount *amount = &list->costs[i].cost[list->by];
    if (!amount->raw_ns && !amount->ticks) continue; /* blocks may have 0 bytes */
    if (shown < limit)
      print_cost(list, &list->costs[i]), shown++;
    else
      left++;
  }
  if (!shown) fputs("        none\n", list->listing->out);
  if (shown && list->of == HEAP_BY_SITE && !list->listing->model->options->selection.wrappers)
    print_hint(list);
  if (left) fprintf(list->listing->out, "%zu more %s (--limit all)\n", left, more);
}

static bool is_worth_printing(const struct cost_list *list) {
  return list->of == HEAP_BY_SITE || list->count > 1 ||
         (list->count && list->costs[0].of != NOTHING);
}

/* With --mine, libraries allocate for the program's own code that called them. */
static struct heap_cost *costs_of(const struct listing *listing, enum heap_owner of,
                                  size_t *count) {
  const struct report_model *model = listing->model;
  const struct profile *profile = model->profile;
  struct selection selection = model->options->selection;
  bool *passed = memory_zeroed(profile->function_count, sizeof *passed);
  for (uint32_t i = 0; i < profile->function_count; i++)
    passed[i] = !model_lists(model, i) || (selection.wrappers && selection.wrappers[i]);
  selection.wrappers = passed;
  struct heap_cost *costs = heap_costs_make(profile, &selection, of, count);
  free(passed);
  return costs;
}

static void print_list(const struct listing *listing, enum heap_owner of, enum heap_metric by,
                       const char *title, const char *more) {
  struct cost_list list = {.listing = listing, .of = of, .by = by};
  const struct profile *profile = listing->model->profile;
  list.costs = costs_of(listing, of, &list.count);
  uint32_t metric = heap_metric_in(profile, heap_area_of(of), by);
  struct profile view = metric_view(profile, metric == NOTHING ? 0 : metric);
  books_make(&view, &list.books);
  if (metric == NOTHING) list.books.heaviest = 0;
  if (list.count)
    qsort_r(list.costs, list.count, sizeof *list.costs,
            of == HEAP_BY_SIZE ? smallest_first : costliest_first, &list);
  if (is_worth_printing(&list)) {
    print_heading(&list, title);
    print_rows(&list, more);
  }
  free(list.costs);
}

/* "Memory at the peak": then by what. */
static void print_lists(const struct listing *listing, const char *what, enum heap_metric by) {
  static const char *const names[] = {"where it was allocated", "kind", "size of blocks"};
  static const char *const more[] = {"places", "kinds", "sizes"};
  static const char *const apart[] = {"Pools, which lie in other memory",
                                      "Memory mapped by the program itself",
                                      "Closures of the language host"};
  const struct profile *profile = listing->model->profile;
  bool of_malloc = heap_metric_of(profile, by) != NOTHING;
  if (!of_malloc && heap_metric_in(profile, HEAP_OF_CLOSURES, by) == NOTHING) {
    fprintf(listing->out, "\n%s: not known%s\n", what,
            profile->interval.to_ns ? " by time: ask the whole profile" : ": record with --heap");
    return;
  }
  for (int of = HEAP_BY_SITE; of_malloc && of <= HEAP_BY_SIZE; of++) {
    char title[TITLE_BYTES];
    if (of == HEAP_BY_SIZE && by != HEAP_ALLOCATED) break;
    snprintf(title, sizeof title, "%s, by %s", what, names[of]);
    print_list(listing, of, by, title, more[of]);
  }
  for (int of = HEAP_BY_POOL; of <= HEAP_BY_CLOSURE; of++)
    print_list(listing, of, by, apart[of - HEAP_BY_POOL], "of them");
}

void listing_heap(const struct listing *listing) {
  print_lists(listing, "Allocated memory", HEAP_ALLOCATED);
}

void listing_leaks(const struct listing *listing) {
  print_lists(listing,
              listing->model->profile->interval.to_ns
                  ? "Memory that was live at the end of the interval"
                  : "Memory that was not freed at the end",
              HEAP_LIVE);
}

void listing_peak(const struct listing *listing) {
  print_lists(listing, "Memory at the peak", HEAP_PEAK);
}
