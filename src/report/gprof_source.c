#include "report/gprof_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/pool.h"
#include "report/text.h"

/* ---- lines ---- */

static int by_place(const void *left, const void *right) {
  const struct gprof_line *a = left, *b = right;
  int order = strcmp(a->file, b->file);
  if (order) return order;
  if (a->line != b->line) return a->line < b->line ? -1 : 1;
  return a->address < b->address ? -1 : a->address > b->address;
}

void gprof_lines_sort(struct gprof_line *lines, size_t count) {
  if (count) qsort(lines, count, sizeof *lines, by_place);
}

void gprof_print_counts(const struct gprof_line *lines, size_t count,
                        const struct gprof_source_options *options, FILE *out) {
  for (size_t i = 0; i < count; i++) {
    const struct gprof_line *line = &lines[i];
    if (!line->count || (line->block && line->count < options->block_minimum)) continue;
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
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
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

/* What stands left of a line: the counts of all places on it. Returns how many there are. */
static size_t print_margin(const struct file_lines *file, size_t first, uint32_t number,
                           const char *carried, FILE *out) {
  char margin[64];
  size_t places = 0, used = 0;
  margin[0] = '\0';
  for (size_t i = first; i < file->count && file->lines[i].line == number; i++, places++) {
    if (used > sizeof margin - 24) continue; /* no room for more of them */
    const char *comma = used ? "," : "";
    unsigned long long count = (unsigned long long)file->lines[i].count;
    if (count)
      used += snprintf(margin + used, sizeof margin - used, "%s%llu", comma, count);
    else
      used += snprintf(margin + used, sizeof margin - used, "%s#####", comma);
  }
  if (places)
    fprintf(out, "%12s -> ", margin);
  else
    fprintf(out, "%12s    ", carried);
  return places;
}

static void print_text(const struct file_lines *file, FILE *source,
                       const struct gprof_source_options *options, FILE *out) {
  char *text = NULL, carried[24] = "";
  size_t room = 0, next = 0;
  for (uint32_t number = 1; getline(&text, &room, source) >= 0; number++) {
    text[strcspn(text, "\n")] = '\0';
    while (next < file->count && file->lines[next].line < number)
      next++;
    if (print_margin(file, next, number, carried, out) && options->every_line)
      snprintf(carried, sizeof carried, "%llu", (unsigned long long)file->lines[next].count);
    fprintf(out, "%s\n", text);
  }
  free(text);
}

/* ---- tables ---- */

static int busiest_first(const void *left, const void *right) {
  const struct gprof_line *a = left, *b = right;
  if (a->count != b->count) return a->count > b->count ? -1 : 1;
  return by_place(left, right);
}

static void print_busiest(const struct file_lines *file, unsigned wanted, FILE *out) {
  struct gprof_line *sorted = memory_zeroed(file->count, sizeof *sorted);
  memcpy(sorted, file->lines, file->count * sizeof *sorted);
  qsort(sorted, file->count, sizeof *sorted, busiest_first);
  fprintf(out, "\n\nTop %u Lines:\n\n     Line      Count\n\n", wanted);
  for (size_t i = 0; i < file->count && i < wanted && sorted[i].count; i++)
    fprintf(out, "%9u %10llu\n", sorted[i].line, (unsigned long long)sorted[i].count);
  free(sorted);
}

static void print_summary(const struct file_lines *file, FILE *out) {
  unsigned long long executed = 0, executions = 0;
  for (size_t i = 0; i < file->count; i++) {
    executed += file->lines[i].count > 0;
    executions += file->lines[i].count;
  }
  fputs("\nExecution Summary:\n\n", out);
  fprintf(out, "%9zu   Counted lines in this file\n", file->count);
  fprintf(out, "%9llu   Lines executed\n", executed);
  fprintf(out, "%9.2f   Percent of the file executed\n\n", 100.0 * executed / file->count);
  fprintf(out, "%9llu   Total number of line executions\n", executions);
  fprintf(out, "%9.2f   Average executions per line\n", (double)executions / file->count);
}

/* ---- files ---- */

static FILE *open_annotated(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  char *annotated = memory_zeroed(strlen(name) + sizeof "-ann", 1);
  FILE *stream = fopen(strcat(strcpy(annotated, name), "-ann"), "we");
  free(annotated);
  return stream;
}

static void print_file(const struct file_lines *file, const struct gprof_source_options *options,
                       void (*say)(const char *path, const char *why), FILE *out) {
  const char *path = file->lines[0].file;
  FILE *source = open_source(path, options);
  if (!source) {
    say(path, strerror(errno));
    return;
  }
  FILE *into = options->separate ? open_annotated(path) : out;
  if (into) {
    if (into == out) fprintf(out, "*** File %s:\n", path);
    print_text(file, source, options, into);
    if (options->table) print_busiest(file, options->table, into);
    print_summary(file, into);
  }
  if (!into || (into != out && fclose(into) != 0)) say(path, strerror(errno));
  fclose(source);
}

void gprof_print_source(const struct gprof_line *lines, size_t count,
                        const struct gprof_source_options *options,
                        void (*say)(const char *path, const char *why), FILE *out) {
  bool any = false;
  for (size_t i = 0; i < count;) {
    struct file_lines file = {.lines = lines + i};
    while (i < count && strcmp(lines[i].file, file.lines[0].file) == 0)
      i++, file.count++;
    if (any && !options->separate) fputs("\f\n", out);
    print_file(&file, options, say, out);
    any = true;
  }
}
