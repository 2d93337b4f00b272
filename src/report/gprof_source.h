/* Execution counts of lines, alone and beside the source text, in the layout of GNU gprof. */
#ifndef ASCRIBE_REPORT_GPROF_SOURCE_H
#define ASCRIBE_REPORT_GPROF_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A place in the source whose executions were counted: the beginning of a function or of a basic
 * block.  Strings are the caller's. */
struct gprof_line {
  const char *file;
  uint32_t line;
  const char *function;
  uint64_t address, count;
  bool repeated; /* not counted here, but where the block or function began */
};

struct gprof_source_options {
  const char *const *directories; /* to look for sources in, besides where they were */
  size_t directory_count;
  unsigned table; /* lines of the table of the busiest ones */
  bool separate;  /* one file "NAME-ann" for each source, in the current directory */
};

/* "FILE:LINE: (FUNCTION:0xADDRESS) N executions" of those that were executed. The lines are in the
 * order of their files, lines and addresses (exchange/gmon_lines.h). */
void gprof_print_counts(const struct gprof_line *lines, size_t count, FILE *out);

/* The text of each file, counts at its left, with a table of the busiest lines and a summary below.
 * The lines are in the same order.  Files without counted lines are left out; how many others could
 * not be read, or written, is returned, and each is named by `say`. */
size_t gprof_print_source(const struct gprof_line *lines, size_t count,
                          const struct gprof_source_options *options,
                          void (*say)(const char *path, const char *why), FILE *out);

#endif
