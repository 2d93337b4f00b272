/* A profile as CHICKEN's own profilers write it, for chicken-profile: (NAME COUNT MILLISECONDS).
 * Percentages of a statistical file are of the sum of its times, those of an instrumented one of
 * the longest time. So a profile is instrumented if a function whose calls were counted has the
 * whole time as its total, as main usually has; else statistical, with self times. Source:
 * chicken-profile.scm of CHICKEN 5.3. */
#include <inttypes.h>
#include <stdlib.h>

#include "exchange/export_data.h"
#include "exchange/export_formats.h"

struct chicken_export {
  const struct export_data *data;
  struct costs *costs;
  bool instrumented;
  uint64_t *times;   /* by function, of the file's kind */
  uint32_t *written; /* functions, longest first */
  size_t count, left_out;
};

static uint64_t calls_of(const struct chicken_export *export, uint32_t function) {
  const struct function_cost *cost = &export->costs->functions[function];
  return cost->calls + cost->recursive;
}

static bool has_calls(const struct chicken_export *export, uint32_t function) {
  return costs_calls_known(export->data->profile, export->costs, function) &&
         calls_of(export, function);
}

static bool has_total(const struct chicken_export *export, uint32_t function) {
  return costs_total_known(export->data->profile, export->costs, function);
}

static uint64_t total_of(const struct chicken_export *export, uint32_t function) {
  return books_ns(&export->data->books, export->costs->functions[function].total);
}

/* The whole, as a report prints percentages: with one digit. */
static bool is_instrumented(const struct chicken_export *export) {
  uint64_t whole = books_whole_ns(&export->data->books);
  bool any_calls = false, any_whole = false;
  for (uint32_t i = 0; i < export->data->profile->function_count; i++) {
    any_calls |= has_calls(export, i);
    any_whole |= has_total(export, i) && (double)total_of(export, i) >= 0.9995 * (double)whole;
  }
  return whole && any_calls && any_whole;
}

static void choose(struct chicken_export *export, uint32_t function) {
  const struct function_cost *cost = &export->costs->functions[function];
  uint64_t self = books_ns(&export->data->books, cost->self);
  export->times[function] = export->instrumented ? total_of(export, function) : self;
  if (!self && !export->times[function] && !has_calls(export, function)) return;
  if (export->instrumented && !has_total(export, function))
    export->left_out++;
  else
    export->written[export->count++] = function;
}

static int by_time(const void *left, const void *right, void *context) {
  const struct chicken_export *export = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  if (export->times[a] != export->times[b]) return export->times[a] > export->times[b] ? -1 : 1;
  return (a > b) - (a < b);
}

/* Names are clean: no control characters. */
static void write_symbol(const char *name, FILE *out) {
  fputc('|', out);
  for (; *name; name++) {
    if (*name == '|' || *name == '\\') fputc('\\', out);
    fputc(*name, out);
  }
  fputc('|', out);
}

/* Calls that are not known are 0: chicken-profile takes #f for a counter that overflowed, and fails
 * when it compares two procedures of equal times of which one has it. */
static void write_entry(const struct chicken_export *export, uint32_t function, FILE *out) {
  uint64_t ns = export->times[function];
  fputc('(', out);
  write_symbol(export->data->names[function], out);
  uint64_t calls = has_calls(export, function) ? calls_of(export, function) : 0;
  fprintf(out, " %" PRIu64 " %" PRIu64 ".%06" PRIu64 ")\n", calls, ns / 1000000, ns % 1000000);
}

static void write_entries(struct chicken_export *export, FILE *out) {
  size_t functions = export->data->profile->function_count;
  export->instrumented = is_instrumented(export);
  export->times = memory_zeroed(functions, sizeof *export->times);
  export->written = memory_zeroed(functions, sizeof *export->written);
  for (uint32_t i = 0; i < functions; i++)
    choose(export, i);
  qsort_r(export->written, export->count, sizeof *export->written, by_time, export);
  fputs(export->instrumented ? "instrumented\n" : "statistical\n", out);
  for (size_t i = 0; i < export->count; i++)
    write_entry(export, export->written[i], out);
  free(export->times);
  free(export->written);
}

static int write_chicken(const struct export_data *data, FILE *out, struct error *error) {
  struct chicken_export export = {.data = data};
  char text[120];
  if (data->unit)
    return error_set(error, "--to chicken has times only, and --metric %s is in %s", data->event,
                     data->unit);
  export.costs = costs_compute(data->profile, &data->options->selection);
  write_entries(&export, out);
  costs_free(export.costs);
  if (!export.left_out || !data->options->say) return 0;
  snprintf(text, sizeof text,
           "left out: functions whose total time is unknown (%zu); it is part of their callers'",
           export.left_out);
  data->options->say(text);
  return 0;
}

const struct export_format export_chicken = {"chicken", ".PROFILE", "CHICKEN's chicken-profile",
                                             EXPORT_ANY, write_chicken};
