#include "report/listing.h"

enum need { NEEDS_COSTS, NEEDS_CONTEXTS, NEEDS_CALLS };

static bool is_met(const struct profile *profile, enum need need) {
  if (need == NEEDS_COSTS || !profile->origin.format) return true;
  return !profile->given && (need != NEEDS_CALLS || profile->transition_count);
}

static void say_unknown(const struct listing *listing, const char *what) {
  const char *format = listing->model->profile->origin.format;
  const char *reason = listing->model->profile->given
                           ? "figures of functions and arcs, but no contexts"
                           : "stacks, but no counted calls";
  fprintf(listing->out, "\n%s: not known: %s has %s\n", what, format, reason);
}

/* Asked for, or some of them in a whole report of several. */
static void print_processes_and_threads(const struct listing *listing) {
  const struct profile *profile = listing->model->profile;
  unsigned parts = listing->model->options->parts, whole = REPORT_FLAT | REPORT_GRAPH;
  bool several = profile->process_count > 1 && !profile->origin.format,
       all = (parts & whole) == whole;
  if (parts & REPORT_PROCESSES || (several && all)) listing_processes(listing);
  if (parts & REPORT_THREADS || (profile->thread_count > profile->process_count && all))
    listing_threads(listing);
}

void report_print(const struct profile *profile, const struct report_options *options,
                  const struct terminal *terminal, FILE *out) {
  static const struct {
    enum report_part part;
    void (*print)(const struct listing *listing);
    enum need need;
    const char *name;
  } parts[] = {{REPORT_FLAT, listing_flat, NEEDS_COSTS, NULL},
               {REPORT_TABLE, listing_table, NEEDS_COSTS, NULL},
               {REPORT_GRAPH, listing_graph, NEEDS_COSTS, NULL},
               {REPORT_CONTEXTS, listing_contexts, NEEDS_CONTEXTS, "Contexts"},
               {REPORT_CENTRES, listing_centres, NEEDS_COSTS, NULL},
               {REPORT_CYCLES, listing_cycles, NEEDS_CONTEXTS, "Cycles that occurred"},
               {REPORT_MISLED, listing_misled, NEEDS_CALLS, "Where averages mislead"},
               {REPORT_LINES, listing_lines, NEEDS_COSTS, NULL},
               {REPORT_SOURCE, listing_source, NEEDS_COSTS, NULL},
               {REPORT_ASM, listing_asm, NEEDS_COSTS, NULL},
               {REPORT_CALLS, listing_calls, NEEDS_COSTS, NULL},
               {REPORT_HEAP, listing_heap, NEEDS_COSTS, NULL},
               {REPORT_LEAKS, listing_leaks, NEEDS_COSTS, NULL},
               {REPORT_PEAK, listing_peak, NEEDS_COSTS, NULL},
               {REPORT_SERIES, listing_series, NEEDS_COSTS, NULL},
               {REPORT_RUNS, listing_runs, NEEDS_COSTS, NULL},
               {REPORT_RANKS, listing_ranks, NEEDS_COSTS, NULL}};
  struct listing listing;
  listing_open(&listing, profile, options, terminal, out);
  profile->origin.format ? listing_imported_head(&listing) : listing_head(&listing);
  print_processes_and_threads(&listing);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (!(options->parts & parts[i].part)) continue;
    if (parts[i].part == REPORT_SOURCE && !options->source) continue;
    if (parts[i].part == REPORT_ASM && !options->assembly) continue;
    if (parts[i].part == REPORT_CALLS && !options->calls) continue;
    if (is_met(profile, parts[i].need))
      parts[i].print(&listing);
    else
      say_unknown(&listing, parts[i].name);
  }
  listing_close(&listing);
}
