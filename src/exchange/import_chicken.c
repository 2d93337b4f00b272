/* PROFILE.1234 of CHICKEN Scheme: a list (NAME COUNT MILLISECONDS) for each procedure, after a
 * symbol that says which of its profilers wrote it.  The statistical one (-:p) charges samples to
 * trace points; its counts say how often a sample met another point than the one before, which is
 * not a number of calls.  The instrumented one (csc -profile) counts calls, and its times have all
 * that was called.  Files without the symbol are older, and instrumented.
 * Source: chicken-profile.scm, profiler.scm and runtime.c of CHICKEN 5.3; R7RS, section 7.1.1. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/graph_builder.h"
#include "exchange/import_formats.h"
#include "exchange/whole_input.h"

/* Of a sum, so that nothing overflows. */
#define MOST_NS 0x1p59

/* The timer's usual period, and the shortest that we believe when all times are multiples of it. */
#define USUAL_PERIOD_NS 10000000
#define LEAST_PERIOD_NS 100000

enum token_kind { TOKEN_OPEN, TOKEN_CLOSE, TOKEN_SYMBOL, TOKEN_TEXT, TOKEN_END, TOKEN_WRONG };

/* What stands in the file next. TOKEN_TEXT: an atom without bars, which may be a number. */
struct reader {
  const char *at, *end;
  uint64_t line;
  enum token_kind kind;
  char *text; /* of a symbol, with a zero behind */
  size_t length;
};

struct entry {
  uint32_t node;
  uint64_t count, ns;
  bool counted; /* else the count is #f: it had no room; or 0, and yet there is time (Ascribe's) */
};

struct chicken_import {
  struct input *input;
  struct error *error;
  struct reader reader;
  struct stack_profile stacks;
  struct graph_builder builder;
  struct entry *entries;
  size_t entry_count, uncounted;
  double sum_ns;
  bool statistical;
  uint64_t period_ns; /* of samples; 0: not known */
  uint32_t own_times; /* the function that stands for them; or NOTHING */
};

/* ---- symbols and lists ---- */

static void put(struct reader *reader, char c) {
  ARRAY_ROOM(reader->text, reader->length + 2);
  reader->text[reader->length++] = c;
  reader->text[reader->length] = '\0';
}

static void skip_blanks(struct reader *reader) {
  bool comment = false;
  for (; reader->at < reader->end; reader->at++) {
    char c = *reader->at;
    if (c == ';') comment = true;
    if (c == '\n') comment = false;
    if (!comment && !isspace((unsigned char)c)) return;
    reader->line += c == '\n';
  }
}

static void put_character(struct reader *reader, uint32_t number) {
  enum { TWO_BYTES = 0x80, THREE_BYTES = 0x800, FOUR_BYTES = 0x10000 };
  if (number < TWO_BYTES) {
    put(reader, (char)number);
    return;
  }
  if (number >= FOUR_BYTES) put(reader, (char)(0xf0 | number >> 18));
  if (number >= FOUR_BYTES) put(reader, (char)(0x80 | (number >> 12 & 0x3f)));
  if (number >= THREE_BYTES && number < FOUR_BYTES) put(reader, (char)(0xe0 | number >> 12));
  if (number >= THREE_BYTES) put(reader, (char)(0x80 | (number >> 6 & 0x3f)));
  if (number < THREE_BYTES) put(reader, (char)(0xc0 | number >> 6));
  put(reader, (char)(0x80 | (number & 0x3f)));
}

/* "\x3bb;" is a character, as R7RS has it. Without the semicolon, as CHICKEN 5 writes it, two
 * digits are a byte. */
static bool put_number(struct reader *reader) {
  enum { DIGITS_MOST = 6, CHARACTER_MOST = 0x10ffff };
  char digits[DIGITS_MOST + 1] = "";
  size_t count = 0, left = (size_t)(reader->end - reader->at);
  for (; count < left && count < DIGITS_MOST && isxdigit((unsigned char)reader->at[count]); count++)
    digits[count] = reader->at[count];
  bool is_character = count && count < left && reader->at[count] == ';';
  if (!is_character && count < 2) return false;
  if (!is_character) digits[2] = '\0';
  unsigned long number = strtoul(digits, NULL, 16);
  reader->at += is_character ? count + 1 : 2;
  if (!number || number > CHARACTER_MOST) return false;
  if (is_character)
    put_character(reader, (uint32_t)number);
  else
    put(reader, (char)number);
  return true;
}

static bool put_escaped(struct reader *reader) {
  static const char letters[] = "abtnr", meanings[] = "\a\b\t\n\r";
  if (reader->at == reader->end || !*reader->at) return false;
  char c = *reader->at++;
  if (c == 'x') return put_number(reader);
  const char *letter = strchr(letters, c);
  put(reader, letter ? meanings[letter - letters] : c);
  return true;
}

/* Up to the closing bar, which is used up. */
static bool put_bars(struct reader *reader) {
  while (reader->at < reader->end && *reader->at) {
    char c = *reader->at++;
    if (c == '|') return true;
    reader->line += c == '\n';
    if (c != '\\')
      put(reader, c);
    else if (!put_escaped(reader))
      return false;
  }
  return false;
}

static enum token_kind read_atom(struct reader *reader) {
  enum token_kind kind = TOKEN_TEXT;
  reader->length = 0;
  while (reader->at < reader->end) {
    char c = *reader->at;
    if (isspace((unsigned char)c) || strchr("();\"'", c)) break; /* zero bytes, too */
    reader->at++;
    if (c == '|' || c == '\\') kind = TOKEN_SYMBOL;
    if (c == '|' ? !put_bars(reader) : c == '\\' && !put_escaped(reader)) return TOKEN_WRONG;
    if (kind == TOKEN_TEXT || (c != '|' && c != '\\')) put(reader, c);
  }
  return kind == TOKEN_SYMBOL || reader->length ? kind : TOKEN_WRONG;
}

static enum token_kind next(struct reader *reader) {
  skip_blanks(reader);
  if (reader->at == reader->end) return reader->kind = TOKEN_END;
  char c = *reader->at;
  if (c != '(' && c != ')') return reader->kind = read_atom(reader);
  reader->at++;
  return reader->kind = c == '(' ? TOKEN_OPEN : TOKEN_CLOSE;
}

static bool is_text(const struct reader *reader, const char *text) {
  return reader->kind == TOKEN_TEXT && strcmp(reader->text, text) == 0;
}

static bool is_symbol(const struct reader *reader) {
  return reader->kind == TOKEN_TEXT || reader->kind == TOKEN_SYMBOL;
}

/* ---- entries ---- */

/* "nfa.scm:8: state1", or older "nfa.scm:8:state1": the file's length and the line. */
static size_t place_in(const char *name, uint32_t *line) {
  for (const char *colon = strchr(name, ':'); colon; colon = strchr(colon + 1, ':')) {
    size_t digits = strspn(colon + 1, "0123456789");
    if (colon == name || !digits || digits > 9 || colon[1 + digits] != ':') continue;
    *line = (uint32_t)strtoul(colon + 1, NULL, 10);
    return colon - name;
  }
  return 0;
}

/* Trace points are named as in recordings: by all of the text. */
static uint32_t node_of(struct chicken_import *import, const char *name) {
  struct profile_function function = {.name = name, .object = NOTHING};
  size_t length = place_in(name, &function.line);
  char *file = length ? memory_text_part(name, length) : NULL;
  function.file = file;
  uint32_t id = stack_profile_function(&import->stacks, &function, BODY_OWN);
  free(file);
  return graph_builder_node(&import->builder, id, 1);
}

static bool count_of(const struct reader *reader, struct entry *entry) {
  char *end;
  entry->counted = !is_text(reader, "#f");
  if (!entry->counted) return true;
  if (reader->kind != TOKEN_TEXT || !isdigit((unsigned char)reader->text[0])) return false;
  errno = 0;
  entry->count = strtoull(reader->text, &end, 10);
  if (*end == '.' && end[1] == '0') end += 2; /* counts of older versions are inexact */
  if (*end == '.') end++;
  return !*end && !errno;
}

static bool ns_of(const struct reader *reader, uint64_t *ns) {
  char *end;
  if (reader->kind != TOKEN_TEXT || !isdigit((unsigned char)reader->text[0]) ||
      strspn(reader->text, "0123456789.e+-") != reader->length)
    return false;
  double value = strtod(reader->text, &end) * 1e6;
  if (*end || !(value < MOST_NS)) return false;
  *ns = (uint64_t)llround(value);
  return true;
}

/* Of a list whose parenthesis is open. The name is that of the reader until its next token. */
static const char *wrong_in_entry(struct reader *reader, char **name, struct entry *entry) {
  next(reader);
  if (!is_symbol(reader)) return "expected the name of a procedure";
  *name = memory_text(reader->length ? reader->text : "(no name)");
  next(reader);
  if (!count_of(reader, entry)) return "expected a count behind the name";
  next(reader);
  if (!ns_of(reader, &entry->ns)) return "expected milliseconds behind the count";
  entry->counted &= entry->count || !entry->ns;
  if (next(reader) != TOKEN_CLOSE) return "expected ) behind the milliseconds";
  return NULL;
}

static int wrong(struct chicken_import *import, const char *what) {
  import->input->line = import->reader.line;
  return input_error(import->input, import->error, "%s", what);
}

static int take_entry(struct chicken_import *import) {
  struct entry entry = {0};
  char *name = NULL;
  const char *fault = wrong_in_entry(&import->reader, &name, &entry);
  if (!fault) {
    entry.node = node_of(import, name);
    import->sum_ns += (double)entry.ns;
    import->uncounted += !entry.counted;
    ARRAY_GROW(import->entries, import->entry_count);
    import->entries[import->entry_count++] = entry;
    if (import->sum_ns > MOST_NS) fault = "the sum of all times is too large";
  }
  free(name);
  return fault ? wrong(import, fault) : 0;
}

static int read_entries(struct chicken_import *import) {
  struct reader *reader = &import->reader;
  next(reader);
  import->statistical = is_text(reader, "statistical");
  if (import->statistical || is_text(reader, "instrumented")) next(reader);
  for (; reader->kind != TOKEN_END; next(reader)) {
    if (reader->kind != TOKEN_OPEN) return wrong(import, "expected (NAME COUNT MILLISECONDS)");
    if (take_entry(import) != 0) return -1;
  }
  if (import->entry_count) return 0;
  return error_set(import->error, "%s: no procedures in it", import->input->name);
}

/* ---- figures ---- */

static uint64_t common_divisor(uint64_t a, uint64_t b) {
  while (b) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* Each sample adds a period to the time of its point, so the period divides all times. The largest
 * one that does gives the fewest samples, and uncertainties that are too wide rather than too
 * narrow. A point cannot be met more often than it has samples. */
static void find_period(struct chicken_import *import) {
  uint64_t period = 0;
  for (size_t i = 0; i < import->entry_count; i++)
    period = common_divisor(period, import->entries[i].ns);
  if (period % USUAL_PERIOD_NS == 0) period = USUAL_PERIOD_NS;
  if (period < LEAST_PERIOD_NS) return;
  for (size_t i = 0; i < import->entry_count; i++)
    if (import->entries[i].counted && import->entries[i].count > import->entries[i].ns / period)
      return;
  import->period_ns = period;
}

static void give_samples(struct chicken_import *import) {
  struct graph_builder *builder = &import->builder;
  find_period(import);
  for (size_t i = 0; i < import->entry_count; i++) {
    const struct entry *entry = &import->entries[i];
    uint32_t function = builder->graph.nodes[entry->node].function;
    struct amount amount = {import->period_ns ? entry->ns / import->period_ns : 0, entry->ns};
    uint32_t line =
        graph_builder_line(builder, function, import->stacks.profile->functions[function].file,
                           import->stacks.profile->functions[function].line);
    graph_builder_self(builder, entry->node, line, amount);
  }
}

/* The whole is the longest time, as chicken-profile has it. It is the own time of one or another
 * procedure. */
static void give_calls(struct chicken_import *import) {
  struct graph_builder *builder = &import->builder;
  struct profile *profile = import->stacks.profile;
  struct amount whole = {0};
  builder->graph.is_folded = true; /* times are totals */
  for (size_t i = 0; i < import->entry_count; i++) {
    const struct entry *entry = &import->entries[i];
    struct profile_function *function =
        &profile->functions[builder->graph.nodes[entry->node].function];
    if (entry->counted) function->kind = FUNCTION_COUNTED;
    graph_builder_call(builder, NOTHING, entry->node, NOTHING, entry->count,
                       (struct amount){0, entry->ns});
  }
  /* Of a procedure that several units have, one may have overflowed. */
  for (size_t i = 0; i < import->entry_count; i++)
    if (!import->entries[i].counted)
      profile->functions[builder->graph.nodes[import->entries[i].node].function].kind =
          FUNCTION_SAMPLED;
  for (size_t i = 0; i < builder->graph.edges.arc_count; i++)
    if (builder->graph.edges.arcs[i].in_child.raw_ns > whole.raw_ns)
      whole = builder->graph.edges.arcs[i].in_child;
  if (!whole.raw_ns) return;
  uint32_t node = node_of(import, "(own times are not in the file)");
  import->own_times = builder->graph.nodes[node].function;
  graph_builder_self(builder, node, graph_builder_line(builder, import->own_times, NULL, 0), whole);
}

static const char *note_of(struct chicken_import *import) {
  char text[400], samples[160], overflow[80] = "";
  snprintf(samples, sizeof samples,
           import->period_ns ? "samples are taken to be %g ms apart, since all times are multiples"
                             : "how far samples are apart is unknown",
           (double)import->period_ns / 1e6);
  if (import->uncounted)
    snprintf(overflow, sizeof overflow, "; calls of %zu procedures, which the file has no count of",
             import->uncounted);
  if (import->statistical)
    snprintf(text, sizeof text,
             "the file's counts, which are not calls: how often a sample met another trace point "
             "than the one before; %s",
             samples);
  else
    snprintf(text, sizeof text,
             "own times and callers: the file has the time of each procedure with all that it "
             "called%s",
             overflow);
  return stack_profile_text(&import->stacks, text);
}

static struct profile *make_profile(struct chicken_import *import) {
  stack_profile_thread(&import->stacks, stack_profile_process(&import->stacks, 0, ""), 0, "");
  import->statistical ? give_samples(import) : give_calls(import);
  const char *note = note_of(import);
  struct profile *profile = stack_profile_finish(&import->stacks);
  graph_builder_figures(&import->builder, profile);
  if (import->own_times != NOTHING) profile->given->total_known[import->own_times] = false;
  profile->metrics[0].evidence = import->period_ns ? EVIDENCE_TICKS : EVIDENCE_UNKNOWN;
  profile->origin.note = note;
  return profile;
}

static int read_chicken(struct input *input, const struct import_options *options,
                        struct profile **profile, struct error *error) {
  struct chicken_import import = {.input = input, .error = error, .own_times = NOTHING};
  struct whole_input whole;
  if (whole_input_read(&whole, input, error) != 0) return -1;
  import.reader = (struct reader){whole.text, whole.text + whole.bytes, .line = 1};
  import.builder.stacks = &import.stacks;
  stack_profile_open(&import.stacks, "CHICKEN's profiler", "time");
  int result = read_entries(&import);
  if (result == 0)
    *profile = make_profile(&import);
  else
    stack_profile_discard(&import.stacks);
  graph_builder_close(&import.builder);
  free(import.entries);
  free(import.reader.text);
  whole_input_free(&whole);
  return result;
}

/* The kind, or in older files an entry. */
static bool matches(const char *start, size_t count) {
  struct reader reader = {start, start + count, .line = 1};
  struct entry entry;
  char *name = NULL;
  next(&reader);
  bool kind = is_text(&reader, "statistical") || is_text(&reader, "instrumented");
  if (kind) next(&reader);
  bool is = kind ? reader.kind == TOKEN_OPEN || reader.kind == TOKEN_END
                 : reader.kind == TOKEN_OPEN && !wrong_in_entry(&reader, &name, &entry);
  free(name);
  free(reader.text);
  return is;
}

const struct import_format import_chicken = {.name = "chicken",
                                             .words = "a profile of CHICKEN Scheme",
                                             .matches = matches,
                                             .read = read_chicken};
