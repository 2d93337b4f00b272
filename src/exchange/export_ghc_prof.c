/* The report of GHC's time and allocation profiler, as +RTS -P writes it.
 * Source: GHC User's Guide, "Profiling"; rts/ProfilerReport.c. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_name.h"
#include "exchange/cost_centres.h"
#include "exchange/export_data.h"
#include "exchange/export_formats.h"
#include "exchange/export_names.h"
#include "exchange/printed_date.h"
#include "exchange/stack_tree.h"

/* The report lists what has at least this part of all. */
#define SHARE_LISTED 0.01

enum { USUAL_TICK_US = 1000, LEAST_NUMBER_WIDTH = 3 };

/* How the report names a function or cost centre. */
struct centre_name {
  const char *label, *module, *source;
};

static const struct centre_name heading = {"COST CENTRE", "MODULE", "SRC"};
static const struct centre_name whole = {"MAIN", "MAIN", "<built-in>"};

struct centre_sums {
  uint64_t ticks, bytes;
};

struct ghc_report {
  const struct export_data *data; /* of time; without samples if the profile has none */
  FILE *out;
  struct stack_tree tree;
  struct centre_name *names;     /* by function of the stacks; then MAIN, of what is in none */
  struct centre_sums *own, *all; /* by node: without and with the nodes below */
  struct centre_sums *sums;      /* as names: own, of all its nodes */
  uint32_t top;                  /* the node that is GHC's MAIN, of which all others are below */
  uint64_t tick_us;
  int label_width, module_width, source_width; /* of the table at hand */
};

/* ---- names ---- */

static const char *module_of(const struct ghc_report *report,
                             const struct profile_function *function) {
  const struct export_data *data = report->data;
  if (data->options->centres) return base_name(function->linkage);
  if (function->object != NOTHING) return base_name(data->profile->objects[function->object].path);
  return function->file ? base_name(function->file) : "";
}

/* As GHC writes ranges of a source. To be freed. */
static char *range_text(const struct profile_function *function) {
  uint32_t line = function->line, column = function->column;
  if (function->end_line > line)
    return memory_printed("%s:(%u,%u)-(%u,%u)", function->file, line, column, function->end_line,
                          function->end_column);
  if (function->end_column > column)
    return memory_printed("%s:%u:%u-%u", function->file, line, column, function->end_column);
  return memory_printed("%s:%u:%u", function->file, line, column);
}

static const char *source_of(const struct ghc_report *report, const char *label,
                             const struct profile_function *function) {
  if (!function->file) return strcmp(label, "CAF") == 0 ? "<entire-module>" : whole.source;
  char *text = range_text(function);
  const char *source = export_clean(report->data->pool, text);
  free(text);
  return source;
}

/* Without a module the name stands for it, as in MAIN: an import of that has the name alone. */
static void name_function(const struct ghc_report *report, uint32_t id) {
  struct pool *pool = report->data->pool;
  const struct profile_function *function = &report->data->stacks->functions[id];
  const char *name = function->name + strspn(function->name, " ");
  size_t inside = function->object == NOTHING && !report->data->options->centres
                      ? cost_centres_module(name)
                      : 0;
  char *module = memory_text_part(name, inside);
  const char *label = export_clean(pool, *name ? name + inside + (inside > 0) : "?");
  const char *of = export_clean(pool, inside ? module : module_of(report, function));
  free(module);
  report->names[id] =
      (struct centre_name){label, *of ? of : label, source_of(report, label, function)};
}

static const struct centre_name *name_of(const struct ghc_report *report, uint32_t node) {
  uint32_t function = report->tree.nodes[node].function;
  return function == NOTHING ? &whole : &report->names[function];
}

/* ---- figures ---- */

/* Each number of ticks is the difference of two rounded sums, so that no rounding adds up. */
static void find_own(struct ghc_report *report) {
  const struct stack_node *nodes = report->tree.nodes;
  double tick_ns = 1e3 * (double)report->tick_us;
  uint64_t ns = 0, ticks = 0;
  for (uint32_t at = STACK_ROOT; at != NOTHING; at = nodes[at].next) {
    ns += nodes[at].self_ns;
    uint64_t after = (uint64_t)llround((double)ns / tick_ns);
    report->own[at] = (struct centre_sums){after - ticks, nodes[at].beside_ns};
    ticks = after;
  }
}

static void add(struct centre_sums *to, struct centre_sums sums) {
  to->ticks += sums.ticks;
  to->bytes += sums.bytes;
}

/* A node comes after its parent in the array. */
static void sum_up(struct ghc_report *report) {
  const struct stack_node *nodes = report->tree.nodes;
  for (size_t i = 0; i < report->tree.count; i++) {
    report->all[i] = report->own[i];
    if (nodes[i].function != NOTHING) add(&report->sums[nodes[i].function], report->own[i]);
  }
  for (size_t i = report->tree.count; i-- > 1;)
    add(&report->all[nodes[i].parent], report->all[i]);
}

static bool is_outside(const struct ghc_report *report, uint32_t node) {
  return node != STACK_ROOT && report->tree.nodes[node].function == NOTHING;
}

/* GHC's own profiles have a MAIN; in others the root stands for it, with what no centre has. */
static void find_top(struct ghc_report *report) {
  const struct stack_node *nodes = report->tree.nodes;
  uint32_t first = nodes[STACK_ROOT].child;
  bool alone = first != NOTHING && nodes[first].sibling == NOTHING;
  bool is_main = alone && strcmp(name_of(report, first)->label, whole.label) == 0;
  report->top = is_main ? first : STACK_ROOT;
  for (uint32_t at = first; at != NOTHING && !is_main; at = nodes[at].sibling)
    if (is_outside(report, at)) add(&report->own[STACK_ROOT], report->own[at]);
  size_t main = report->data->stacks->function_count;
  report->names[main] = whole;
  if (!is_main) report->sums[main] = report->own[STACK_ROOT];
}

static double percent(uint64_t part, uint64_t of) {
  return of ? 100.0 * (double)part / (double)of : 0;
}

/* ---- lines ---- */

static int characters(const char *text) {
  int count = 0;
  for (; *text; text++)
    count += (*text & 0xc0) != 0x80;
  return count;
}

static void widen(int *width, int characters) {
  if (characters > *width) *width = characters;
}

static void widen_for(struct ghc_report *report, const struct centre_name *name, int depth) {
  widen(&report->label_width, depth + characters(name->label));
  widen(&report->module_width, characters(name->module));
  widen(&report->source_width, characters(name->source));
}

static void write_padded(const struct ghc_report *report, const char *text, int width) {
  fprintf(report->out, "%s%*s", text, width - characters(text), "");
}

static void write_name(const struct ghc_report *report, const struct centre_name *name, int depth) {
  fprintf(report->out, "%*s", depth, "");
  write_padded(report, name->label, report->label_width - depth + 1);
  write_padded(report, name->module, report->module_width + 1);
  write_padded(report, name->source, report->source_width);
}

/* "95,380,592" */
static const char *grouped(uint64_t number, char text[32]) {
  char digits[32];
  int count = snprintf(digits, sizeof digits, "%" PRIu64, number), length = 0;
  for (int i = 0; i < count; i++) {
    if (i && (count - i) % 3 == 0) text[length++] = ',';
    text[length++] = digits[i];
  }
  text[length] = '\0';
  return text;
}

static void write_head(const struct ghc_report *report) {
  const struct export_data *data = report->data;
  struct centre_sums all = report->all[STACK_ROOT];
  char date[PRINTED_DATE_BYTES], bytes[32];
  fprintf(report->out, "\t%s Time and Allocation Profiling Report  (Final)\n\n\t   %s\n\n",
          printed_date_text(data->run.started_ns, GHC_DATE, date), data->title);
  fprintf(report->out,
          "\ttotal time  = %11.2f secs   (%" PRIu64 " ticks @ %" PRIu64 " us, 1 processor)\n",
          (double)all.ticks * (double)report->tick_us / 1e6, all.ticks, report->tick_us);
  fprintf(report->out, "\ttotal alloc = %11s bytes  (excludes profiling overheads)\n\n",
          grouped(all.bytes, bytes));
}

/* ---- the list of cost centres ---- */

static bool is_listed(const struct ghc_report *report, struct centre_sums sums) {
  struct centre_sums all = report->all[STACK_ROOT];
  return percent(sums.ticks, all.ticks) >= 100 * SHARE_LISTED ||
         percent(sums.bytes, all.bytes) >= 100 * SHARE_LISTED;
}

static int costliest_first(const void *left, const void *right, void *context) {
  const struct ghc_report *report = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  const struct centre_sums *first = &report->sums[a], *second = &report->sums[b];
  if (first->ticks != second->ticks) return first->ticks > second->ticks ? -1 : 1;
  if (first->bytes != second->bytes) return first->bytes > second->bytes ? -1 : 1;
  return (a > b) - (a < b);
}

static void reset_widths(struct ghc_report *report) {
  report->label_width = report->module_width = report->source_width = 0;
  widen_for(report, &heading, 0);
}

static void write_list(struct ghc_report *report) {
  struct centre_sums all = report->all[STACK_ROOT];
  size_t count = 0;
  uint32_t *listed = memory_zeroed(report->data->stacks->function_count + 1, sizeof *listed);
  reset_widths(report);
  for (uint32_t i = 0; i <= report->data->stacks->function_count; i++) {
    if (!is_listed(report, report->sums[i])) continue;
    widen_for(report, &report->names[i], 0);
    listed[count++] = i;
  }
  qsort_r(listed, count, sizeof *listed, costliest_first, report);
  write_name(report, &heading, 0);
  fprintf(report->out, " %6s %6s  %5s %9s\n\n", "%time", "%alloc", "ticks", "bytes");
  for (size_t i = 0; i < count; i++) {
    struct centre_sums sums = report->sums[listed[i]];
    write_name(report, &report->names[listed[i]], 0);
    fprintf(report->out, " %6.1f %6.1f  %5" PRIu64 " %9" PRIu64 "\n",
            percent(sums.ticks, all.ticks), percent(sums.bytes, all.bytes), sums.ticks, sums.bytes);
  }
  free(listed);
}

/* ---- the tree ---- */

static int depth_of(const struct ghc_report *report, uint32_t node) {
  const struct stack_node *nodes = report->tree.nodes;
  return (int)(nodes[node].depth - nodes[report->top].depth);
}

static int number_width(const struct ghc_report *report) {
  int digits = snprintf(NULL, 0, "%zu", (size_t)report->tree.count);
  return digits > LEAST_NUMBER_WIDTH ? digits : LEAST_NUMBER_WIDTH;
}

static void write_columns(const struct ghc_report *report, int width) {
  int names = report->label_width + report->module_width + report->source_width + 2;
  fprintf(report->out, "\n\n%*s  %12s   %12s\n", names + 1 + width + 12, "", "individual",
          "inherited");
  write_name(report, &heading, 0);
  fprintf(report->out, " %-*s %11s  %5s %6s   %5s %6s  %5s %9s\n\n", width, "no.", "entries",
          "%time", "%alloc", "%time", "%alloc", "ticks", "bytes");
}

static void write_row(const struct ghc_report *report, uint32_t node, unsigned number, int width) {
  struct centre_sums all = report->all[STACK_ROOT], own = report->own[node];
  struct centre_sums inherited = report->all[node];
  write_name(report, name_of(report, node), depth_of(report, node));
  fprintf(report->out,
          " %*u %11" PRIu64 "  %5.1f  %5.1f   %5.1f  %5.1f  %5" PRIu64 " %9" PRIu64 "\n", width,
          number, report->tree.nodes[node].calls, percent(own.ticks, all.ticks),
          percent(own.bytes, all.bytes), percent(inherited.ticks, all.ticks),
          percent(inherited.bytes, all.bytes), own.ticks, own.bytes);
}

static void write_tree(struct ghc_report *report) {
  const struct stack_node *nodes = report->tree.nodes;
  int width = number_width(report);
  unsigned number = 0;
  reset_widths(report);
  for (uint32_t at = report->top; at != NOTHING; at = nodes[at].next)
    widen_for(report, name_of(report, at), depth_of(report, at));
  write_columns(report, width);
  for (uint32_t at = report->top; at != NOTHING; at = nodes[at].next)
    if (!is_outside(report, at)) write_row(report, at, ++number, width);
}

/* ---- the file ---- */

static void say_entries(const struct ghc_report *report) {
  const struct export_options *options = report->data->options;
  bool any = false;
  for (size_t i = 0; i < report->tree.count; i++)
    any |= report->tree.nodes[i].calls > 0;
  if (!any && options->say)
    options->say("how often cost centres were entered is not known: their entries are 0");
  else if (!options->centres && export_site_counts(report->data) != SITE_COUNTS_NONE &&
           options->say)
    options->say("calls that were counted without their stacks are not among its entries");
}

/* As long as one tick stands for on average; figures that no ticks are behind get GHC's. */
static uint64_t tick_length(const struct export_data *time) {
  if (!time->all.ticks) return USUAL_TICK_US;
  long long us = llround((double)time->ns / (double)time->all.ticks / 1e3);
  return us > 0 ? (uint64_t)us : 1;
}

static void write_report(const struct export_data *time, const struct export_data *allocated,
                         FILE *out) {
  size_t functions = time->stacks->function_count;
  struct ghc_report report = {.data = time, .out = out, .tick_us = tick_length(time)};
  stack_tree_make_all(&report.tree, time, allocated);
  report.names = memory_zeroed(functions + 1, sizeof *report.names);
  report.sums = memory_zeroed(functions + 1, sizeof *report.sums);
  report.own = memory_zeroed(report.tree.count, sizeof *report.own);
  report.all = memory_zeroed(report.tree.count, sizeof *report.all);
  for (uint32_t i = 0; i < functions; i++)
    name_function(&report, i);
  find_own(&report);
  sum_up(&report);
  find_top(&report);
  write_head(&report);
  write_list(&report);
  write_tree(&report);
  say_entries(&report);
  free(report.names);
  free(report.sums);
  free(report.own);
  free(report.all);
  stack_tree_free(&report.tree);
}

/* The metric that was asked for, if it is time, else CPU time or what an imported file has of it.
 */
static uint32_t time_metric(const struct profile *profile) {
  if (!profile_metric(profile)->unit) return profile->metric;
  for (uint32_t i = 0; i < profile->metric_count; i++)
    if (!profile->metrics[i].unit && profile->metrics[i].kind != METRIC_WAITING) return i;
  return NOTHING;
}

/* It has both metrics of such a report; another one can only have been asked for. */
static bool has_metric(const struct profile *profile) {
  const struct profile_metric *metric = profile_metric(profile);
  return !profile->metric || !metric->unit ||
         strcmp(metric->name, heap_metric_name(HEAP_OF_MALLOC, HEAP_ALLOCATED)) == 0;
}

static int write_ghc_prof(const struct export_data *data, FILE *out, struct error *error) {
  const struct profile *profile = data->profile;
  uint32_t times = time_metric(profile);
  uint32_t bytes = metrics_find(profile, heap_metric_name(HEAP_OF_MALLOC, HEAP_ALLOCATED));
  if (times == NOTHING && bytes == NOTHING)
    return error_set(error, "--to ghc-prof needs time or allocated bytes: this profile has %s",
                     metrics_text(profile, profile->pool));
  if (!has_metric(profile))
    return error_set(error, "--to ghc-prof has time and allocated bytes, not --metric %s",
                     profile_metric(profile)->name);
  struct profile time_view = metric_view(profile, times == NOTHING ? bytes : times);
  struct profile bytes_view = metric_view(profile, bytes == NOTHING ? times : bytes);
  struct export_data time, allocated;
  export_data_open(&time, &time_view, data->options);
  export_data_open(&allocated, &bytes_view, data->options);
  if (times == NOTHING) time.sample_count = time.ns = time.all.ticks = 0;
  write_report(&time, bytes == NOTHING ? NULL : &allocated, out);
  export_data_close(&time);
  export_data_close(&allocated);
  return 0;
}

const struct export_format export_ghc_prof = {"ghc-prof",    ".prof",        "profiteur, viewprof",
                                              EXPORT_STACKS, write_ghc_prof, EXPORT_CENTRES_IF_ANY};
