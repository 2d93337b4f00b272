/* Folded stacks: a line for each stack, its functions between semicolons, then its time in
 * nanoseconds.  Source: flamegraph.pl of https://github.com/brendangregg/FlameGraph. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/export_formats.h"
#include "exchange/stack_tree.h"

struct lines {
  const struct export_data *data;
  FILE *out;
  struct stack_tree tree;
  size_t *ends; /* by depth: where the line of that depth's frame ends in `line` */
  char *line;
};

/* A semicolon would end the name; readers of this format have a colon in its place. */
static void put_name(struct lines *lines, const struct stack_node *node) {
  char text[STACK_NAME_BYTES];
  const char *name = stack_name(lines->data, node, text);
  size_t start = lines->ends[node->depth - 1], end = start + strlen(name) + 1;
  ARRAY_ROOM(lines->line, end);
  for (size_t i = start; *name; name++)
    lines->line[i++] = *name == ';' ? ':' : *name;
  lines->line[end - 1] = ';';
  lines->ends[node->depth] = end;
}

static void write_lines(struct lines *lines) {
  const struct stack_node *nodes = lines->tree.nodes;
  for (uint32_t at = nodes[STACK_ROOT].next; at != NOTHING; at = nodes[at].next) {
    put_name(lines, &nodes[at]);
    if (!nodes[at].self_ns) continue;
    fwrite(lines->line, 1, lines->ends[nodes[at].depth] - 1, lines->out);
    fprintf(lines->out, " %" PRIu64 "\n", nodes[at].self_ns);
  }
}

static int write_collapsed(const struct export_data *data, FILE *out, struct error *error) {
  struct lines lines = {.data = data, .out = out};
  stack_tree_make(&lines.tree, data, data->options->threads);
  lines.ends = memory_zeroed(lines.tree.depth + 1, sizeof *lines.ends);
  write_lines(&lines);
  free(lines.ends);
  free(lines.line);
  stack_tree_free(&lines.tree);
  return 0;
}

const struct export_format export_collapsed = {
    "collapsed",   ".collapsed",    "flamegraph.pl, Speedscope",
    EXPORT_STACKS, write_collapsed, EXPORT_CENTRES_IF_ASKED};
