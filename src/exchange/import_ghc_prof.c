/* The report of GHC's time and allocation profiler as text: a table in which indentation gives the
 * tree of cost-centre stacks.
 * Source: GHC User's Guide, "Profiling"; rts/ProfilerReport.c. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/ghc_run.h"
#include "exchange/import_formats.h"

/* The columns behind the names, from the left. The last two are there with +RTS -P. */
enum column { NUMBER, ENTRIES, OWN_TIME, OWN_ALLOC, ALL_TIME, ALL_ALLOC, TICKS, BYTES, COLUMNS };

/* Percentages have one decimal: with at most this many ticks, each number of ticks has its own. */
enum { TICKS_TOLD_APART = 1000 };

#define MOST_TOTAL (UINT64_C(1) << 60)

struct ghc_import {
  struct ghc_run *run;
  struct input *input;
  struct error *error;
  char *command, *date; /* or null */
  uint64_t total_ticks, tick_us, total_bytes;
  struct centre_figures sum;   /* of all stacks; without entries */
  size_t module_at, source_at; /* columns of the names; source_at 0: there is none */
  size_t columns;              /* 0: the table's head was not met yet */
  bool has_rows, is_over;
};

static int wrong(const struct ghc_import *import, const char *what, const char *line) {
  return input_error(import->input, import->error, "%s: %.60s", what, line);
}

/* ---- the head ---- */

static const char title[] = "Allocation Profiling Report";

/* "95,380,592" */
static uint64_t grouped_number(const char *text) {
  uint64_t number = 0;
  for (text += strspn(text, " "); isdigit((unsigned char)*text) || *text == ','; text++)
    if (*text != ',' && number < MOST_TOTAL) number = 10 * number + (uint64_t)(*text - '0');
  return number < MOST_TOTAL ? number : MOST_TOTAL;
}

/* "COST CENTRE  MODULE  SRC  no.  entries ..." begins the tree; a table without entries comes
 * before it. */
static int take_columns(struct ghc_import *import, const char *line) {
  const char *module = strstr(line, "MODULE"), *source = strstr(line, "SRC");
  if (!module || !strstr(line, "entries")) return 0;
  import->module_at = (size_t)(module - line);
  import->source_at = source > module ? (size_t)(source - line) : 0;
  import->columns = strstr(line, "ticks") ? COLUMNS : TICKS;
  return ghc_run_identify(import->run, import->input->name, import->command ? import->command : "",
                          import->date, import->error);
}

static int take_head(struct ghc_import *import, const char *line) {
  const char *text = line + strspn(line, " \t\r"), *bracket = strchr(line, '(');
  if (!*text) return 0;
  if (!import->date) {
    if (strstr(line, title)) import->date = memory_text(text);
    return 0;
  }
  if (strncmp(text, "total time", 10) == 0 && bracket) {
    import->total_ticks = grouped_number(bracket + 1);
    const char *at = strchr(bracket, '@');
    import->tick_us = at ? grouped_number(at + 1) : 0;
    if (at && strstr(at, " ms")) import->tick_us *= 1000; /* before GHC 7.2 */
  } else if (strncmp(text, "total alloc", 11) == 0 && strchr(text, '=')) {
    import->total_bytes = grouped_number(strchr(text, '=') + 1);
  } else if (strncmp(text, "COST CENTRE", 11) == 0) {
    if (!import->tick_us || import->tick_us > UINT32_MAX)
      return wrong(import, "the table comes before the total time and the length of its ticks",
                   line);
    return take_columns(import, line);
  } else if (!import->command) {
    import->command = memory_text(text);
  }
  return 0;
}

/* ---- rows ---- */

/* Cuts the last word off the line; null: there is none. */
static char *cut_word(char *line, size_t *length) {
  size_t end = *length;
  while (end && isspace((unsigned char)line[end - 1]))
    end--;
  line[end] = '\0';
  size_t start = end;
  while (start && !isspace((unsigned char)line[start - 1]))
    start--;
  *length = start;
  return start < end ? line + start : NULL;
}

/* A whole number, or with `decimal` a percentage in tenths. */
static bool parse_number(const char *word, bool decimal, uint64_t *number) {
  char *end;
  if (!isdigit((unsigned char)*word)) return false;
  errno = 0;
  *number = strtoull(word, &end, 10);
  if (errno || *number > MOST_TOTAL) return false;
  if (!decimal) return *end == '\0';
  if (*number > 1000 || *end != '.' || !isdigit((unsigned char)end[1]) || end[2]) return false;
  *number = 10 * *number + (uint64_t)(end[1] - '0');
  return true;
}

/* Cuts the numbers off the line: the names are left. */
static bool cut_numbers(const struct ghc_import *import, char *line, size_t *length,
                        uint64_t *numbers) {
  for (size_t i = import->columns; i-- > 0;) {
    char *word = cut_word(line, length);
    if (!word || !parse_number(word, i >= OWN_TIME && i <= ALL_ALLOC, &numbers[i])) return false;
  }
  line[*length] = '\0';
  return true;
}

/* Columns count characters, not bytes. */
static char *character_at(char *text, size_t count) {
  for (; *text && count; count--)
    for (text++; (*text & 0xc0) == 0x80;)
      text++;
  return text;
}

/* Cuts the blanks around the text. */
static char *cut_blanks(char *text) {
  size_t length = strlen(text);
  while (length && isspace((unsigned char)text[length - 1]))
    text[--length] = '\0';
  return text + strspn(text, " ");
}

/* Pushes the cost centre of a row; its indentation says how many stand above it. */
static int push_row(struct ghc_import *import, char *names, const char *line) {
  size_t depth = strspn(names, " ");
  char *source = names + strlen(names), *module = character_at(names, import->module_at);
  if (import->source_at) source = character_at(names, import->source_at);
  char *location = memory_text(cut_blanks(source));
  *source = '\0';
  char *module_name = memory_text(cut_blanks(module));
  *module = '\0';
  char *label = cut_blanks(names);
  int result = 0;
  if (!*label || !*module_name)
    result = wrong(import, "not the names of a cost centre and its module", line);
  else if (!cost_centres_push(
               &import->run->centres, depth,
               cost_centres_function(&import->run->centres, label, module_name, location)))
    result = wrong(import, "a cost centre that is indented below none", line);
  free(module_name);
  free(location);
  return result;
}

static uint64_t share(uint64_t tenths, uint64_t total) {
  return (uint64_t)((double)tenths * (double)total / 1000 + 0.5);
}

static int charge_row(struct ghc_import *import, const uint64_t *numbers) {
  struct centre_figures figures = {.entries = numbers[ENTRIES]};
  bool exact = import->columns == COLUMNS;
  figures.ticks = exact ? numbers[TICKS] : share(numbers[OWN_TIME], import->total_ticks);
  figures.bytes = exact ? numbers[BYTES] : share(numbers[OWN_ALLOC], import->total_bytes);
  bool overflow = __builtin_mul_overflow(figures.ticks, 1000 * import->tick_us, &figures.ns);
  import->sum.ticks += figures.ticks;
  import->sum.bytes += figures.bytes;
  if (!exact && import->total_ticks > TICKS_TOLD_APART) figures.ticks = 0;
  if (!overflow && ghc_run_charge(import->run, &figures) == 0) return 0;
  return input_error(import->input, import->error, "the sum of all figures is too large");
}

static int take_row(struct ghc_import *import, char *line, size_t length) {
  uint64_t numbers[COLUMNS] = {0};
  if (import->is_over || line[strspn(line, " \t\r")] == '\0') return 0;
  import->is_over = strcmp(line, "Retainer sets created during profiling:") == 0; /* -hr */
  if (import->is_over) return 0;
  char *shown = memory_text_part(line, 60);
  int result = 0;
  if (!cut_numbers(import, line, &length, numbers))
    result = wrong(import, "not a row of the table of cost centres", shown);
  if (result == 0) result = push_row(import, line, shown);
  if (result == 0) result = charge_row(import, numbers);
  import->has_rows = true;
  free(shown);
  return result;
}

static int read_lines(struct ghc_import *import) {
  char *line;
  size_t length;
  int got, result = 0;
  while (result == 0 && (got = input_line(import->input, &line, &length, import->error)) != 0) {
    if (got < 0) return -1;
    result = import->columns ? take_row(import, line, length) : take_head(import, line);
  }
  if (result != 0 || import->has_rows) return result;
  return input_error(import->input, import->error,
                     "the file ends before the cost centres and their entries");
}

/* ---- the profile ---- */

static void describe(struct ghc_import *import) {
  struct ghc_run *run = import->run;
  struct profile *profile = run->centres.stacks.profile;
  if (import->columns < COLUMNS) {
    if (import->total_ticks > TICKS_TOLD_APART && !run->log.ticks)
      profile->metrics[ghc_run_time(run)].evidence = EVIDENCE_UNKNOWN;
    profile->metrics[ghc_run_allocated(run)].evidence = EVIDENCE_UNKNOWN;
    ghc_run_note(run, "figures are percentages with one decimal: +RTS -P has ticks and bytes");
  } else if (import->sum.ticks < import->total_ticks || import->sum.bytes < import->total_bytes) {
    ghc_run_note(run, "the file may be cut off: its totals are more than its cost centres");
  }
}

static int add_ghc_prof(struct input *input, struct ghc_run *run, struct error *error) {
  struct ghc_import import = {.run = run, .input = input, .error = error};
  ghc_run_format(run, "profiler");
  int result = read_lines(&import);
  if (result == 0) result = ghc_run_same_ticks(run, input->name, import.total_ticks, false, error);
  if (result == 0) describe(&import);
  free(import.command);
  free(import.date);
  return result;
}

static int read_ghc_prof(struct input *input, const struct import_options *options,
                         struct profile **profile, struct error *error) {
  return ghc_run_read(add_ghc_prof, input, options, profile, error);
}

static bool matches(const char *start, size_t count) {
  const char *end = memchr(start, '\n', count);
  if (!end) return false;
  if (ghc_run_has_retainers(start, count)) end = start + count;
  return memmem(start, (size_t)(end - start), title, strlen(title)) != NULL;
}

const struct import_format import_ghc_prof = {.name = "ghc-prof",
                                              .words = "text of GHC's profiler (+RTS -p, -P)",
                                              .matches = matches,
                                              .read = read_ghc_prof,
                                              .run_part = RUN_OF_CENTRES,
                                              .add = add_ghc_prof};
