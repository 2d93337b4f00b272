#include "report/gprof_source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_name.h"
#include "base/memory.h"
#include "report/text.h"

/* ---- lines ---- */

void gprof_print_counts(const struct gprof_line *lines, size_t count, FILE *out) {
  for (size_t i = 0; i < count; i++) {
    const struct gprof_line *line = &lines[i];
    if (!line->count) continue;
    text_name(out, line->file, 0);
    fprintf(out, ":%u: (", line->line);
    text_name(out, line->function, 0);
    fprintf(out, ":0x%llx) %llu executions\n", (unsigned long long)line->address,
            (unsigned long long)line->count);
  }
}

/* ---- the text ---- */

/* As it stands, else its name below one of the directories. */
static FILE *open_source(const char *path, const struct gprof_source_options *options) {
  FILE *stream = fopen(path, "re");
  const char *name = base_name(path);
  for (size_t i = 0; i < options->directory_count && !stream; i++) {
    size_t bytes = strlen(options->directories[i]) + strlen(name) + 2;
    char *there = memory_zeroed(bytes, 1);
    snprintf(there, bytes, "%s/%s", options->directories[i], name);
    stream = fopen(there, "re");
    free(there);
  }
  return stream;
}

/* The lines of one file, which stand in succession. */
struct file_lines {
  const struct gprof_line *lines;
  size_t count;
};

struct margin {
  char text[64];
  size_t used;
};

static void add_count(struct margin *margin, uint64_t count) {
  const char *comma = margin->used ? "," : "";
  if (margin->used > sizeof margin->text - 24) return; /* no room for more of them */
  if (count)
    margin->used += snprintf(margin->text + margin->used, sizeof margin->text - margin->used,
                             "%s%" PRIu64, comma, count);
  else
    margin->used +=
        snprintf(margin->text + margin->used, sizeof margin->text - margin->used, "%s#####", comma);
}

/* What stands left of a line: the counts of all places on it; else the one that is repeated. */
static void print_margin(const struct file_lines *file, size_t first, uint32_t number, FILE *out) {
  struct margin margin = {.text = ""};
  for (size_t i = first; i < file->count && file->lines[i].line == number; i++)
    if (!file->lines[i].repeated) add_count(&margin, file->lines[i].count);
  if (!margin.used && first < file->count && file->lines[first].line == number)
    add_count(&margin, file->lines[first].count);
  fprintf(out, margin.used ? "%12s -> " : "%12s    ", margin.text);
}

static void print_text(const struct file_lines *file, FILE *source, FILE *out) {
  char *text = NULL;
  size_t room = 0, next = 0;
  for (uint32_t number = 1; getline(&text, &room, source) >= 0; number++) {
    text[strcspn(text, "\n")] = '\0';
    while (next < file->count && file->lines[next].line < number)
      next++;
    print_margin(file, next, number, out);
    fprintf(out, "%s\n", text);
  }
  free(text);
}

/* ---- tables ---- */

static int busiest_first(const void *left, const void *right) {
  const struct gprof_line *a = left, *b = right;
  if (a->count != b->count) return a->count > b->count ? -1 : 1;
  if (a->line != b->line) return a->line < b->line ? -1 : 1;
  return a->address < b->address ? -1 : a->address > b->address;
}

static void print_busiest(const struct file_lines *file, unsigned wanted, FILE *out) {
  struct gprof_line *sorted = memory_zeroed(file->count, sizeof *sorted);
  memcpy(sorted, file->lines, file->count * sizeof *sorted);
  qsort(sorted, file->count, sizeof *sorted, busiest_first);
  fprintf(out, "\n\nTop %u Lines:\n\n     Line      Count\n\n", wanted);
  for (size_t i = 0; i < file->count && wanted && sorted[i].count; i++)
    if (!sorted[i].repeated && wanted--)
      fprintf(out, "%9u %10llu\n", sorted[i].line, (unsigned long long)sorted[i].count);
  free(sorted);
}

static size_t counted_in(const struct file_lines *file) {
  size_t counted = 0;
  for (size_t i = 0; i < file->count; i++)
    counted += !file->lines[i].repeated;
  return counted;
}

static void print_summary(const struct file_lines *file, FILE *out) {
  unsigned long long executed = 0, executions = 0;
  size_t counted = counted_in(file);
  for (size_t i = 0; i < file->count; i++) {
    if (file->lines[i].repeated) continue;
    executed += file->lines[i].count > 0;
    executions += file->lines[i].count;
  }
  fputs("\nExecution Summary:\n\n", out);
  fprintf(out, "%9zu   Counted lines in this file\n", counted);
  fprintf(out, "%9llu   Lines executed\n", executed);
  fprintf(out, "%9.2f   Percent of the file executed\n\n", 100.0 * executed / counted);
  fprintf(out, "%9llu   Total number of line executions\n", executions);
  fprintf(out, "%9.2f   Average executions per line\n", (double)executions / counted);
}

/* ---- files ---- */

static FILE *open_annotated(const char *path) {
  const char *name = base_name(path);
  char *annotated = memory_zeroed(strlen(name) + sizeof "-ann", 1);
  FILE *stream = fopen(strcat(strcpy(annotated, name), "-ann"), "we");
  free(annotated);
  return stream;
}

/* False: it was said why not. */
static bool print_file(const struct file_lines *file, const struct gprof_source_options *options,
                       void (*say)(const char *path, const char *why), FILE *out) {
  const char *path = file->lines[0].file;
  FILE *source = open_source(path, options);
  if (!source) {
    say(path, strerror(errno));
    return false;
  }
  FILE *into = options->separate ? open_annotated(path) : out;
  if (into) {
    if (into == out) fprintf(out, "*** File %s:\n", path);
    print_text(file, source, into);
    if (options->table) print_busiest(file, options->table, into);
    print_summary(file, into);
  }
  bool written = into && (into == out || fclose(into) == 0);
  if (!written) say(path, strerror(errno));
  fclose(source);
  return written;
}

size_t gprof_print_source(const struct gprof_line *lines, size_t count,
                          const struct gprof_source_options *options,
                          void (*say)(const char *path, const char *why), FILE *out) {
  bool any = false;
  size_t failed = 0;
  for (size_t i = 0; i < count;) {
    struct file_lines file = {.lines = lines + i};
    while (i < count && strcmp(lines[i].file, file.lines[0].file) == 0)
      i++, file.count++;
    if (!counted_in(&file)) continue;
    if (any && !options->separate) fputs("\f\n", out);
    failed += !print_file(&file, options, say, out);
    any = true;
  }
  return failed;
}
