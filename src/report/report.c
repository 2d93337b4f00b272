#include "report/listing.h"

void report_print(const struct profile *profile, const struct report_options *options, FILE *out) {
  static const struct {
    enum report_part part;
    void (*print)(const struct listing *listing);
  } parts[] = {{REPORT_FLAT, listing_flat},         {REPORT_GRAPH, listing_graph},
               {REPORT_CONTEXTS, listing_contexts}, {REPORT_CYCLES, listing_cycles},
               {REPORT_MISLED, listing_misled},     {REPORT_LINES, listing_lines}};
  struct listing listing;
  listing_open(&listing, profile, options, out);
  listing_head(&listing);
  if (profile->process_count > 1) listing_processes(&listing);
  if (profile->thread_count > profile->process_count) listing_threads(&listing);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (options->parts & parts[i].part) parts[i].print(&listing);
  listing_close(&listing);
}
