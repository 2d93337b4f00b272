/* GHC's heap profile: samples of how much memory was live, by cost centre or function.
 * Source: GHC User's Guide, "hp2ps - rendering heap profiles to PostScript"; utils/hp2ps/HpFile.c.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/export_data.h"
#include "exchange/export_formats.h"
#include "exchange/printed_date.h"
#include "profile/appended.h"

/* From this sample on, a tick has so much more; modulo 2^64. */
struct level_change {
  size_t sample;
  uint32_t tick;
  uint64_t more;
};

/* A sample for each slice of any process: what is live at its end or, of a profile that was made of
 * samples (level_series.h), when it begins. */
struct heap_samples {
  const struct export_data *data;
  FILE *out;
  bool at_start;
  const struct profile_slice **slices; /* in the order of their samples */
  size_t *sample_of;                   /* by slice */
  struct level_change *changes;        /* in the order of samples */
  size_t change_count;
  uint64_t *bands; /* by function of the stacks, the last is in no cost centre: what is
                    * live at the sample at hand */
};

/* ---- samples ---- */

static uint64_t time_of(const struct profile_slice *slice, bool at_start) {
  return at_start ? slice->start_ns : slice->end_ns;
}

static int by_time(const void *left, const void *right, void *context) {
  const struct profile_slice *a = *(const struct profile_slice *const *)left;
  const struct profile_slice *b = *(const struct profile_slice *const *)right;
  const struct heap_samples *samples = context;
  uint64_t first = time_of(a, samples->at_start), second = time_of(b, samples->at_start);
  if (first != second) return first < second ? -1 : 1;
  return (a > b) - (a < b);
}

static void order_samples(struct heap_samples *samples) {
  const struct profile *profile = samples->data->profile;
  samples->slices = memory_zeroed(profile->slice_count, sizeof *samples->slices);
  samples->sample_of = memory_zeroed(profile->slice_count, sizeof *samples->sample_of);
  for (size_t i = 0; i < profile->slice_count; i++)
    samples->slices[i] = &profile->slices[i];
  qsort_r(samples->slices, profile->slice_count, sizeof *samples->slices, by_time, samples);
  for (size_t i = 0; i < profile->slice_count; i++)
    samples->sample_of[samples->slices[i] - profile->slices] = i;
}

/* ---- changes ---- */

/* By process: the first sample after its end, of another moment. */
static size_t *find_ends(const struct heap_samples *samples) {
  const struct profile *profile = samples->data->profile;
  size_t *ends = memory_zeroed(profile->process_count, sizeof *ends);
  for (size_t i = 0; i < profile->slice_count; i++)
    ends[samples->slices[i]->process] = i + 1;
  for (size_t i = 0; i < profile->process_count; i++)
    while (ends[i] && ends[i] < profile->slice_count &&
           time_of(samples->slices[ends[i]], samples->at_start) ==
               time_of(samples->slices[ends[i] - 1], samples->at_start))
      ends[i]++;
  return ends;
}

static void add_change(struct heap_samples *samples, size_t sample, uint32_t tick, uint64_t more) {
  struct level_change change = {sample, tick, more};
  (void)APPENDED(samples->changes, samples->change_count, change);
}

static int by_sample(const void *left, const void *right) {
  const struct level_change *a = left, *b = right;
  if (a->sample != b->sample) return a->sample < b->sample ? -1 : 1;
  return (a->tick > b->tick) - (a->tick < b->tick);
}

/* Relies on the order of the series: metric_is_level. */
static void find_changes(struct heap_samples *samples) {
  const struct profile *profile = samples->data->profile;
  const struct profile_metric *live = profile_metric(profile);
  size_t *ends = find_ends(samples);
  uint64_t level = 0;
  for (size_t i = 0; i < live->series_count; i++) {
    const struct profile_slice_tick *at = &live->series[i];
    if (!samples->data->selected[live->ticks[at->tick].context]) continue;
    add_change(samples, samples->sample_of[at->slice], at->tick, at->amount.raw_ns - level);
    level = at->amount.raw_ns;
    if (!metric_level_ends(profile, live, i)) continue;
    add_change(samples, ends[profile->slices[at->slice].process], at->tick, -level);
    level = 0;
  }
  qsort(samples->changes, samples->change_count, sizeof *samples->changes, by_sample);
  free(ends);
}

static void change(struct heap_samples *samples, const struct level_change *change) {
  const struct export_data *data = samples->data;
  uint32_t context = export_context(data, &profile_metric(data->profile)->ticks[change->tick]);
  uint32_t band = NOTHING;
  if (context != NOTHING) band = context_running(&data->stacks->contexts[context]);
  if (band == NOTHING) band = (uint32_t)data->stacks->function_count;
  samples->bands[band] += change->more;
}

/* ---- the file ---- */

/* Readers take the first word of a line for its band or a keyword, and "(308)f" for a stack whose
 * number is 308: imports have that at the end (import_ghc_hp.c). */
static void write_name(const struct heap_samples *samples, const char *name) {
  static const char *const keywords[] = {"JOB",          "DATE",       "SAMPLE_UNIT", "VALUE_UNIT",
                                         "BEGIN_SAMPLE", "END_SAMPLE", "MARK"};
  size_t length = strlen(name), digits = 0;
  while (length > digits + 1 && name[length - 1] == ')' &&
         isdigit((unsigned char)name[length - 2 - digits]))
    digits++;
  bool numbered = digits && length > digits + 3 && memcmp(name + length - digits - 3, " (", 2) == 0;
  if (numbered) fprintf(samples->out, "(%.*s)", (int)digits, name + length - digits - 1);
  if (numbered) length -= digits + 3;
  for (size_t i = 0; i < length; i++)
    fputc(name[i] == ' ' ? '_' : name[i] == '"' ? '\'' : name[i], samples->out);
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
    if (strcmp(name, keywords[i]) == 0) fputs("()", samples->out);
}

/* As GHC writes it, unless that would round it. */
static void write_time(const struct heap_samples *samples, const char *keyword, uint64_t ns) {
  uint64_t part = ns % 1000000000;
  fprintf(samples->out, "%s %" PRIu64, keyword, ns / 1000000000);
  if (part % 1000)
    fprintf(samples->out, ".%09" PRIu64 "\n", part);
  else
    fprintf(samples->out, ".%06" PRIu64 "\n", part / 1000);
}

/* `empty`: of a moment at which nothing was live. */
static void write_sample(const struct heap_samples *samples, uint64_t ns, bool empty) {
  const struct export_data *data = samples->data;
  size_t count = data->stacks->function_count;
  write_time(samples, "BEGIN_SAMPLE", ns);
  for (size_t i = 0; i <= count && !empty; i++) {
    if (!samples->bands[i]) continue;
    write_name(samples, i < count ? data->names[i] : EXPORT_OUTSIDE);
    fprintf(samples->out, "\t%" PRIu64 "\n", samples->bands[i]);
  }
  write_time(samples, "END_SAMPLE", ns);
}

static void write_text(const struct heap_samples *samples, const char *keyword, const char *text) {
  fprintf(samples->out, "%s \"", keyword);
  for (; *text; text++)
    fputc(*text == '"' ? '\'' : *text, samples->out);
  fputs("\"\n", samples->out);
}

static void write_head(const struct heap_samples *samples) {
  char date[PRINTED_DATE_BYTES];
  write_text(samples, "JOB", samples->data->title);
  write_text(samples, "DATE", printed_date_text(samples->data->run.started_ns, GHC_DATE, date));
  write_text(samples, "SAMPLE_UNIT", "seconds");
  write_text(samples, "VALUE_UNIT", samples->data->unit);
}

static bool is_asked(const struct profile *profile, const struct profile_slice *slice) {
  const struct profile_interval *interval = &profile->interval;
  if (!interval->to_ns) return true;
  return slice->start_ns >= interval->from_ns && slice->start_ns < interval->to_ns;
}

/* An imported profile with ticks by time has slices that are no samples of the heap. */
static bool has_cut_slices(const struct profile *profile) {
  bool found = false;
  for (size_t i = 0; i < profile->metric_count && profile->origin.format; i++)
    found |= profile->metrics[i].series_count && !metric_is_level(&profile->metrics[i]);
  return found;
}

/* The program begins and, where the end of its last sample is known, ends with an empty sample. */
static void write_samples(struct heap_samples *samples) {
  const struct profile *profile = samples->data->profile;
  const struct profile_slice *const *slices = samples->slices;
  const struct profile_slice *last = slices[profile->slice_count - 1];
  size_t at = 0;
  if (!samples->at_start && !profile->interval.to_ns)
    write_sample(samples, slices[0]->start_ns, true);
  bool cut = has_cut_slices(profile);
  size_t before = 0;
  for (size_t i = 0; i < profile->slice_count; i++) {
    for (; at < samples->change_count && samples->changes[at].sample == i; at++)
      change(samples, &samples->changes[at]);
    if (i + 1 < profile->slice_count &&
        time_of(slices[i], samples->at_start) == time_of(slices[i + 1], samples->at_start))
      continue; /* processes, or runs, that have one moment make one sample */
    if (is_asked(profile, slices[i]) && (at > before || !i || !cut))
      write_sample(samples, time_of(slices[i], samples->at_start), false);
    before = at;
  }
  if (samples->at_start && !profile->interval.to_ns && last->end_ns > last->start_ns + 1)
    write_sample(samples, last->end_ns, true);
}

static int write_ghc_hp(const struct export_data *data, FILE *out, struct error *error) {
  struct heap_samples samples = {
      .data = data, .out = out, .at_start = data->profile->origin.format != NULL};
  (void)error;
  order_samples(&samples);
  samples.bands = memory_zeroed(data->stacks->function_count + 1, sizeof *samples.bands);
  find_changes(&samples);
  write_head(&samples);
  write_samples(&samples);
  free(samples.slices);
  free(samples.sample_of);
  free(samples.changes);
  free(samples.bands);
  return 0;
}

const struct export_format export_ghc_hp = {
    "ghc-hp", ".hp", "hp2ps", EXPORT_LEVELS, write_ghc_hp, EXPORT_CENTRES_IF_ANY, "live"};
