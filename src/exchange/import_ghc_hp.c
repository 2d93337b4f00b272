/* GHC's heap profile: samples of how much memory was live, by band: cost-centre stack, type,
 * module, closure or whatever the profile was broken down by.
 * Source: GHC User's Guide, "hp2ps - rendering heap profiles to PostScript". */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/begins.h"
#include "exchange/import_formats.h"
#include "exchange/level_series.h"
#include "exchange/printed_date.h"

struct hp_import {
  struct input *input;
  struct error *error;
  struct stack_profile stacks;
  struct level_series series;
  uint32_t thread;
  char *command, *unit;
  bool is_open;   /* the first sample was met */
  bool in_sample; /* between BEGIN_SAMPLE and END_SAMPLE */
  bool has_bands; /* the sample at hand */
  bool has_any;   /* any sample that is complete */
  bool is_empty;  /* the last sample: it may be the end of the program */
  uint64_t time_ns;
  uint64_t date_ns; /* since 1970; 0: not known */
};

static int wrong(const struct hp_import *import, const char *what, const char *line) {
  return input_error(import->input, import->error, "%s: %.60s", what, line);
}

/* ---- the head ---- */

/* The value behind the keyword; null if the line does not begin with it. */
static const char *after(const char *line, const char *keyword) {
  const char *value = text_after(line, keyword);
  return value && isspace((unsigned char)*value) ? value + strspn(value, " \t") : NULL;
}

/* The text between quotation marks, to be freed. */
static char *quoted(const char *text) {
  size_t length = strlen(text);
  while (length && isspace((unsigned char)text[length - 1]))
    length--;
  bool is_quoted = length > 1 && text[0] == '"' && text[length - 1] == '"';
  return memory_text_part(text + is_quoted, is_quoted ? length - 2 : length);
}

/* 1: it was a line of the head; 0: it was none; -1: an error. */
static int take_head(struct hp_import *import, const char *line) {
  const char *value;
  if (after(line, "MARK")) return 1;
  if ((value = after(line, "DATE"))) {
    import->date_ns = printed_date_read(value + (*value == '"'), GHC_DATE);
  } else if ((value = after(line, "JOB"))) {
    free(import->command);
    import->command = quoted(value);
  } else if ((value = after(line, "VALUE_UNIT"))) {
    free(import->unit);
    import->unit = quoted(value);
  } else if ((value = after(line, "SAMPLE_UNIT"))) {
    char *unit = quoted(value);
    int result = strcmp(unit, "seconds") == 0 ? 1 : wrong(import, "not in seconds", line);
    free(unit);
    return result;
  } else {
    return 0;
  }
  return 1;
}

static void open_profile(struct hp_import *import) {
  const char *unit = import->unit && import->unit[0] ? import->unit : "bytes";
  level_series_open(&import->series, &import->stacks, unit);
  const char *command = import->command ? import->command : "";
  uint32_t process = stack_profile_process(&import->stacks, 0, command);
  stack_profile_date(&import->stacks, process, import->date_ns);
  import->thread = stack_profile_thread(&import->stacks, process, 0, "");
  import->is_open = true;
}

/* ---- samples ---- */

/* "0.018511": nanoseconds, exactly. */
static bool parse_seconds(const char *text, uint64_t *time_ns) {
  char *end;
  if (!isdigit((unsigned char)*text)) return false;
  unsigned long seconds = strtoul(text, &end, 10);
  uint64_t fraction = 0, digit = 100000000;
  if (*end == '.')
    for (end++; isdigit((unsigned char)*end); end++, digit /= 10)
      fraction += digit * (uint64_t)(*end - '0');
  *time_ns = seconds * UINT64_C(1000000000) + fraction;
  return seconds < 1000000000 && end[strspn(end, " \t\r")] == '\0';
}

/* Adds the sample of no bands that came last: it was not the end of the program. */
static void add_empty(struct hp_import *import) {
  if (!import->is_empty) return;
  level_series_begin(&import->series, import->time_ns);
  level_series_end(&import->series, true);
  import->is_empty = false;
}

static int begin_sample(struct hp_import *import, const char *value, const char *line) {
  uint64_t time_ns;
  if (!parse_seconds(value, &time_ns)) return wrong(import, "no time of a sample", line);
  if (!import->is_open) open_profile(import);
  if (import->in_sample) return wrong(import, "a sample within another", line);
  if (time_ns < import->time_ns) return wrong(import, "earlier than the sample before", line);
  add_empty(import);
  import->time_ns = time_ns;
  level_series_begin(&import->series, time_ns);
  import->in_sample = true;
  import->has_bands = false;
  return 0;
}

static int end_sample(struct hp_import *import, const char *line) {
  if (!import->in_sample) return wrong(import, "the end of no sample", line);
  import->in_sample = false;
  import->is_empty = !import->has_bands;
  import->has_any |= import->has_bands;
  if (import->has_bands) level_series_end(&import->series, true);
  return 0;
}

/* "(308)f/g/CAF" has the number of a stack, as names may be cut off: it goes to the end, because a
 * name that begins with a bracket is not taken for code of the program (own_code.c). To be freed.
 */
static char *band_name(const char *text) {
  size_t digits = text[0] == '(' ? strspn(text + 1, "0123456789") : 0;
  const char *name = text + digits + 2;
  if (!digits || name[-1] != ')' || !*name) return memory_text(text);
  return memory_printed("%s (%.*s)", name, (int)digits, text + 1);
}

static uint32_t band_function(struct hp_import *import, const char *text) {
  char *name = band_name(text);
  struct profile_function band = {.name = name, .object = NOTHING};
  uint32_t function = stack_profile_function(&import->stacks, &band, BODY_OWN);
  free(name);
  return function;
}

static int take_band(struct hp_import *import, char *line) {
  char *tab = strrchr(line, '\t'), *end;
  if (!import->in_sample || !tab || tab == line || !isdigit((unsigned char)tab[1]))
    return wrong(import, "not a line of GHC's heap profile", line);
  uint64_t amount = strtoull(tab + 1, &end, 10);
  if (end[strspn(end, " \r")]) return wrong(import, "no amount of a band", line);
  *tab = '\0';
  uint32_t function = band_function(import, line);
  stack_profile_begin(&import->stacks, import->thread);
  stack_profile_frame(&import->stacks, function,
                      stack_profile_line(&import->stacks, function, NULL, 0));
  import->has_bands = true;
  if (level_series_add(&import->series, amount)) return 0;
  return input_error(import->input, import->error, "the sum of the sample is too large");
}

static int take_line(struct hp_import *import, char *line) {
  const char *value;
  if (line[strspn(line, " \t\r")] == '\0') return 0;
  if ((value = after(line, "BEGIN_SAMPLE"))) return begin_sample(import, value, line);
  if (after(line, "END_SAMPLE")) return end_sample(import, line);
  int taken = import->in_sample ? 0 : take_head(import, line);
  if (taken == 0) taken = take_band(import, line);
  return taken < 0 ? -1 : 0;
}

static int read_lines(struct hp_import *import) {
  char *line;
  size_t length;
  int got;
  while ((got = input_line(import->input, &line, &length, import->error)) > 0) {
    bool is_cut = import->in_sample && import->input->cut_off; /* a killed program's last line */
    if (!is_cut && take_line(import, line) != 0) return -1;
  }
  if (got < 0) return -1;
  if (import->has_any) return 0;
  return input_error(import->input, import->error, "the file ends before a sample with bands");
}

/* ---- the profile ---- */

static void close_profile(struct hp_import *import) {
  struct profile *profile = import->stacks.profile;
  if (import->is_empty) level_series_stop(&import->series, import->time_ns);
  level_series_finish(&import->series);
  if (import->in_sample) profile->origin.note = "the last sample, in which the file ends";
}

static int read_ghc_hp(struct input *input, const struct import_options *options,
                       struct profile **profile, struct error *error) {
  struct hp_import import = {.input = input, .error = error};
  (void)options;
  stack_profile_open(&import.stacks, "GHC's heap profile", "");
  int result = read_lines(&import);
  if (result == 0) close_profile(&import);
  struct profile *made = stack_profile_finish(&import.stacks);
  level_series_free(&import.series);
  free(import.command);
  free(import.unit);
  if (result == 0)
    *profile = made;
  else
    profile_free(made);
  return result;
}

static bool matches(const char *start, size_t count) {
  return count > 5 && memcmp(start, "JOB \"", 5) == 0;
}

const struct import_format import_ghc_hp = {.name = "ghc-hp",
                                            .words = "GHC's heap profile (+RTS -h)",
                                            .matches = matches,
                                            .read = read_ghc_hp};
