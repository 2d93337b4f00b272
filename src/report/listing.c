
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/own_code.h"
#include "attribution/recorded/recorded_waits.h"
#include "base/base_name.h"
#include "report/columns.h"
#include "symbols/name_telling.h"

/* ---- order ---- */

static int descending(uint64_t a, uint64_t b) {
  return a > b ? -1 : a < b;
}

static int compare_names(const struct listing *listing, uint32_t a, uint32_t b) {
  const struct profile_function *functions = listing->profile->functions;
  int order = strcmp(functions[a].name, functions[b].name);
  return order ? order : (a > b) - (a < b);
}

/* What the order goes by: CPU time and, where it was seen, waiting. */
static struct amount self_of(const struct listing *listing, uint32_t function) {
  struct amount self = listing->costs->functions[function].self;
  if (!listing->wait_costs) return self;
  return amount_sum(self, listing->wait_costs->functions[function].self);
}

static struct amount total_of(const struct listing *listing, uint32_t function) {
  struct amount total = listing->costs->functions[function].total;
  if (!listing->wait_costs) return total;
  return amount_sum(total, listing->wait_costs->functions[function].total);
}

static int compare_functions(const void *left, const void *right, void *context) {
  const struct listing *listing = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  const struct function_cost *costs = listing->costs->functions;
  int order = descending(total_of(listing, a).raw_ns, total_of(listing, b).raw_ns);
  if (!order) order = descending(costs[a].calls, costs[b].calls);
  return order ? order : compare_names(listing, a, b);
}

static int compare_self(const void *left, const void *right, void *context) {
  const struct listing *listing = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  const struct function_cost *costs = listing->costs->functions;
  int order = descending(self_of(listing, a).raw_ns, self_of(listing, b).raw_ns);
  if (!order) order = descending(costs[a].calls, costs[b].calls);
  return order ? order : compare_names(listing, a, b);
}

static int compare_calls(const void *left, const void *right, void *context) {
  const struct listing *listing = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  const struct function_cost *costs = listing->costs->functions;
  int order = descending(costs[a].calls, costs[b].calls);
  return order ? order : compare_functions(left, right, context);
}

static int compare_alphabetically(const void *left, const void *right, void *context) {
  return compare_names(context, *(const uint32_t *)left, *(const uint32_t *)right);
}

bool listing_lists(const struct listing *listing, uint32_t function) {
  return !listing->options->mine || own_code(listing->profile, function);
}

uint32_t *listing_sorted(const struct listing *listing, enum report_sort fallback) {
  static int (*const orders[])(const void *, const void *,
                               void *) = {[SORT_SELF] = compare_self,
                                          [SORT_TOTAL] = compare_functions,
                                          [SORT_CALLS] = compare_calls,
                                          [SORT_NAME] = compare_alphabetically};
  enum report_sort sort = listing->options->sort;
  uint32_t *functions = memory_zeroed(listing->listed_count, sizeof *functions);
  for (size_t i = 0, count = 0; i < listing->function_count; i++)
    if (listing_lists(listing, listing->by_total[i])) functions[count++] = listing->by_total[i];
  qsort_r(functions, listing->listed_count, sizeof *functions,
          orders[sort == SORT_DEFAULT ? fallback : sort], (void *)listing);
  return functions;
}

static void order_functions(struct listing *listing) {
  size_t count = listing->profile->function_count;
  listing->by_total = memory_zeroed(count, sizeof *listing->by_total);
  listing->index = memory_zeroed(count, sizeof *listing->index);
  for (size_t i = 0; i < count; i++) {
    const struct function_cost *cost = &listing->costs->functions[i];
    if (cost->calls || cost->recursive || total_of(listing, i).raw_ns)
      listing->by_total[listing->function_count++] = i;
  }
  qsort_r(listing->by_total, listing->function_count, sizeof *listing->by_total, compare_functions,
          listing);
  for (size_t i = 0; i < listing->function_count; i++) {
    listing->index[listing->by_total[i]] = i + 1;
    listing->listed_count += listing_lists(listing, listing->by_total[i]);
  }
}

/* ---- arcs ---- */

static int compare_by_caller(const void *left, const void *right, void *context) {
  const struct arc_cost *arcs = context;
  const struct arc_cost *a = &arcs[*(const uint32_t *)left], *b = &arcs[*(const uint32_t *)right];
  if (a->caller != b->caller) return a->caller + 1 < b->caller + 1 ? -1 : 1;
  int order = descending(a->out_self.raw_ns + a->out_child.raw_ns,
                         b->out_self.raw_ns + b->out_child.raw_ns);
  if (!order) order = descending(a->calls, b->calls);
  return order ? order : (a->callee > b->callee) - (a->callee < b->callee);
}

static int compare_by_callee(const void *left, const void *right, void *context) {
  const struct arc_cost *arcs = context;
  const struct arc_cost *a = &arcs[*(const uint32_t *)left], *b = &arcs[*(const uint32_t *)right];
  if (a->callee != b->callee) return a->callee < b->callee ? -1 : 1;
  int order =
      descending(b->in_self.raw_ns + b->in_child.raw_ns, a->in_self.raw_ns + a->in_child.raw_ns);
  if (!order) order = descending(b->calls, a->calls);
  return order ? order : (a->caller > b->caller) - (a->caller < b->caller);
}

static void order_arcs(struct listing *listing) {
  const struct costs *costs = listing->costs;
  size_t functions = listing->profile->function_count;
  listing->callers = memory_zeroed(costs->arc_count, sizeof *listing->callers);
  listing->callees = memory_zeroed(costs->arc_count, sizeof *listing->callees);
  listing->first_caller = memory_zeroed(functions + 1, sizeof *listing->first_caller);
  listing->first_callee = memory_zeroed(functions + 2, sizeof *listing->first_callee);
  for (size_t i = 0; i < costs->arc_count; i++) {
    listing->callers[i] = listing->callees[i] = i;
    listing->first_caller[costs->arcs[i].callee + 1]++;
    listing->first_callee[(uint32_t)(costs->arcs[i].caller + 1) + 1]++;
  }
  for (size_t i = 0; i < functions; i++)
    listing->first_caller[i + 1] += listing->first_caller[i];
  for (size_t i = 0; i < functions + 1; i++)
    listing->first_callee[i + 1] += listing->first_callee[i];
  qsort_r(listing->callers, costs->arc_count, sizeof *listing->callers, compare_by_callee,
          costs->arcs);
  qsort_r(listing->callees, costs->arc_count, sizeof *listing->callees, compare_by_caller,
          costs->arcs);
}

/* ---- names ---- */

static void find_ambiguous(struct listing *listing) {
  const struct profile_function *functions = listing->profile->functions;
  size_t count = listing->function_count;
  uint32_t *order = memory_zeroed(count, sizeof *order);
  listing->ambiguous = memory_zeroed(listing->profile->function_count, sizeof *listing->ambiguous);
  memcpy(order, listing->by_total, count * sizeof *order);
  qsort_r(order, count, sizeof *order, compare_alphabetically, listing);
  for (size_t i = 1; i < count; i++)
    if (strcmp(functions[order[i - 1]].name, functions[order[i]].name) == 0)
      listing->ambiguous[order[i - 1]] = listing->ambiguous[order[i]] = true;
  free(order);
}

/* Only where names may have to be shortened. */
static void find_telling(struct listing *listing) {
  size_t count = listing->function_count;
  if (!listing->options->width) return;
  const char **names = memory_zeroed(count, sizeof *names);
  listing->telling = memory_zeroed(count, sizeof *listing->telling);
  for (size_t i = 0; i < count; i++)
    names[i] = listing->profile->functions[listing->by_total[i]].name;
  names_tell(names, count, listing->telling);
  free(names);
}

struct name_part listing_telling(const struct listing *listing, uint32_t function) {
  uint32_t index = listing->index[function];
  return index && listing->telling ? listing->telling[index - 1] : (struct name_part){0};
}

/* " (FILE:LINE in OBJECT)" behind a name that others have, too; where there is little room the
 * file has to do. */
static void name_origin(const struct listing *listing, uint32_t id, bool is_narrow, char *text,
                        size_t bytes) {
  const struct profile_function *function = &listing->profile->functions[id];
  char line[32] = "";
  text[0] = '\0';
  if (!listing->ambiguous[id]) return;
  if (function->line) snprintf(line, sizeof line, ":%u", function->line);
  if (function->column) snprintf(line, sizeof line, ":%u:%u", function->line, function->column);
  const char *file = function->file ? base_name(function->file) : "";
  const char *object = function->object == NOTHING || (*file && is_narrow)
                           ? ""
                           : base_name(listing->profile->objects[function->object].path);
  snprintf(text, bytes, " (%s%s%s%s%s)", file, *file ? line : "", *file && *object ? " " : "",
           *object ? "in " : "", object);
}

void listing_name(const struct listing *listing, uint32_t id, size_t width) {
  enum { LEAST = 12, ROOM_FOR_ORIGIN = 48 };
  char origin[512];
  name_origin(listing, id, width && width < ROOM_FOR_ORIGIN, origin, sizeof origin);
  size_t used = strlen(origin);
  if (width) width = width > used + LEAST ? width - used : LEAST;
  text_function(listing->out, listing->profile->functions[id].name, listing_telling(listing, id),
                width);
  text_name(listing->out, origin, 0);
}

const char *listing_relative(const struct listing *listing, const char *path) {
  const char *directory = listing->run.directory;
  size_t length = directory ? strlen(directory) : 0;
  bool below = length > 1 && strncmp(path, directory, length) == 0 && path[length] == '/';
  return below ? path + length + 1 : path;
}

void listing_path(const struct listing *listing, const char *path, size_t width) {
  text_name(listing->out, listing_relative(listing, path), width);
}

const char *listing_inlined(const struct listing *listing, uint32_t function) {
  switch (listing->profile->functions[function].bodies) {
  case BODY_INLINED:
    return " inlined";
  case BODY_OWN | BODY_INLINED:
    return " partly inlined";
  default:
    return "";
  }
}

const char *listing_inlined_beside(const struct listing *listing, uint32_t function, size_t used) {
  enum { ENOUGH = 24 /* columns for a name */ };
  const char *inlined = listing_inlined(listing, function);
  size_t width = listing->options->width, name = strlen(listing->profile->functions[function].name);
  if (name > ENOUGH) name = ENOUGH;
  return width && used + name + strlen(inlined) > width ? "" : inlined;
}

size_t listing_name_width(const struct listing *listing, size_t used) {
  enum { LEAST = 16 };
  if (!listing->options->width) return 0;
  return listing->options->width > used + LEAST ? listing->options->width - used : LEAST;
}

void listing_entry_name(const struct listing *listing, uint32_t id, size_t used) {
  char number[16];
  used += (size_t)snprintf(number, sizeof number, " [%" PRIu32 "]", listing->index[id]);
  char hooks[HOOKS_BYTES];
  used += strlen(listing_hooks_text(listing, id, hooks));
  const char *inlined = listing_inlined_beside(listing, id, used);
  listing_name(listing, id, listing_name_width(listing, used + strlen(inlined)));
  fprintf(listing->out, "%s%s%s\n", number, inlined, hooks);
}

struct range listing_hooks(const struct listing *listing, uint32_t id) {
  const struct function_cost *cost = &listing->costs->functions[id];
  bool counted = listing->profile->functions[id].kind == FUNCTION_COUNTED;
  return books_hooks_of(&listing->books, counted ? cost->calls + cost->recursive : 0,
                        listing_estimate(listing, cost->self));
}

const char *listing_hooks_text(const struct listing *listing, uint32_t id, char text[HOOKS_BYTES]) {
  enum { WORTH_SAYING = 10 /* percent */ };
  uint64_t self = listing_estimate(listing, listing->costs->functions[id].self).ns;
  struct range hooks = listing_hooks(listing, id);
  double low = fmin(100, text_share(hooks.low, self)),
         high = fmin(100, text_share(hooks.high, self));
  *text = 0;
  if (high > WORTH_SAYING)
    snprintf(text, HOOKS_BYTES, " (hooks: %.0f to %.0f %% of self)", low, high);
  return text;
}

static void attribute(const struct listing *listing, const char *sequence) {
  if (listing->options->colour) fputs(sequence, listing->out);
}

void listing_bold(const struct listing *listing) {
  attribute(listing, "\033[1m");
}
void listing_dim(const struct listing *listing) {
  attribute(listing, "\033[2m");
}
void listing_plain(const struct listing *listing) {
  attribute(listing, "\033[0m");
}

void listing_heat(const struct listing *listing, struct amount whole, struct amount self,
                  struct amount total) {
  double all = whole.raw_ns ? whole.raw_ns : 1;
  double own = self.raw_ns / all, with_callees = total.raw_ns / all;
  if (own >= 0.05)
    attribute(listing, "\033[1;31m");
  else if (own >= 0.005 || with_callees >= 0.05)
    attribute(listing, "\033[33m");
  else if (!self.raw_ns && !total.raw_ns)
    attribute(listing, "\033[2m");
}

/* ---- figures ---- */

const char *listing_unit(const struct listing *listing) {
  return profile_metric(listing->profile)->unit;
}

const char *listing_share(const struct listing *listing) {
  return listing_unit(listing) ? "cost" : "time";
}

static const char *worth(const struct listing *listing) {
  if (profile_metric(listing->profile)->evidence == EVIDENCE_COUNTED) return "counted";
  if (listing->books.events && listing->books.measured) return "every one seen";
  return listing->books.evidence_unknown ? "uncertainty not known" : "+-: 95 % uncertainty";
}

static void print_title(const struct listing *listing, const char *name, const char *of) {
  const char *unit = listing_unit(listing);
  fputc('\n', listing->out);
  listing_bold(listing);
  fprintf(listing->out, "%s%s", name, of);
  if (unit && listing->unit.ns > 1)
    fprintf(listing->out, ", in 10^%d %s", (int)lround(log10(listing->unit.ns)), unit);
  else if (unit)
    fprintf(listing->out, ", in %s", unit);
  fprintf(listing->out, " (%s)\n", worth(listing));
  listing_plain(listing);
}

void listing_title(const struct listing *listing, const char *name) {
  print_title(listing, name, listing->wait_costs ? ", CPU time without waiting" : "");
}

void listing_title_of_both(const struct listing *listing, const char *name) {
  print_title(listing, name, ", CPU time and waiting");
}

void listing_title_by_calls(const struct listing *listing, const char *name) {
  fputc('\n', listing->out);
  listing_bold(listing);
  fprintf(listing->out, "%s, by calls\n", name);
  listing_plain(listing);
}

void listing_title_of(const struct listing *listing, const char *what, const char *name) {
  enum { WORTH = 24 /* " (+-: 95 % uncertainty)" */ };
  char title[1200], shorter[1024];
  size_t width = listing_name_width(listing, strlen(what) + WORTH);
  snprintf(title, sizeof title, "%s%s", what,
           width ? name_fit(name, (struct name_part){0}, width, shorter, sizeof shorter) : name);
  listing_title(listing, title);
}

uint64_t listing_whole_ns(const struct listing *listing) {
  return books_whole_ns(&listing->books) + books_whole_ns(&listing->wait_books);
}

struct estimate listing_estimate(const struct listing *listing, struct amount amount) {
  return books_estimate(&listing->books, amount);
}

bool listing_has_total(const struct listing *listing, uint32_t function) {
  return costs_total_known(listing->profile, listing->costs, function);
}

bool listing_is_of_waiting(const struct listing *listing) {
  return profile_metric(listing->profile)->kind == METRIC_WAITING;
}

/* Waiting stands beside CPU time. */
static void add_waits(struct listing *listing) {
  const struct profile *profile = listing->profile;
  if (profile_metric(profile)->kind != METRIC_CPU) return;
  for (uint32_t i = 0; i < profile->metric_count; i++) {
    struct profile view = metric_view(profile, i);
    if (profile->metrics[i].kind != METRIC_WAITING) continue;
    listing->wait_costs = costs_compute(&view, &listing->options->selection);
    books_make(&view, &listing->wait_books);
  }
}

void listing_open(struct listing *listing, const struct profile *profile,
                  const struct report_options *options, FILE *out) {
  *listing = (struct listing){.profile = profile, .options = options, .out = out};
  listing->costs = costs_compute(profile, &options->selection);
  books_make(profile, &listing->books);
  run_make(profile, &listing->run);
  add_waits(listing);
  listing->unit = quantity_unit(profile_metric(profile)->unit, listing_whole_ns(listing));
  order_functions(listing);
  order_arcs(listing);
  find_ambiguous(listing);
  find_telling(listing);
  columns_choose(listing);
}

void listing_close(struct listing *listing) {
  costs_free(listing->costs);
  costs_free(listing->wait_costs);
  free(listing->by_total);
  free(listing->index);
  free(listing->callers);
  free(listing->callees);
  free(listing->first_caller);
  free(listing->first_callee);
  free(listing->ambiguous);
  free(listing->telling);
}
