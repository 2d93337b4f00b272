/* Bands over time as JSON: who had how much of a metric in each part of the run. */
#ifndef ASCRIBE_VIEW_TIME_BANDS_H
#define ASCRIBE_VIEW_TIME_BANDS_H

#include "attribution/over_time.h"
#include "base/json.h"

struct time_bands {
  enum time_owners by;
  size_t parts, most; /* at most this many; parts: not 0 */
  uint32_t thread;    /* of this one alone; NOTHING: of all */
};

/* {unit, level, centres, kinds, from_ns, length_ns, end_ns, cpu_ns: [..], bands: [{name, function,
 * amounts: [..]}], axes: {cpu: [..], allocated: [..]}}, amounts by part of the `most` owners with
 * most and, last, of all others; axes: the CPU time and the bytes allocated of each part, whatever
 * the metric, or none where they are not known, and of one thread.  The profile was loaded with its
 * series (store_load_series).  False, and nothing was written: the metric is not known by time, or
 * not by these owners. */
bool time_bands_write(struct json *json, const char *key, const struct profile *profile,
                      uint32_t metric, const struct time_bands *asked);

#endif
