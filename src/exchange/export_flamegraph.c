/* A flame graph as one SVG file: readable as it is, searchable and zoomable where its script may
 * run.  The root is at the top; the width of a frame is time, its children stand below it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "exchange/export_formats.h"
#include "exchange/export_names.h"
#include "exchange/flamegraph_parts.h"
#include "exchange/stack_tree.h"
#include "exchange/xml_text.h"
#include "report/quantity.h"
#include "symbols/name_parts.h"

/* In pixels, until a script makes the picture as wide as its window. */
enum { WIDTH = 1200, MARGIN = 12, ROW = 18, FRAME_HEIGHT = 17, BASELINE = 13, NOTE_ROW = 16 };
enum { TITLE_Y = 27, FIRST_NOTE_Y = 46, TITLE_COLUMNS = 90, SHADES = 6, LONGEST_LABEL = 400 };
static const double character = 7.2, least_width = 0.1, padding = 3;

struct flamegraph {
  const struct export_data *data;
  FILE *out;
  struct stack_tree tree;
  double *starts; /* by depth: where the frame that is being looked at starts, in ns */
  double *used;   /* by depth: what its children before the next one have taken */
  double pixels;  /* of a nanosecond */
  int top;        /* of the root's frame */
  uint32_t deepest;
  size_t left_out; /* frames that are too narrow */
};

/* ---- frames ---- */

static bool is_drawn(const struct flamegraph *graph, const struct stack_node *node) {
  return !node->depth || node->total_ns * graph->pixels >= least_width;
}

static void count_frames(struct flamegraph *graph) {
  for (size_t i = 0; i < graph->tree.count; i++) {
    const struct stack_node *node = &graph->tree.nodes[i];
    if (!is_drawn(graph, node))
      graph->left_out++;
    else if (node->depth > graph->deepest)
      graph->deepest = node->depth;
  }
}

static bool is_function(const struct stack_node *node) {
  return node->function != NOTHING && node->function != PATH_HOLE;
}

/* p: of the program, l: of a library, r: no function. */
static void write_class(struct flamegraph *graph, const struct stack_node *node) {
  const struct profile *stacks = graph->data->stacks;
  if (!is_function(node)) {
    fputs("r", graph->out);
    return;
  }
  uint32_t object = stacks->functions[node->function].object;
  bool program = object == NOTHING || graph->data->is_program[object];
  unsigned shade = hash_text(graph->data->names[node->function]) % SHADES;
  bool folded = node->folded_ns || node->recursive;
  fprintf(graph->out, "%c%u%s", program ? 'p' : 'l', shade, folded ? " fold" : "");
}

static void write_place(struct flamegraph *graph, const struct stack_node *node) {
  const struct profile *profile = graph->data->profile;
  if (!is_function(node)) return;
  const struct profile_function *function = &graph->data->stacks->functions[node->function];
  if (function->bodies & BODY_INLINED)
    fputs(function->bodies & BODY_OWN ? "\npartly inlined" : "\ninlined", graph->out);
  if (function->file) {
    fputs("\n", graph->out);
    xml_text(graph->out, export_clean(graph->data->pool, function->file));
    if (function->line) fprintf(graph->out, ":%u", function->line);
  }
  if (function->object != NOTHING) {
    fputs("\nin ", graph->out);
    xml_text(graph->out, export_clean(graph->data->pool, profile->objects[function->object].path));
  }
}

static void write_folds(struct flamegraph *graph, const struct stack_node *node) {
  char amount[QUANTITY_BYTES];
  if (node->folded_ns)
    fprintf(graph->out, "\nrecursion, folded: active again further down for %s of this",
            quantity_text(graph->data->unit, node->folded_ns, amount));
  if (node->recursive)
    fprintf(graph->out, "\nrecursion, folded: calls itself %" PRIu64 " times", node->recursive);
}

static void write_title(struct flamegraph *graph, const struct stack_node *node, const char *name) {
  struct estimate total = books_estimate(&graph->data->books, node->total);
  double percent = graph->data->ns ? 100.0 * node->total_ns / graph->data->ns : 0;
  const char *unit = graph->data->unit;
  char amount[QUANTITY_ESTIMATE_BYTES], self[QUANTITY_BYTES];
  fputs("<title>", graph->out);
  xml_text(graph->out, name);
  fprintf(graph->out, "\n%.2f %%, %s, self %s", percent,
          quantity_estimate_text(unit, total, amount), quantity_text(unit, node->self_ns, self));
  write_folds(graph, node);
  write_place(graph, node);
  fputs("</title>", graph->out);
}

static void write_label(struct flamegraph *graph, const char *name, double x, int y, double width) {
  double room = (width - 2 * padding) / character;
  if (room < 3) return;
  char shorter[LONGEST_LABEL];
  fprintf(graph->out, "<text x=\"%.1f\" y=\"%d\">", x + padding, y + BASELINE);
  xml_text_cut(graph->out, name_fit(name, (struct name_part){0}, room, shorter, sizeof shorter),
               room);
  fputs("</text>", graph->out);
}

/* For the script, which labels frames anew when they become wider or narrower. */
static void write_brief(struct flamegraph *graph, const char *name) {
  char brief[LONGEST_LABEL];
  if (strcmp(name_brief(name, brief, sizeof brief), name) == 0) return;
  fputs(" data-brief=\"", graph->out);
  xml_text(graph->out, brief);
  fputs("\"", graph->out);
}

static void write_frame(struct flamegraph *graph, const struct stack_node *node) {
  char text[STACK_NAME_BYTES];
  const char *name = stack_name(graph->data, node, text);
  double x = MARGIN + graph->starts[node->depth] * graph->pixels;
  double width = node->depth ? node->total_ns * graph->pixels : WIDTH - 2 * MARGIN;
  int y = graph->top + ROW * (int)node->depth;
  fputs("<g class=\"", graph->out);
  write_class(graph, node);
  fputs("\"", graph->out);
  if (is_function(node)) write_brief(graph, name);
  fputs(">", graph->out);
  write_title(graph, node, name);
  fprintf(graph->out, "<rect x=\"%.3f\" y=\"%d\" width=\"%.3f\" height=\"%d\"/>", x, y, width,
          FRAME_HEIGHT);
  write_label(graph, name, x, y, width);
  fputs("</g>\n", graph->out);
}

static void write_frames(struct flamegraph *graph) {
  const struct stack_node *nodes = graph->tree.nodes;
  fputs("<g id=\"frames\">\n", graph->out);
  for (uint32_t at = STACK_ROOT; at != NOTHING; at = nodes[at].next) {
    uint32_t depth = nodes[at].depth;
    if (depth) {
      graph->starts[depth] = graph->starts[depth - 1] + graph->used[depth - 1];
      graph->used[depth - 1] += nodes[at].total_ns;
    }
    graph->used[depth] = 0;
    if (is_drawn(graph, &nodes[at])) write_frame(graph, &nodes[at]);
  }
  fputs("</g>\n", graph->out);
}

/* ---- the page ---- */

static void write_note(struct flamegraph *graph, int y, const char *text) {
  fprintf(graph->out, "<text class=\"note\" x=\"%d\" y=\"%d\">", MARGIN, y);
  xml_text(graph->out, text);
  fputs("</text>\n", graph->out);
}

static void write_head(struct flamegraph *graph, int height) {
  const struct export_data *data = graph->data;
  fprintf(graph->out,
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
          " viewBox=\"0 0 %d %d\" data-whole=\"%" PRIu64 "\" data-unit=\"",
          WIDTH, height, WIDTH, height, data->ns);
  xml_text(graph->out, data->unit ? data->unit : "");
  const char *of = profile_metric(data->profile)->kind == METRIC_WAITING ? "Waiting: " : "";
  fprintf(graph->out, "\">\n<title>%s", of);
  xml_text(graph->out, data->title);
  fprintf(graph->out,
          "</title>\n<style>\n%s</style>\n<rect class=\"page\" width=\"100%%\" height=\"100%%\"/>\n"
          "<text class=\"title\" x=\"%d\" y=\"%d\">",
          flamegraph_css, MARGIN, TITLE_Y);
  fputs(of, graph->out);
  xml_text_cut(graph->out, data->title, TITLE_COLUMNS);
  fputs("</text>\n", graph->out);
  int y = FIRST_NOTE_Y;
  for (size_t i = 0; data->remarks[i]; i++, y += NOTE_ROW)
    write_note(graph, y, data->remarks[i]);
  fprintf(graph->out,
          "<text id=\"found\" class=\"note\" text-anchor=\"end\" x=\"%d\" y=\"%d\"></text>\n"
          "<text id=\"detail\" class=\"note\" x=\"%d\" y=\"%d\"></text>\n",
          WIDTH - MARGIN, FIRST_NOTE_Y + 4, MARGIN, y);
}

static void write_foot(struct flamegraph *graph, int y) {
  char text[200];
  write_note(graph, y,
             "Orange: the program; blue: libraries. Dashed: recursion is folded here, so that "
             "nothing counts twice.");
  if (!graph->data->ns)
    write_note(graph, y + NOTE_ROW, "Nothing was sampled: there is nothing to draw.");
  if (graph->left_out) {
    snprintf(text, sizeof text,
             "Not drawn: %zu frames with less than %.2g %% each; it is in the frames above them.",
             graph->left_out, 100 * least_width / (WIDTH - 2 * MARGIN));
    write_note(graph, y + NOTE_ROW, text);
  }
  fprintf(graph->out, "<script><![CDATA[\n%s]]></script>\n</svg>\n", flamegraph_js);
}

static size_t remark_count(const struct export_data *data) {
  size_t count = 0;
  while (data->remarks[count])
    count++;
  return count;
}

static int write_flamegraph(const struct export_data *data, FILE *out, struct error *error) {
  struct flamegraph graph = {.data = data, .out = out};
  stack_tree_make(&graph.tree, data, data->options->threads);
  graph.starts = memory_zeroed(graph.tree.depth + 1, sizeof *graph.starts);
  graph.used = memory_zeroed(graph.tree.depth + 1, sizeof *graph.used);
  graph.pixels = data->ns ? (double)(WIDTH - 2 * MARGIN) / data->ns : 0;
  graph.top = FIRST_NOTE_Y + NOTE_ROW * ((int)remark_count(data) + 1);
  count_frames(&graph);
  int foot = graph.top + ROW * ((int)graph.deepest + 1) + NOTE_ROW;
  write_head(&graph, foot + 2 * NOTE_ROW);
  write_frames(&graph);
  write_foot(&graph, foot);
  free(graph.starts);
  free(graph.used);
  stack_tree_free(&graph.tree);
  return 0;
}

const struct export_format export_flamegraph = {
    "flamegraph", ".svg", "a browser", EXPORT_STACKS, write_flamegraph, EXPORT_CENTRES_IF_ASKED};
