#include "exchange/export.h"

#include <string.h>

#include "exchange/export_data.h"
#include "exchange/export_formats.h"
#include "profile/centres.h"

#define ADDRESS_OF(name) &export_##name,
const struct export_format *const export_formats[] = {EXPORT_FORMATS(ADDRESS_OF) NULL};

const struct export_format *export_format_named(const char *name) {
  for (size_t i = 0; export_formats[i]; i++)
    if (strcmp(export_formats[i]->name, name) == 0) return export_formats[i];
  return NULL;
}

/* Time by address and counts of lines are known of the whole only. */
static int check_selection(const struct selection *selection, const struct export_format *format,
                           struct error *error) {
  if (!selection->focus_count && selection->thread == NOTHING && !selection->processes) return 0;
  return error_set(error, "--to %s cannot be combined with --focus, --thread or --process",
                   format->name);
}

static int check_addresses(const struct profile *profile, const struct export_format *format,
                           struct error *error) {
  if (profile_metric(profile)->kind == METRIC_CPU) return 0;
  return error_set(error, "--to %s needs CPU time by address, which this profile lacks",
                   format->name);
}

static int check_levels(const struct profile *profile, const struct export_format *format,
                        struct error *error) {
  const struct profile_metric *metric = profile_metric(profile);
  if (metric_is_level(metric) && metric->series_count) return 0;
  return error_set(error,
                   "--to %s needs memory that was live by time, which --metric %s of this profile "
                   "lacks: record --heap has it, as --metric live",
                   format->name, metric->name);
}

static int check_centres(const struct profile *profile, const struct export_format *format,
                         struct error *error) {
  if (format->centres == EXPORT_NO_CENTRES)
    return error_set(error, "--to %s has no cost centres: leave --centres out", format->name);
  if (profile_has_centres(profile)) return 0;
  return error_set(error, "--centres: the program entered none; --centres=functions and its like "
                          "take them from the stacks");
}

int export_profile(const struct profile *profile, const struct export_options *asked,
                   const struct export_format *format, FILE *out, struct error *error) {
  struct export_data data;
  struct export_options taken = *asked, *options = &taken;
  if (format->need == EXPORT_EXPRESSIONS && !profile->expression_count)
    return error_set(error, "--to %s needs counts of lines, which this profile lacks",
                     format->name);
  if (profile->given && format->need == EXPORT_STACKS)
    return error_set(
        error,
        "--to %s needs stacks, and a profile imported from %s has none: --to callgrind "
        "writes what it has",
        format->name, profile->origin.format);
  if (format->need == EXPORT_ADDRESSES && check_addresses(profile, format, error) != 0) return -1;
  if (format->need == EXPORT_LEVELS && check_levels(profile, format, error) != 0) return -1;
  if (options->centres && check_centres(profile, format, error) != 0) return -1;
  options->centres |= format->centres == EXPORT_CENTRES_IF_ANY && profile_has_centres(profile);
  bool of_whole = format->need == EXPORT_ADDRESSES || format->need == EXPORT_EXPRESSIONS;
  if (of_whole && check_selection(&options->selection, format, error) != 0) return -1;
  export_data_open(&data, profile, options);
  int result = format->write(&data, out, error);
  export_data_close(&data);
  return result;
}
