/* GHC's heap profile: samples of how much memory was live, by band: cost-centre stack, type,
 * module, closure or whatever the profile was broken down by.
 * Source: GHC User's Guide, "hp2ps - rendering heap profiles to PostScript". */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/begins.h"
#include "exchange/ghc_run.h"
#include "exchange/import_formats.h"

struct hp_import {
  struct input *input;
  struct error *error;
  struct ghc_run *run;
  char *command, *unit, *date;
  bool is_open;   /* the first sample was met */
  bool in_sample; /* between BEGIN_SAMPLE and END_SAMPLE */
  bool has_bands; /* the sample at hand */
  bool has_any;   /* any sample that is complete */
  bool is_empty;  /* the last sample: it may be the end of the program */
  bool is_known;  /* the event log has the samples already: they are only compared */
  uint64_t time_ns;
  uint64_t sum;        /* of the sample at hand */
  size_t sample_count; /* complete ones with bands */
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
    free(import->date);
    import->date = quoted(value);
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

static int open_profile(struct hp_import *import) {
  import->is_open = true;
  struct ghc_run *run = import->run;
  if (!import->is_known)
    ghc_run_levels(run, import->unit && import->unit[0] ? import->unit : "bytes");
  /* Its seconds are of another clock than the log's. */
  if (!import->is_known) run->levels.is_untimed = run->log_identity.file != NULL;
  return ghc_run_identify(run, import->input->name, import->command ? import->command : "",
                          import->date, import->error);
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
  import->is_empty = false;
  if (import->is_known) return;
  level_series_begin(&import->run->levels, import->time_ns);
  level_series_end(&import->run->levels, true);
}

static int begin_sample(struct hp_import *import, const char *value, const char *line) {
  uint64_t time_ns;
  if (!parse_seconds(value, &time_ns)) return wrong(import, "no time of a sample", line);
  if (!import->is_open && open_profile(import) != 0) return -1;
  if (import->in_sample) return wrong(import, "a sample within another", line);
  if (time_ns < import->time_ns) return wrong(import, "earlier than the sample before", line);
  add_empty(import);
  import->time_ns = time_ns;
  if (!import->is_known) level_series_begin(&import->run->levels, time_ns);
  import->in_sample = true;
  import->has_bands = false;
  import->sum = 0;
  return 0;
}

static int end_sample(struct hp_import *import, const char *line) {
  if (!import->in_sample) return wrong(import, "the end of no sample", line);
  import->in_sample = false;
  import->is_empty = !import->has_bands;
  import->has_any |= import->has_bands;
  if (import->is_known && import->sum)
    return ghc_run_same_sample(import->run, import->input->name, import->sample_count++,
                               import->sum, import->error);
  if (import->has_bands && !import->is_known) level_series_end(&import->run->levels, true);
  return 0;
}

static int take_band(struct hp_import *import, char *line) {
  char *tab = strrchr(line, '\t'), *end;
  if (!import->in_sample || !tab || tab == line || !isdigit((unsigned char)tab[1]))
    return wrong(import, "not a line of GHC's heap profile", line);
  uint64_t amount = strtoull(tab + 1, &end, 10);
  if (end[strspn(end, " \r")]) return wrong(import, "no amount of a band", line);
  *tab = '\0';
  import->has_bands = true;
  bool overflow = __builtin_add_overflow(import->sum, amount, &import->sum);
  if (!overflow && import->is_known) return 0;
  ghc_run_push_band(import->run, ghc_run_band(import->run, line));
  if (!overflow && level_series_add(&import->run->levels, amount)) return 0;
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

static void end_samples(struct hp_import *import) {
  struct ghc_run *run = import->run;
  if (import->is_empty && !import->is_known) level_series_stop(&run->levels, import->time_ns);
  if (import->in_sample) ghc_run_note(run, "the last sample, in which the file ends");
}

static int add_ghc_hp(struct input *input, struct ghc_run *run, struct error *error) {
  struct hp_import import = {.input = input, .error = error, .run = run};
  import.is_known = run->live != NOTHING;
  ghc_run_format(run, "heap profile");
  int result = read_lines(&import);
  if (result == 0) end_samples(&import);
  free(import.command);
  free(import.unit);
  free(import.date);
  return result;
}

static int read_ghc_hp(struct input *input, const struct import_options *options,
                       struct profile **profile, struct error *error) {
  return ghc_run_read(add_ghc_hp, input, options, profile, error);
}

static bool matches(const char *start, size_t count) {
  return count > 5 && memcmp(start, "JOB \"", 5) == 0;
}

const struct import_format import_ghc_hp = {.name = "ghc-hp",
                                            .words = "GHC's heap profile (+RTS -h)",
                                            .matches = matches,
                                            .read = read_ghc_hp,
                                            .run_part = RUN_OF_HEAP,
                                            .add = add_ghc_hp};
