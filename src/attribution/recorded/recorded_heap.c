#include "attribution/recorded/recorded_heap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/fold.h"
#include "attribution/heap_costs.h"
#include "attribution/recorded/process_figures.h"
#define ASCRIBE_RUNTIME /* its constants only */
#include "ascribe/host.h"
#include "profile/appended.h"
#include "recording/history.h"

/* The ticks of a heap entry, by metric; NOTHING: it has none there. */
struct heap_ticks {
  enum heap_area area;
  uint32_t of[HEAP_METRIC_COUNT];
};

/* Sums of what a damaged recording claims stay far from overflowing. */
static const uint64_t MOST = 3000000000000000000;

static uint64_t bounded(uint64_t value) {
  return value < MOST ? value : MOST;
}

/* What is left of `whole`; in a damaged recording more than that may have gone. */
static uint64_t left(uint64_t whole, uint64_t gone) {
  return bounded(gone < whole ? whole - gone : 0);
}

/* Closures are known by centre only. */
static struct profile_tick tick_of_closures(struct heap_adder *adder, uint32_t thread) {
  uint32_t function = places_closures(adder->places), entry = history_entry(function, true);
  struct profile_builder *builder = adder->places->builder;
  return (struct profile_tick){.context = context_intern(&builder->contexts, thread, &entry, 1),
                               .stack = NOTHING,
                               .line = builder_line(builder, function, NULL, 0)};
}

/* ---- kinds ---- */

static uint32_t kind_of_closure(struct heap_adder *adder, const struct process_recording *process,
                                uint32_t number) {
  static const enum kind_basis bases[] = {[ASCRIBE_CONSTRUCTOR] = KIND_CONSTRUCTOR,
                                          [ASCRIBE_FUNCTION] = KIND_FUNCTION,
                                          [ASCRIBE_PARTIAL_APPLICATION] = KIND_PARTIAL,
                                          [ASCRIBE_THUNK] = KIND_THUNK};
  struct key_definition closure;
  struct profile_kind kind = {.least = UINT64_MAX, .most = UINT64_MAX};
  if (!recording_closure(process, number, &closure) || closure.place < ASCRIBE_CONSTRUCTOR ||
      closure.place > ASCRIBE_THUNK)
    return builder_kind(adder->places->builder, kind);
  kind.basis = bases[closure.place];
  kind.name = closure.name[0] ? closure.name : "UNKNOWN"; /* as the paper has it */
  kind.least = kind.most = closure.bytes;
  return builder_kind(adder->places->builder, kind);
}

static uint32_t kind_of(struct heap_adder *adder, const struct process_recording *process,
                        const struct heap_entry *entry, const struct profile_tick *tick) {
  uint32_t name = HEAP_KIND_NAME(entry->kind), size = HEAP_KIND_CLASS(entry->kind);
  static const char *const mappings[] = {[MAPPING_ANONYMOUS] = "anonymous memory",
                                         [MAPPING_FILE] = "file",
                                         [MAPPING_SHARED] = "shared memory",
                                         [MAPPING_BREAK] = "brk"};
  struct profile_kind made = {.least = UINT64_MAX, .most = UINT64_MAX};
  if (entry->area == HEAP_OF_CLOSURES) return kind_of_closure(adder, process, entry->kind);
  if (entry->area == HEAP_OF_MAPPINGS) {
    made.basis = KIND_MAPPED;
    made.name = mappings[name];
  } else if (name && name < process->heap_name_count && process->heap_names[name]) {
    made.basis = entry->area == HEAP_OF_POOLS ? KIND_POOL : KIND_NAMED;
    made.name = process->heap_names[name];
  } else if (entry->area == HEAP_OF_MALLOC &&
             (made.name = block_type(&adder->types, tick, entry->context))) {
    made.basis = KIND_TYPE;
  }
  if (size <= HEAP_CLASS_LARGEST) made.most = HEAP_CLASS_BYTES(size);
  if (size < HEAP_CLASS_UNKNOWN) made.least = size ? HEAP_CLASS_BYTES(size - 1) + 1 : 0;
  return builder_kind(adder->places->builder, made);
}

/* Returns the tick, or NOTHING. `always`: also without any. */
static uint32_t charge(struct heap_adder *adder, uint32_t metric, struct profile_tick tick,
                       struct amount amount, bool always) {
  if (metric == NOTHING || (!amount.raw_ns && !amount.ticks && !always)) return NOTHING;
  tick.amount = amount;
  return builder_tick(adder->places->builder, metric, tick);
}

/* The units in which the recording has variances: blocks squared, and bytes squared. 0 where all
 * allocations were recorded. */
struct variance_units {
  double blocks, bytes;
};

static struct variance_units units_of(const struct process_recording *process) {
  double mean = process->heap.mean;
  return (struct variance_units){ldexp(mean / 16 * mean / 16, -HEAP_VARIANCE_OF_BLOCKS),
                                 ldexp(mean * mean, -HEAP_VARIANCE_OF_BYTES)};
}

/* What a metric has of these sums, with its variance. */
static struct amount amount_of(enum heap_area area, enum heap_metric metric,
                               const struct heap_sums *sums, const struct heap_sums *variances,
                               struct variance_units units) {
  uint64_t blocks = bounded(sums->allocations), temporary = bounded(sums->temporary);
  switch (metric) {
  case HEAP_ALLOCATIONS:
    return (struct amount){blocks, blocks, .variance = variances->allocations * units.blocks};
  case HEAP_ALLOCATED:
    return (struct amount){blocks, bounded(sums->allocated),
                           .variance = variances->allocated * units.bytes};
  case HEAP_LIVE:
    if (area == HEAP_OF_CLOSURES)
      return (struct amount){left(sums->live, 0), left(sums->live_bytes, 0)};
    return (struct amount){left(sums->allocations, sums->frees), left(sums->allocated, sums->freed),
                           .variance = left(variances->allocated, variances->freed) * units.bytes};
  case HEAP_PEAK: /* of a damaged recording it may be below 0 */
    if (sums->at_peak >= MOST) return (struct amount){0};
    return (struct amount){0, sums->at_peak, .variance = bounded(variances->at_peak) * units.bytes};
  default:
    return (struct amount){temporary, temporary, .variance = variances->temporary * units.blocks};
  }
}

/* `known`: what is live is known by time, and may have been something before the end. */
static struct heap_ticks add_entry(struct heap_adder *adder, const struct heap_entry *entry,
                                   struct profile_tick tick, struct variance_units units,
                                   bool known) {
  struct heap_ticks ticks = {.area = entry->area};
  for (int i = 0; i < HEAP_METRIC_COUNT; i++)
    ticks.of[i] = charge(adder, adder->metrics[entry->area][i], tick,
                         amount_of(entry->area, i, &entry->sums, &entry->variances, units),
                         known && i == HEAP_LIVE);
  return ticks;
}

/* ---- what was when ---- */

static void add_to_series(struct heap_adder *adder, uint32_t metric, uint32_t slice, uint32_t tick,
                          struct amount amount) {
  struct profile_slice_tick part = {slice, tick, NOTHING, amount};
  bool any = amount.ticks || amount.raw_ns || amount.variance > 0;
  if (tick == NOTHING) return;
  struct profile_metric *to = &adder->profile->metrics[metric];
  if (any || metric_is_level(to)) (void)APPENDED(to->series, to->series_count, part);
}

static int by_tick_and_slice(const void *left, const void *right, void *context) {
  const struct heap_part *a = left, *b = right;
  const struct heap_ticks *ticks = context;
  if (ticks[a->entry].area != ticks[b->entry].area)
    return ticks[a->entry].area < ticks[b->entry].area ? -1 : 1;
  uint32_t first = ticks[a->entry].of[HEAP_LIVE], second = ticks[b->entry].of[HEAP_LIVE];
  if (first != second) return first < second ? -1 : 1;
  return (a->slice > b->slice) - (a->slice < b->slice);
}

/* For each slice in which live memory changed: how much was live at the slice's end. */
static void add_live(struct heap_adder *adder, const struct process_recording *process,
                     const struct heap_ticks *ticks, uint32_t first_slice) {
  struct variance_units units = units_of(process);
  struct heap_sums sums = {0}, variances = {0};
  for (size_t i = 0; i < process->heap_part_count; i++) {
    const struct heap_part *part = &process->heap_parts[i], *next = part + 1;
    const struct heap_ticks *of = &ticks[part->entry];
    bool last = i + 1 == process->heap_part_count || ticks[next->entry].area != of->area ||
                ticks[next->entry].of[HEAP_LIVE] != of->of[HEAP_LIVE];
    heap_sums_add(&sums, &part->sums);
    heap_sums_add(&variances, &part->variances);
    if (last || next->slice != part->slice)
      add_to_series(adder, adder->metrics[of->area][HEAP_LIVE], first_slice + part->slice,
                    of->of[HEAP_LIVE], amount_of(of->area, HEAP_LIVE, &sums, &variances, units));
    if (last) sums = variances = (struct heap_sums){0};
  }
}

static void add_parts(struct heap_adder *adder, const struct process_recording *process,
                      struct heap_ticks *ticks, uint32_t first_slice) {
  static const enum heap_metric by_slice[] = {HEAP_ALLOCATIONS, HEAP_ALLOCATED, HEAP_TEMPORARY};
  struct variance_units units = units_of(process);
  for (size_t i = 0; i < process->heap_part_count; i++) {
    const struct heap_part *part = &process->heap_parts[i];
    const struct heap_ticks *of = &ticks[part->entry];
    for (size_t k = 0; k < sizeof by_slice / sizeof *by_slice; k++)
      add_to_series(adder, adder->metrics[of->area][by_slice[k]], first_slice + part->slice,
                    of->of[by_slice[k]],
                    amount_of(of->area, by_slice[k], &part->sums, &part->variances, units));
  }
  qsort_r(process->heap_parts, process->heap_part_count, sizeof *process->heap_parts,
          by_tick_and_slice, ticks);
  add_live(adder, process, ticks, first_slice);
}

/* Whether the slice of every part is known; only then do parts add up to the whole. */
static bool known_by_time(const struct process_recording *process) {
  for (size_t i = 0; i < process->heap_part_count; i++)
    if (process->heap_parts[i].slice >= process->slice_count) return false;
  return process->heap_part_count;
}

/* Nobody maps memory for a moment, and what closures are temporary is not known. */
static bool has_metric(enum heap_area area, enum heap_metric metric) {
  return area < HEAP_BOOKS || metric != HEAP_TEMPORARY;
}

static void add_metrics(struct heap_adder *adder, enum heap_area area, bool sampled) {
  for (int i = 0; i < HEAP_METRIC_COUNT; i++) {
    uint32_t *metric = &adder->metrics[area][i];
    *metric = NOTHING;
    if (!has_metric(area, i)) continue;
    *metric =
        metrics_add(adder->profile, METRIC_HEAP, heap_metric_name(area, i), heap_metric_unit(i));
    adder->profile->metrics[*metric].evidence = sampled ? EVIDENCE_SIZED : EVIDENCE_COUNTED;
  }
}

static uint64_t peak_ns(const struct process_recording *process) {
  const struct recording_header *header = &process->header;
  double cycles = (double)process->heap.areas[HEAP_OF_MALLOC].peak_tsc - header->tsc_started;
  double at = cycles * figures_cycle_ns(header);
  return at > 0 && at < MOST ? (uint64_t)at : 0;
}

static void add_sums(struct profile_heap *sums, const struct process_recording *process) {
  const struct recorded_heap *whole = &process->heap;
  const struct recorded_heap_area *books = &whole->areas[HEAP_OF_MALLOC],
                                  *pools = &whole->areas[HEAP_OF_POOLS];
  *sums = (struct profile_heap){
      .recorded = true,
      .mean = bounded(whole->mean),
      .unknown_frees = bounded(books->unknown_frees),
      .early_frees = bounded(books->early_frees),
      .dropped = bounded(bounded(books->dropped) + bounded(pools->dropped)),
      .mappings_lost = bounded(whole->mappings_dropped),
      .stackless = bounded(bounded(books->stackless) + bounded(pools->stackless)),
      .unnamed = bounded(whole->unnamed),
      .peak_ns = peak_ns(process)};
  for (size_t i = 0; i < process->heap_count; i++) {
    const struct heap_sums *entry = &process->heap_entries[i].sums;
    if (process->heap_entries[i].area != HEAP_OF_MALLOC) continue;
    sums->allocations = bounded(sums->allocations + bounded(entry->allocations));
    sums->allocated = bounded(sums->allocated + bounded(entry->allocated));
    sums->frees = bounded(sums->frees + bounded(entry->frees));
    sums->freed = bounded(sums->freed + bounded(entry->freed));
    if (entry->at_peak < MOST) sums->peak = bounded(sums->peak + entry->at_peak);
  }
  uint64_t bound = bounded(books->bound);
  if (bound > sums->peak) sums->peak_within = bound - sums->peak;
}

void recorded_heap_add(struct heap_adder *adder, const struct process_recording *process,
                       uint32_t first_thread, uint32_t first_slice) {
  if (process->heap_recorded && !adder->metrics[HEAP_OF_MALLOC][0])
    add_metrics(adder, HEAP_OF_MALLOC, process->heap.mean);
  if (!process->heap_recorded && !process->heap_count) return;
  struct heap_ticks *ticks = memory_zeroed(process->heap_count, sizeof *ticks);
  struct variance_units units = units_of(process);
  bool known = known_by_time(process);
  for (size_t i = 0; i < process->heap_count; i++) {
    const struct heap_entry *entry = &process->heap_entries[i];
    if (!adder->metrics[entry->area][0]) add_metrics(adder, entry->area, false);
    uint32_t thread = first_thread + process->contexts[entry->context].thread;
    struct profile_tick tick = entry->area == HEAP_OF_CLOSURES
                                   ? tick_of_closures(adder, thread)
                                   : stack_tick_of_call(adder->stack_ticks, thread, entry->context);
    tick.centre = recorded_centres_find(adder->centres, entry->centre, thread);
    tick.kind = kind_of(adder, process, entry, &tick);
    ticks[i] = add_entry(adder, entry, tick, units, known);
  }
  if (known) add_parts(adder, process, ticks, first_slice);
  free(ticks);
  if (process->heap_recorded)
    add_sums(&adder->profile->processes[adder->profile->process_count - 1].heap, process);
}

void recorded_heap_close(struct heap_adder *adder) {
  block_types_close(&adder->types);
}
