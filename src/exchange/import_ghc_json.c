/* The JSON of GHC's time and allocation profiler: cost centres, and the tree of their stacks.
 * Source: GHC User's Guide, "Profiling", "JSON profile format". */
#include <stdlib.h>
#include <string.h>

#include "exchange/ghc_run.h"
#include "exchange/import_formats.h"
#include "exchange/json_scan.h"
#include "exchange/whole_input.h"

enum { MOST_TICK_US = 1 << 30 };
#define MOST_FIGURE (UINT64_C(1) << 61)
/* Each stack is kept whole: a chain of n stacks has n * n / 2 frames. */
#define MOST_FRAMES (UINT64_C(1) << 25)

/* A stack of cost centres: its innermost one, below the last stack before it that has one less. */
struct node {
  uint32_t depth;
  bool has_id;
  uint64_t id; /* of the cost centre */
  struct centre_figures figures;
};

struct ghc_import {
  struct ghc_run *run;
  const char *name;
  struct json_scan scan;
  char *program, *arguments, *end_time; /* or null */
  uint64_t tick_us, ticks;
  struct map functions; /* by the ids of cost centres */
  struct node *nodes;   /* each after its parent */
  size_t count;
};

static void take_text(struct ghc_import *import, char **text) {
  free(*text);
  *text = json_scan_text(&import->scan);
}

/* Of an array of texts, with blanks between them. */
static bool take_arguments(struct ghc_import *import) {
  size_t outer = import->scan.depth - 1;
  while (import->scan.depth > outer) {
    enum json_kind kind = json_scan_next(&import->scan);
    if (kind == JSON_FAULT || (kind == JSON_OPENED && !json_scan_skip(&import->scan))) return false;
    if (kind != JSON_TEXT) continue;
    char *before = import->arguments, *word = json_scan_text(&import->scan);
    import->arguments = before ? memory_printed("%s %s", before, word) : memory_text(word);
    free(before);
    free(word);
  }
  return true;
}

/* ---- cost centres ---- */

struct centre {
  uint64_t id;
  char *label, *module, *location; /* or null */
};

static void take_centre_member(struct ghc_import *import, struct centre *centre, bool is_text) {
  const struct json_scan *scan = &import->scan;
  if (json_scan_is(scan, "id")) centre->id = json_scan_number(scan, MOST_FIGURE);
  if (is_text && json_scan_is(scan, "label")) take_text(import, &centre->label);
  if (is_text && json_scan_is(scan, "module")) take_text(import, &centre->module);
  if (is_text && json_scan_is(scan, "src_loc")) take_text(import, &centre->location);
}

/* An object that was opened. */
static bool take_centre(struct ghc_import *import) {
  struct centre centre = {0};
  enum json_kind kind;
  bool right = true;
  while (right && (kind = json_scan_next(&import->scan)) != JSON_CLOSED) {
    right = kind != JSON_FAULT && (kind != JSON_OPENED || json_scan_skip(&import->scan));
    if (right && kind != JSON_OPENED) take_centre_member(import, &centre, kind == JSON_TEXT);
  }
  if (right) {
    const char *label = centre.label ? centre.label : "",
               *module = centre.module ? centre.module : "";
    uint32_t function = cost_centres_function(&import->run->centres, label, module,
                                              centre.location ? centre.location : "");
    map_find_or_add(&import->functions, centre.id, 0, function);
  }
  free(centre.label);
  free(centre.module);
  free(centre.location);
  return right;
}

static bool take_centres(struct ghc_import *import) {
  enum json_kind kind;
  while ((kind = json_scan_next(&import->scan)) != JSON_CLOSED) {
    if (kind == JSON_FAULT) return false;
    if (kind == JSON_OPENED &&
        !(json_scan_in_object(&import->scan) ? take_centre(import) : json_scan_skip(&import->scan)))
      return false;
  }
  return true;
}

/* ---- the tree ---- */

static void add_node(struct ghc_import *import, uint32_t depth) {
  ARRAY_GROW(import->nodes, import->count);
  import->nodes[import->count++] = (struct node){.depth = depth};
}

static void take_figure(const struct json_scan *scan, struct node *node) {
  uint64_t value = json_scan_number(scan, MOST_FIGURE);
  if (json_scan_is(scan, "entries")) node->figures.entries = value;
  if (json_scan_is(scan, "alloc")) node->figures.bytes = value;
  if (json_scan_is(scan, "ticks")) node->figures.ticks = value;
  if (!json_scan_is(scan, "id")) return;
  node->id = value;
  node->has_id = true;
}

/* The object that was opened, and all below it. GHC writes a node's figures before its children,
 * but another order is no fault: `open` has the nodes above. Objects stand in arrays of children,
 * and these in objects; what else is nested is skipped, so that depths are known by brackets. */
static bool take_tree(struct ghc_import *import) {
  struct json_scan *scan = &import->scan;
  size_t outer = scan->depth - 1;
  uint32_t *open = NULL, depth = 0;
  bool right = true;
  ARRAY_GROW(open, depth);
  open[depth] = (uint32_t)import->count;
  add_node(import, depth);
  while (right && scan->depth > outer) {
    enum json_kind kind = json_scan_next(scan);
    bool in_node = (scan->depth - outer) % 2 == 1;
    if (kind == JSON_OPENED && !in_node && !json_scan_in_object(scan) &&
        json_scan_is(scan, "children"))
      continue;
    if (kind == JSON_OPENED && in_node && json_scan_in_object(scan)) {
      ARRAY_GROW(open, ++depth);
      open[depth] = (uint32_t)import->count;
      add_node(import, depth);
    } else if (kind == JSON_OPENED) {
      right = json_scan_skip(scan);
    } else if (kind == JSON_CLOSED) {
      depth -= !in_node && depth;
    } else if (kind == JSON_FAULT) {
      right = false;
    } else if (in_node) {
      take_figure(scan, &import->nodes[open[depth]]);
    }
  }
  free(open);
  return right;
}

/* ---- the file ---- */

static bool take_opened(struct ghc_import *import) {
  struct json_scan *scan = &import->scan;
  bool is_object = json_scan_in_object(scan);
  if (scan->depth == 1) return true;
  if (is_object && json_scan_is(scan, "profile") && !import->count) return take_tree(import);
  if (!is_object && json_scan_is(scan, "cost_centres")) return take_centres(import);
  if (!is_object && json_scan_is(scan, "arguments") && !import->arguments)
    return take_arguments(import);
  return json_scan_skip(scan);
}

static bool take_file(struct ghc_import *import) {
  struct json_scan *scan = &import->scan;
  enum json_kind kind;
  while ((kind = json_scan_next(scan)) != JSON_END) {
    if (kind == JSON_FAULT || (kind == JSON_OPENED && !take_opened(import))) return false;
    if (kind != JSON_TEXT && kind != JSON_WORD) continue;
    if (json_scan_is(scan, "tick_interval")) import->tick_us = json_scan_number(scan, MOST_TICK_US);
    if (kind == JSON_TEXT && json_scan_is(scan, "program")) take_text(import, &import->program);
    if (kind == JSON_TEXT && json_scan_is(scan, "end_time")) take_text(import, &import->end_time);
  }
  return true;
}

static int add_stacks(struct ghc_import *import, struct error *error) {
  uint64_t frames = 0;
  for (size_t i = 0; i < import->count; i++) {
    struct node *node = &import->nodes[i];
    uint32_t function = map_find(&import->functions, node->id, 0);
    if (!node->has_id || function == UINT32_MAX)
      return error_set(error, "%s: the tree has cost centre %llu, which is not in cost_centres",
                       import->name, (unsigned long long)node->id);
    if ((frames += node->depth) > MOST_FRAMES)
      return error_set(error, "%s: its stacks are too deep: %llu frames in all are the most",
                       import->name, (unsigned long long)MOST_FRAMES);
    cost_centres_push(&import->run->centres, node->depth, function);
    if (__builtin_mul_overflow(node->figures.ticks, 1000 * import->tick_us, &node->figures.ns) ||
        ghc_run_charge(import->run, &node->figures) != 0)
      return error_set(error, "%s: the sum of all figures is too large", import->name);
    import->ticks += node->figures.ticks;
  }
  if (!import->count) return error_set(error, "%s: no profile in it", import->name);
  return ghc_run_same_ticks(import->run, import->name, import->ticks, true, error);
}

static int identify(struct ghc_import *import, struct error *error) {
  if (!import->tick_us)
    return error_set(error, "%s: no tick_interval in it, so the time of a tick is not known",
                     import->name);
  const char *command = import->arguments ? import->arguments : import->program;
  return ghc_run_identify(import->run, import->name, command ? command : "",
                          import->end_time ? import->end_time : "", error);
}

static int read_text(struct ghc_import *import, struct error *error) {
  if (!take_file(import))
    return error_set(error, "%s:%llu: malformed JSON, or cut off here", import->name,
                     (unsigned long long)json_scan_line(&import->scan));
  if (identify(import, error) != 0) return -1;
  return add_stacks(import, error);
}

/* Leaves out what +RTS -hr puts around it. */
static void find_object(struct whole_input *whole) {
  if (!ghc_run_has_retainers(whole->text, whole->bytes)) return;
  const char *end = whole->text + whole->bytes;
  const char *start = memmem(whole->text, whole->bytes, "\n{", 2);
  if (start) whole->text = start + 1;
  whole->bytes = (size_t)(end - whole->text);
  const char *last = memmem(whole->text, whole->bytes, "\n}\n\nRetainer sets", 17);
  if (last) whole->bytes = (size_t)(last + 2 - whole->text);
}

static int add_ghc_json(struct input *input, struct ghc_run *run, struct error *error) {
  struct whole_input whole;
  struct ghc_import import = {.name = input->name, .run = run};
  ghc_run_format(run, "profiler");
  if (whole_input_read(&whole, input, error) != 0) return -1;
  find_object(&whole);
  json_scan_open(&import.scan, whole.text, whole.bytes);
  int result = read_text(&import, error);
  json_scan_close(&import.scan);
  whole_input_free(&whole);
  map_free(&import.functions);
  free(import.program);
  free(import.arguments);
  free(import.end_time);
  free(import.nodes);
  return result;
}

static int read_ghc_json(struct input *input, const struct import_options *options,
                         struct profile **profile, struct error *error) {
  return ghc_run_read(add_ghc_json, input, options, profile, error);
}

static bool matches(const char *start, size_t count) {
  static const char name[] = "\"program\"";
  char inflated[512];
  if (!whole_input_start(&start, &count, inflated, sizeof inflated)) return false;
  const char *object = start;
  if (ghc_run_has_retainers(start, count)) object = memmem(start, count, "\n{", 2);
  if (!object) return false;
  object += *object == '\n';
  const char *end = start + count, *at = object + 1;
  while (at < end && *at && strchr(" \t\r\n", *at))
    at++;
  return *object == '{' && (size_t)(end - at) >= strlen(name) &&
         memcmp(at, name, strlen(name)) == 0;
}

const struct import_format import_ghc_json = {.name = "ghc-json",
                                              .words = "JSON of GHC's profiler (+RTS -pj)",
                                              .matches = matches,
                                              .read = read_ghc_json,
                                              .run_part = RUN_OF_CENTRES,
                                              .add = add_ghc_json};
