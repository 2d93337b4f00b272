/* The command line of GNU gprof, as `ascribe gprof` takes it. */
#ifndef ASCRIBE_CLI_GPROF_OPTIONS_H
#define ASCRIBE_CLI_GPROF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gprof_style {
  GPROF_FLAT = 1,
  GPROF_GRAPH = 2,
  GPROF_COUNTS = 4,
  GPROF_SOURCE = 8,
  GPROF_SUM = 16,
  GPROF_INFO = 32,
};

/* Names on the command line: "function", "file:function", "file:line" or "file". */
struct gprof_names {
  const char **list; /* of argv */
  size_t count;
};

struct gprof_choice {
  struct gprof_names included, excluded;
};

struct gprof_options {
  unsigned styles; /* enum gprof_style bits, never 0 */
  const char *executable;
  char **files; /* of argv; or the default */
  size_t file_count;
  struct gprof_choice flat, graph, timed, counts, source;
  struct gprof_names arcs_left_out; /* "from/to", and below them as pairs */
  struct gprof_names directories;
  uint64_t block_minimum;
  unsigned width, table;
  bool brief, static_calls, lines, unused, paths, mangled, without_locals, functions_only;
  bool every_line, separate, definitions;
};

/* `arguments` stay until the options are released. 0: go on; 1: help or version was shown; -1:
 * wrong use, said on standard error. */
int gprof_options_parse(int count, char **arguments, struct gprof_options *options);
void gprof_options_release(struct gprof_options *options);

#endif
