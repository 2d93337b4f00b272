/* The format of Speedscope: JSON, the sampled type, one profile for each thread.
 * Source: https://www.speedscope.app/file-format-schema.json. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "exchange/export_formats.h"
#include "exchange/stack_tree.h"

struct speedscope {
  const struct export_data *data;
  struct json json;
  struct stack_tree tree; /* with a node for each thread */
  uint32_t *stack;        /* frames of the node that is being looked at; by depth */
};

static void write_frames(struct speedscope *speedscope) {
  const struct profile *stacks = speedscope->data->stacks;
  struct json *json = &speedscope->json;
  json_open(json, "shared", '{');
  json_open(json, "frames", '[');
  for (size_t i = 0; i < stacks->function_count; i++) {
    json_open(json, NULL, '{');
    json_text(json, "name", speedscope->data->names[i]);
    if (stacks->functions[i].file) json_text(json, "file", stacks->functions[i].file);
    if (stacks->functions[i].line) json_number(json, "line", stacks->functions[i].line);
    if (stacks->functions[i].column) json_number(json, "col", stacks->functions[i].column);
    json_close(json, '}');
  }
  /* Behind functions: what is in no cost centre, or where frames may be missing. */
  json_open(json, NULL, '{');
  json_text(json, "name", speedscope->data->options->centres ? EXPORT_OUTSIDE : PATH_HOLE_NAME);
  json_close(json, '}');
  json_close(json, ']');
  json_close(json, '}');
}

static uint32_t frame_of(const struct speedscope *speedscope, const struct stack_node *node) {
  size_t count = speedscope->data->stacks->function_count;
  return node->function < count ? node->function : (uint32_t)count;
}

/* The nodes of a thread stand together, behind the thread's own. */
static uint32_t end_of_thread(const struct speedscope *speedscope, uint32_t thread) {
  return speedscope->tree.nodes[thread].sibling;
}

static void write_stacks(struct speedscope *speedscope, uint32_t thread) {
  const struct stack_node *nodes = speedscope->tree.nodes;
  struct json *json = &speedscope->json;
  uint32_t end = end_of_thread(speedscope, thread);
  json_open(json, "samples", '[');
  for (uint32_t at = nodes[thread].next; at != end; at = nodes[at].next) {
    speedscope->stack[nodes[at].depth] = frame_of(speedscope, &nodes[at]);
    if (!nodes[at].self_ns) continue;
    json_open(json, NULL, '[');
    for (uint32_t depth = 2; depth <= nodes[at].depth; depth++)
      json_number(json, NULL, speedscope->stack[depth]);
    json_close(json, ']');
  }
  json_close(json, ']');
}

static void write_weights(struct speedscope *speedscope, uint32_t thread) {
  const struct stack_node *nodes = speedscope->tree.nodes;
  uint32_t end = end_of_thread(speedscope, thread);
  json_open(&speedscope->json, "weights", '[');
  for (uint32_t at = nodes[thread].next; at != end; at = nodes[at].next)
    if (nodes[at].self_ns) json_number(&speedscope->json, NULL, nodes[at].self_ns);
  json_close(&speedscope->json, ']');
}

static const char *unit_of(const struct export_data *data) {
  if (!data->unit) return "nanoseconds";
  return strcmp(data->unit, "bytes") == 0 ? "bytes" : "none";
}

static void write_thread(struct speedscope *speedscope, uint32_t node) {
  struct json *json = &speedscope->json;
  char name[STACK_NAME_BYTES];
  json_open(json, NULL, '{');
  json_text(json, "type", "sampled");
  json_text(json, "name", stack_name(speedscope->data, &speedscope->tree.nodes[node], name));
  json_text(json, "unit", unit_of(speedscope->data));
  json_number(json, "startValue", 0);
  json_number(json, "endValue", speedscope->tree.nodes[node].total_ns);
  write_stacks(speedscope, node);
  write_weights(speedscope, node);
  json_close(json, '}');
}

/* Speedscope wants one profile at least: of a profile without time, the empty one. */
static void write_threads(struct speedscope *speedscope) {
  const struct stack_node *nodes = speedscope->tree.nodes;
  uint32_t first = nodes[STACK_ROOT].child;
  json_open(&speedscope->json, "profiles", '[');
  if (first == NOTHING) write_thread(speedscope, STACK_ROOT);
  for (uint32_t thread = first; thread != NOTHING; thread = nodes[thread].sibling)
    write_thread(speedscope, thread);
  json_close(&speedscope->json, ']');
}

static int write_speedscope(const struct export_data *data, FILE *out, struct error *error) {
  struct speedscope speedscope = {.data = data, .json = {.out = out, .first = true}};
  struct json *json = &speedscope.json;
  stack_tree_make(&speedscope.tree, data, true);
  speedscope.stack = memory_zeroed(speedscope.tree.depth + 1, sizeof *speedscope.stack);
  json_open(json, NULL, '{');
  json_text(json, "$schema", "https://www.speedscope.app/file-format-schema.json");
  json_text(json, "exporter", "ascribe");
  json_text(json, "name", data->title);
  json_number(json, "activeProfileIndex", 0);
  write_frames(&speedscope);
  write_threads(&speedscope);
  json_close(json, '}');
  fputc('\n', out);
  free(speedscope.stack);
  stack_tree_free(&speedscope.tree);
  return 0;
}

const struct export_format export_speedscope = {
    "speedscope",  ".speedscope.json", "https://www.speedscope.app",
    EXPORT_STACKS, write_speedscope,   EXPORT_CENTRES_IF_ASKED};
