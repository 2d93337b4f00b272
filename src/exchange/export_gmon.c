/* gmon.out, for GNU gprof: ticks by address and calls by place, of one executable. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/recorded/recorded_object.h"
#include "base/base_name.h"
#include "base/count_before.h"
#include "exchange/export_data.h"
#include "exchange/export_formats.h"
#include "exchange/export_names.h"
#include "exchange/gmon.h"
#include "report/quantity.h"
#include "symbols/demangle.h"
#include "symbols/text_symbols.h"

enum {
  FINEST_RATE = 1000000, /* a second */
  MOST_OF_BIN = 1 << 20, /* 16 records of 16 bits */
  BIN_BYTES = 2,         /* gprof's own unit */
  MOST_GAP = 1 << 12,    /* without ticks, in one histogram */
  REMARK_BYTES = 400,
};

struct sample {
  uint64_t address, ns;
};

struct gmon_export {
  const struct export_data *data;
  uint32_t object;
  struct symbols *symbols;
  struct symbol_file *file;
  struct text_symbols text;
  uint32_t *by_linkage; /* functions of the object that have one, sorted by it */
  size_t named;
  uint64_t *address; /* by function; 0: not known */
  struct gmon gmon;
  uint64_t placed_ns, calls, placed_calls;
};

/* ---- the executable ---- */

static uint32_t busiest_program(const struct export_data *data) {
  const struct profile *profile = data->profile;
  const struct profile_metric *metric = profile_metric(profile);
  uint64_t *self = memory_zeroed(profile->object_count, sizeof *self);
  uint32_t busiest = NOTHING;
  for (size_t i = 0; i < metric->instruction_count; i++)
    if (metric->instructions[i].object != NOTHING)
      self[metric->instructions[i].object] += metric->instructions[i].self.raw_ns;
  for (uint32_t i = 0; i < profile->object_count; i++)
    if (data->is_program[i] && (busiest == NOTHING || self[i] > self[busiest])) busiest = i;
  free(self);
  return busiest;
}

static int open_program(struct gmon_export *export, struct error *error) {
  static const struct text_symbols_options all;
  const struct profile *profile = export->data->profile;
  export->object = busiest_program(export->data);
  if (export->object == NOTHING)
    return error_set(error, "--to gmon is of one executable, and the profile does not say which");
  const struct profile_object *object = &profile->objects[export->object];
  export->symbols = symbols_create();
  if (recorded_object_file(export->symbols, object, &export->file, error) != 0) return -1;
  return text_symbols_read(object->path, &all, &export->text, error);
}

/* ---- time ---- */

static int by_address(const void *left, const void *right) {
  const struct sample *a = left, *b = right;
  return a->address < b->address ? -1 : a->address > b->address;
}

/* The samples of the executable, by bins. Each is the difference of two rounded sums, so that
 * rounding errors do not add up. */
static struct sample *take_samples(struct gmon_export *export, size_t *count) {
  const struct profile *profile = export->data->profile;
  const struct profile_metric *metric = profile_metric(profile);
  struct sample *samples = memory_zeroed(metric->instruction_count, sizeof *samples);
  struct amount sum = {0};
  *count = 0;
  for (size_t i = 0; i < metric->instruction_count; i++) {
    const struct profile_instruction *met = &metric->instructions[i];
    if (met->object != export->object) continue;
    uint64_t address = symbol_file_address(export->file, met->offset), before = export->placed_ns;
    if (!address) continue;
    sum = amount_sum(sum, met->self);
    export->placed_ns = books_ns(&export->data->books, sum);
    samples[(*count)++] =
        (struct sample){address / BIN_BYTES * BIN_BYTES, export->placed_ns - before};
  }
  if (*count) qsort(samples, *count, sizeof *samples, by_address);
  return samples;
}

static size_t sum_samples(struct sample *samples, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (kept && samples[kept - 1].address == samples[i].address)
      samples[kept - 1].ns += samples[i].ns;
    else
      samples[kept++] = samples[i];
  }
  return kept;
}

/* The finest in which counts of 16 bits do not take too many records. */
static uint32_t rate_for(const struct sample *samples, size_t count) {
  uint64_t most = 0;
  uint32_t rate = FINEST_RATE;
  for (size_t i = 0; i < count; i++)
    if (samples[i].ns > most) most = samples[i].ns;
  while (rate > 1 && most / (1000000000 / rate) > MOST_OF_BIN)
    rate /= 10;
  return rate;
}

static void add_histogram(struct gmon *gmon, uint64_t low, uint64_t high) {
  ARRAY_GROW(gmon->histograms, gmon->histogram_count);
  uint32_t bins = (uint32_t)((high - low) / BIN_BYTES);
  gmon->histograms[gmon->histogram_count++] =
      (struct gmon_histogram){low, high, memory_zeroed(bins, sizeof(uint64_t)), bins};
}

/* One for each stretch of code with ticks. */
static void make_histograms(struct gmon_export *export) {
  struct gmon *gmon = &export->gmon;
  size_t count;
  struct sample *samples = take_samples(export, &count);
  count = sum_samples(samples, count);
  uint64_t unit_ns = 1000000000 / rate_for(samples, count), sum_ns = 0;
  for (size_t i = 0, next; i < count; i = next) {
    for (next = i + 1; next < count; next++)
      if (samples[next].address - samples[next - 1].address > MOST_GAP) break;
    add_histogram(gmon, samples[i].address, samples[next - 1].address + BIN_BYTES);
    const struct gmon_histogram *histogram = &gmon->histograms[gmon->histogram_count - 1];
    for (size_t at = i; at < next; at++) {
      uint64_t before = sum_ns / unit_ns;
      sum_ns += samples[at].ns;
      histogram->counts[(samples[at].address - histogram->low) / BIN_BYTES] =
          sum_ns / unit_ns - before;
    }
  }
  /* Without any histogram GNU gprof shows -nan. */
  if (!count && export->text.count)
    add_histogram(gmon, export->text.list[0].address, export->text.list[0].address + BIN_BYTES);
  gmon->rate = (uint32_t)(1000000000 / unit_ns);
  memcpy(gmon->dimension, "seconds", sizeof "seconds");
  gmon->abbreviation = 's';
  free(samples);
}

/* ---- functions ---- */

static const struct profile_function *sorted_functions; /* qsort has no argument for it */

/* Without what names a clone or a piece. */
static int compare_names(const char *a, const char *b) {
  size_t a_length = demangle_base_length(a), b_length = demangle_base_length(b);
  int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
  return order ? order : (a_length > b_length) - (a_length < b_length);
}

static int by_linkage(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  int order = compare_names(sorted_functions[a].linkage, sorted_functions[b].linkage);
  return order ? order : a < b ? -1 : a > b;
}

static void sort_functions(struct gmon_export *export) {
  const struct profile *profile = export->data->profile;
  export->by_linkage = memory_zeroed(profile->function_count, sizeof *export->by_linkage);
  export->address = memory_zeroed(profile->function_count, sizeof *export->address);
  for (uint32_t i = 0; i < profile->function_count; i++)
    if (profile->functions[i].object == export->object && profile->functions[i].linkage)
      export->by_linkage[export->named++] = i;
  sorted_functions = profile->functions;
  if (export->named) qsort(export->by_linkage, export->named, sizeof(uint32_t), by_linkage);
}

static size_t first_named(const struct gmon_export *export, const char *linkage) {
  const struct profile_function *functions = export->data->profile->functions;
  return COUNT_BEFORE(export->named, i,
                      compare_names(functions[export->by_linkage[i]].linkage, linkage) < 0);
}

/* How well a symbol fits a function, above 0: not a clone, then at least no piece that was cut off,
 * then defined in the function's file, where that is told of local ones. (It is told of the unit,
 * which a header's functions are not in.) */
static uint8_t fitness(const struct profile_function *function, const struct text_symbol *symbol) {
  const char *file = base_name(function->file);
  bool there = file && symbol->file && strcmp(file, symbol->file) == 0;
  bool piece = strstr(symbol->linkage, ".cold") || strstr(symbol->linkage, ".part.");
  return 1 + there + 2 * !piece + 4 * (strcmp(function->linkage, symbol->linkage) == 0);
}

/* Where functions begin. */
static void find_functions(struct gmon_export *export) {
  const struct profile_function *functions = export->data->profile->functions;
  uint8_t *fit = memory_zeroed(export->data->profile->function_count, sizeof *fit);
  for (size_t i = 0; i < export->text.count; i++) {
    const struct text_symbol *symbol = &export->text.list[i];
    for (size_t at = first_named(export, symbol->linkage); at < export->named; at++) {
      uint32_t id = export->by_linkage[at];
      if (compare_names(functions[id].linkage, symbol->linkage) != 0) break;
      if (fitness(&functions[id], symbol) <= fit[id]) continue;
      fit[id] = fitness(&functions[id], symbol);
      export->address[id] = symbol->address;
    }
  }
  free(fit);
}

/* ---- calls ---- */

/* The place of the call; where it is not known, or in code of another object that called back, the
 * calling function's beginning, as in sums that GNU gprof writes. */
static uint64_t place_of(const struct gmon_export *export, const struct profile_site *site) {
  uint64_t place = site->object == export->object && site->offset
                       ? symbol_file_address(export->file, site->offset)
                       : 0;
  uint32_t caller = site_compiled_caller(site);
  return place || caller == NOTHING ? place : export->address[caller];
}

static void add_calls(struct gmon_export *export, const struct profile_site *site, uint64_t calls) {
  struct gmon *gmon = &export->gmon;
  export->calls += calls;
  uint64_t from = place_of(export, site), to = export->address[site->callee];
  if (!from || !to) return;
  export->placed_calls += calls;
  ARRAY_GROW(gmon->arcs, gmon->arc_count);
  gmon->arcs[gmon->arc_count++] = (struct gmon_arc){from, to, calls};
}

static void make_arcs(struct gmon_export *export) {
  const struct profile *profile = export->data->profile;
  struct costs *costs = costs_compute(profile, NULL);
  sort_functions(export);
  find_functions(export);
  for (size_t i = 0; i < profile->site_count; i++)
    if (costs->site_calls[i]) add_calls(export, &profile->sites[i], costs->site_calls[i]);
  costs_free(costs);
}

/* ---- what there is no room for ---- */

static void say_missing(const struct gmon_export *export) {
  const struct export_data *data = export->data;
  const char *path = data->profile->objects[export->object].path;
  char text[REMARK_BYTES], placed[QUANTITY_BYTES], all[QUANTITY_BYTES];
  void (*say)(const char *text) = data->options->say;
  if (!say) return;
  snprintf(text, sizeof text, "gmon.out is of one executable, %.200s: it has %s of %s of time",
           path, quantity_text(NULL, export->placed_ns, placed),
           quantity_text(NULL, data->ns, all));
  say(export_clean(data->pool, text));
  if (export->calls)
    snprintf(text, sizeof text,
             "and %" PRIu64 " of %" PRIu64 " calls: the others have an end elsewhere",
             export->placed_calls, export->calls);
  else
    snprintf(text, sizeof text, "and no calls: none were counted");
  say(text);
}

static int write_gmon(const struct export_data *data, FILE *out, struct error *error) {
  struct gmon_export export = {.data = data};
  int result = open_program(&export, error);
  if (result == 0) {
    struct gmon_form form = {.pointer_bytes = export.text.pointer_bytes};
    make_histograms(&export);
    make_arcs(&export);
    gmon_sum(&export.gmon);
    gmon_write(&export.gmon, &form, out);
    say_missing(&export);
  }
  free(export.by_linkage);
  free(export.address);
  gmon_free(&export.gmon);
  text_symbols_free(&export.text);
  symbols_free(export.symbols);
  return result;
}

const struct export_format export_gmon = {"gmon", ".gmon", "GNU gprof, ascribe gprof",
                                          EXPORT_ADDRESSES, write_gmon};
