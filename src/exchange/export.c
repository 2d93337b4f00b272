#include "exchange/export.h"

#include <string.h>

#include "exchange/export_data.h"
#include "exchange/export_formats.h"

const struct export_format *const export_formats[EXPORT_FORMATS] = {
    &export_pprof,      &export_callgrind,  &export_collapsed,
    &export_speedscope, &export_flamegraph, &export_lcov};

const struct export_format *export_format_named(const char *name) {
  for (size_t i = 0; i < EXPORT_FORMATS; i++)
    if (strcmp(export_formats[i]->name, name) == 0) return export_formats[i];
  return NULL;
}

int export_profile(const struct profile *profile, const struct export_options *options,
                   const struct export_format *format, FILE *out, struct error *error) {
  struct export_data data;
  if (format->need == EXPORT_EXPRESSIONS && !profile->expression_count)
    return error_set(error, "--to %s needs counts of lines, and the profile has none",
                     format->name);
  if (profile->given && format->need == EXPORT_STACKS)
    return error_set(
        error,
        "--to %s needs stacks, and a profile imported from %s has none: --to callgrind "
        "writes what it has",
        format->name, profile->origin.format);
  export_data_open(&data, profile, options);
  format->write(&data, out);
  export_data_close(&data);
  return 0;
}
