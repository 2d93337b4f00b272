#include "exchange/perf_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A word and what follows it. */
static size_t word_length(const char *text) {
  return strcspn(text, " \t");
}

static char *skip_blanks(char *text) {
  return text + strspn(text, " \t");
}

static bool is_digits(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (!isdigit((unsigned char)text[i])) return false;
  return length > 0;
}

/* A number of at most 32 bits; more digits give the largest. */
static uint32_t number(const char *text) {
  unsigned long value = strtoul(text, NULL, 10);
  return value < UINT32_MAX ? value : UINT32_MAX;
}

/* "123" or "123/124". */
static bool is_ids(const char *word, size_t length) {
  const char *slash = memchr(word, '/', length);
  if (!slash) return is_digits(word, length);
  return is_digits(word, slash - word) && is_digits(slash + 1, word + length - slash - 1);
}

/* "[003]" */
static bool is_cpu(const char *word, size_t length) {
  return length > 2 && word[0] == '[' && word[length - 1] == ']' && is_digits(word + 1, length - 2);
}

/* "12387.053051:" */
static bool is_time(const char *word, size_t length) {
  if (length < 4 || word[length - 1] != ':') return false;
  const char *point = memchr(word, '.', length);
  return point && is_digits(word, point - word) &&
         is_digits(point + 1, word + length - 1 - point - 1);
}

static bool ends_in_colon(const char *word, size_t length) {
  return length > 1 && word[length - 1] == ':';
}

/* CPU, time, or an event with or without its period. */
static bool follows_ids(const char *text) {
  text += strspn(text, " \t");
  size_t length = word_length(text);
  if (is_cpu(text, length) || ends_in_colon(text, length)) return true;
  const char *next = text + length + strspn(text + length, " \t");
  return is_digits(text, length) && ends_in_colon(next, word_length(next));
}

/* Names of commands may hold blanks and numbers: the ids are the word before CPU, time or event;
 * without these, the first that could be. */
static const char *find_ids(const char *line, bool *sure) {
  const char *first = NULL;
  const char *at = line + strspn(line, " \t");
  at += word_length(at);
  *sure = true;
  for (at += strspn(at, " \t"); *at; at += strspn(at, " \t")) {
    size_t length = word_length(at);
    if (is_ids(at, length)) {
      if (follows_ids(at + length)) return at;
      if (!first) first = at;
    }
    at += length;
  }
  *sure = false;
  return first;
}

bool perf_is_sample(const char *line) {
  bool sure;
  return find_ids(line, &sure) && sure;
}

static char *cut_word(char **at) {
  char *word = *at;
  char *end = word + word_length(word);
  *at = skip_blanks(end);
  *end = '\0';
  return word;
}

static void parse_ids(const char *word, struct perf_sample *sample) {
  const char *slash = strchr(word, '/');
  sample->tid = number(slash ? slash + 1 : word);
  sample->pid = slash ? number(word) : 0;
}

/* What stands behind the ids. */
static void parse_fields(char *at, struct perf_sample *sample) {
  size_t length = word_length(at);
  if (is_cpu(at, length)) cut_word(&at);
  if (is_time(at, word_length(at))) cut_word(&at);
  length = word_length(at);
  char *period = NULL;
  if (is_digits(at, length)) {
    char *next = skip_blanks(at + length);
    if (ends_in_colon(next, word_length(next))) period = cut_word(&at);
  }
  length = word_length(at);
  if (ends_in_colon(at, length)) {
    char *event = cut_word(&at);
    event[length - 1] = '\0';
    sample->event = event;
    sample->period = period ? strtoull(period, NULL, 10) : 0;
  }
  sample->rest = at;
}

bool perf_sample_parse(char *line, struct perf_sample *sample) {
  line = skip_blanks(line);
  bool sure;
  const char *found = find_ids(line, &sure);
  if (!found) return false;
  char *ids = line + (found - line);
  *sample = (struct perf_sample){.command = line};
  char *end = ids;
  while (end > line && (end[-1] == ' ' || end[-1] == '\t'))
    end--;
  *end = '\0';
  parse_ids(cut_word(&ids), sample);
  parse_fields(ids, sample);
  return true;
}

/* ---- frames ---- */

static size_t hexadecimal_length(const char *text) {
  size_t length = 0;
  while (isxdigit((unsigned char)text[length]))
    length++;
  return length;
}

/* Where " (OBJECT)" begins, at whose end `end` points. Symbols hold parentheses and blanks, and
 * objects may be "/a/b (deleted)". */
static char *object_start(char *symbol, char *end) {
  for (char *at = end - 1; at > symbol; at--) {
    if (at[0] != '(' || at[-1] != ' ') continue;
    if (strncmp(at, "(deleted)", 9) != 0) return at - 1;
  }
  return NULL;
}

/* "+0x1f", cut off where it ends the symbol. */
static void cut_offset(char *symbol, char *end) {
  char *plus = end;
  while (plus > symbol && isxdigit((unsigned char)plus[-1]))
    plus--;
  if (plus < end && plus - symbol > 3 && plus[-1] == 'x' && plus[-2] == '0' && plus[-3] == '+')
    plus[-3] = '\0';
}

bool perf_frame_parse(char *line, struct perf_frame *frame) {
  char *symbol = skip_blanks(line);
  size_t digits = hexadecimal_length(symbol);
  if (symbol == line || !digits || (symbol[digits] != ' ' && symbol[digits])) return false;
  symbol = skip_blanks(symbol + digits);
  char *bytes = strstr(symbol, " insn: "); /* on the line itself, where there is no stack */
  if (bytes) *bytes = '\0';
  char *end = symbol + strlen(symbol);
  while (end > symbol && isspace((unsigned char)end[-1]))
    *--end = '\0';
  *frame = (struct perf_frame){.symbol = symbol};
  char *start = end > symbol && end[-1] == ')' ? object_start(symbol, end) : NULL;
  if (start) {
    *start = '\0';
    end[-1] = '\0';
    frame->inlined = strcmp(start + 2, "inlined") == 0;
    frame->object = frame->inlined ? NULL : start + 2;
    end = start;
  }
  cut_offset(symbol, end);
  return true;
}

bool perf_source_parse(char *line, struct perf_source *source) {
  char *file = skip_blanks(line);
  char *colon = strrchr(file, ':');
  if (!colon || colon == file || strncmp(file, "??", 2) == 0) return false;
  size_t length = strlen(colon + 1);
  if (!is_digits(colon + 1, length)) return false;
  *colon = '\0';
  *source = (struct perf_source){.file = file, .line = number(colon + 1)};
  return source->line != 0;
}
