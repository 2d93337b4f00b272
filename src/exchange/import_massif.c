/* Valgrind's heap profiler: snapshots of how much memory was live, some of them with a tree of the
 * stacks that had allocated it, allocating functions first.
 * Source: Valgrind manual, "Massif"; ms_print.in. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/begins.h"
#include "exchange/import_formats.h"
#include "exchange/level_series.h"

enum { DEPTH_USUAL = 30, CALLERS_MOST = 1 << 24 };

/* Figures stay far from overflowing; times become nanoseconds. */
#define MOST_FIGURE (UINT64_C(1) << 40)

/* A node of the tree at hand. */
struct node {
  uint32_t function, line;
  uint64_t bytes;   /* less those of the callers read so far */
  uint64_t callers; /* still to come */
};

struct massif_import {
  struct input *input;
  struct error *error;
  struct stack_profile stacks;
  struct level_series series;
  uint32_t thread;
  bool is_open; /* the first snapshot was met */
  char *command;
  uint64_t depth; /* of the stacks at most: --depth */
  /* the snapshot at hand */
  uint64_t number, time, bytes;
  bool is_begun;
  bool in_tree;      /* its nodes follow */
  struct node *path; /* those that lack callers, and the last one; allocating functions first */
  size_t path_count;
  bool has_tree;      /* one that is complete had a tree */
  uint64_t last_tree; /* number of the last that had one */
};

static int wrong(const struct massif_import *import, const char *what, const char *line) {
  return input_error(import->input, import->error, "%s: %.60s", what, line);
}

/* The number at `*text`, which then points behind it. */
static bool take_number(const char **text, uint64_t *number) {
  char *end;
  if (!isdigit((unsigned char)**text)) return false;
  errno = 0;
  *number = strtoull(*text, &end, 10);
  *text = end;
  return errno == 0;
}

/* ---- the head ---- */

static void take_options(struct massif_import *import, const char *options) {
  const char *depth = strstr(options, "--depth=");
  if (depth) import->depth = strtoull(depth + strlen("--depth="), NULL, 10);
}

static int take_head(struct massif_import *import, const char *line) {
  const char *value;
  if ((value = text_after(line, "desc: "))) {
    take_options(import, value);
  } else if ((value = text_after(line, "cmd: "))) {
    free(import->command);
    import->command = memory_text(value);
  } else if ((value = text_after(line, "time_unit: "))) {
    import->series.is_untimed = strncmp(value, "ms", 2) != 0;
  } else {
    return wrong(import, "not a line of massif's format", line);
  }
  return 0;
}

static void open_profile(struct massif_import *import) {
  const char *command = import->command ? import->command : "";
  uint32_t process = stack_profile_process(&import->stacks, 0, command);
  import->thread = stack_profile_thread(&import->stacks, process, 0, "");
  import->is_open = true;
}

/* ---- stacks ---- */

static void push_special(struct massif_import *import, const char *name, enum function_kind kind) {
  struct profile_function function = {.name = name, .object = NOTHING};
  uint32_t id = stack_profile_function(&import->stacks, &function, BODY_OWN);
  import->stacks.profile->functions[id].kind = kind;
  stack_profile_frame(&import->stacks, id, stack_profile_line(&import->stacks, id, NULL, 0));
}

/* Adds bytes to the stack of the path at hand. `is_cut`: its outer frames are not known. */
static int add_stack(struct massif_import *import, uint64_t bytes, bool is_cut) {
  stack_profile_begin(&import->stacks, import->thread);
  if (is_cut || import->path_count > import->depth) push_special(import, CUT_STACK, FUNCTION_CUT);
  for (size_t i = import->path_count; i-- > 1;) /* the first one stands for all stacks */
    stack_profile_frame(&import->stacks, import->path[i].function, import->path[i].line);
  if (level_series_add(&import->series, bytes)) return 0;
  return input_error(import->input, import->error, "the sum of the snapshot is too large");
}

/* "main (a.c:9)", "f (in /lib/b.so)", "???": cuts the place off the name. */
static void parse_frame(struct massif_import *import, char *name, struct node *node) {
  struct profile_function function = {.name = name, .object = NOTHING};
  const char *file = NULL;
  uint32_t number = 0;
  size_t length = strlen(name);
  char *place = length && name[length - 1] == ')' ? strrchr(name, '(') : NULL;
  if (place && place - name > 1 && place[-1] == ' ') {
    char *colon = strrchr(place, ':');
    name[length - 1] = place[-1] = '\0';
    if (text_after(place, "(in ")) {
      function.object = stack_profile_object(&import->stacks, place + 4, "");
    } else if (colon && isdigit((unsigned char)colon[1])) {
      number = (uint32_t)strtoul(colon + 1, NULL, 10);
      *colon = '\0';
      file = place + 1;
    } else {
      place[-1] = ' ';
      name[length - 1] = ')';
    }
  }
  node->function = stack_profile_function(&import->stacks, &function, BODY_OWN);
  node->line = stack_profile_line(&import->stacks, node->function, file, number);
}

/* ---- the tree ---- */

/* Ends the nodes that have all their callers. The bytes that no caller has belong to the stack up
 * to the node. */
static int end_nodes(struct massif_import *import) {
  while (import->path_count && !import->path[import->path_count - 1].callers) {
    struct node *node = &import->path[import->path_count - 1];
    if (node->bytes && add_stack(import, node->bytes, import->path_count == 1) != 0) return -1;
    import->path_count--;
    if (import->path_count) import->path[import->path_count - 1].callers--;
  }
  return 0;
}

/* A node below the last one of the path. `rest`: "0x1091D4: grow (m.c:6)", or "in 3 places, all
 * below massif's threshold (1.00%)": callers that are left out. */
static int add_node(struct massif_import *import, struct node node, char *rest, const char *line) {
  struct node *callee = import->path_count ? &import->path[import->path_count - 1] : NULL;
  if (callee && node.bytes > callee->bytes) return wrong(import, "more than its callee has", line);
  if (callee) callee->bytes -= node.bytes;
  if (callee && text_after(rest, "in ")) {
    callee->callers--;
    if (node.bytes && add_stack(import, node.bytes, true) != 0) return -1;
    return end_nodes(import);
  }
  if (callee) {
    char *name = text_after(rest, "0x") ? strstr(rest, ": ") : NULL;
    if (!name) return wrong(import, "not an address and a function", line);
    parse_frame(import, name + 2, &node);
  }
  ARRAY_GROW(import->path, import->path_count);
  import->path[import->path_count++] = node;
  return end_nodes(import);
}

/* " n2: 324855 0x109197: make (m.c:5)": indented by its depth. */
static int take_node(struct massif_import *import, char *line) {
  size_t depth = strspn(line, " ");
  const char *at = line + depth;
  struct node node = {0};
  char *shown = memory_text_part(line, 60);
  bool is_node = *at++ == 'n' && take_number(&at, &node.callers) && *at++ == ':' && *at++ == ' ' &&
                 take_number(&at, &node.bytes) && *at == ' ' && node.callers < CALLERS_MOST;
  int result = 0;
  if (!is_node || depth != import->path_count)
    result = wrong(import, "not the node of a heap tree that is due here", shown);
  else
    result = add_node(import, node, line + (at + 1 - line), shown);
  free(shown);
  return result;
}

/* ---- snapshots ---- */

static int end_snapshot(struct massif_import *import, bool has_stacks) {
  level_series_end(&import->series, has_stacks);
  import->is_begun = import->in_tree = false;
  if (has_stacks) import->last_tree = import->number;
  import->has_tree |= has_stacks;
  return 0;
}

/* A snapshot without a tree: one stack stands for all. */
static int take_total(struct massif_import *import) {
  stack_profile_begin(&import->stacks, import->thread);
  push_special(import, "(snapshot without stacks)", FUNCTION_SAMPLED);
  if (!level_series_add(&import->series, import->bytes))
    return input_error(import->input, import->error, "mem_heap_B is too large");
  return end_snapshot(import, false);
}

static int begin_tree(struct massif_import *import, const char *kind, const char *line) {
  bool is_empty = strcmp(kind, "empty") == 0;
  if (!import->is_begun) return wrong(import, "a heap tree of no snapshot", line);
  if (!is_empty && strcmp(kind, "detailed") != 0 && strcmp(kind, "peak") != 0)
    return wrong(import, "not empty, detailed or peak", line);
  if (level_series_begin(&import->series, import->time * 1000000) != 0)
    return wrong(import, "earlier than the snapshot before", line);
  import->in_tree = !is_empty;
  return is_empty ? take_total(import) : 0;
}

static int begin_snapshot(struct massif_import *import, const char *line) {
  if (import->is_begun) return wrong(import, "a snapshot within another", line);
  if (!import->is_open) open_profile(import);
  import->is_begun = true;
  import->time = import->bytes = 0;
  return 0;
}

static int take_figure(struct massif_import *import, const char *line) {
  uint64_t ignored, *to = &ignored;
  const char *value = strchr(line, '=') + 1;
  if (text_after(line, "snapshot=")) to = &import->number;
  if (text_after(line, "time=")) to = &import->time;
  if (text_after(line, "mem_heap_B=")) to = &import->bytes;
  if (!take_number(&value, to) || *value || *to > MOST_FIGURE)
    return wrong(import, "not a number", line);
  return to == &import->number ? begin_snapshot(import, line) : 0;
}

static int take_line(struct massif_import *import, char *line) {
  static const char *const figures[] = {
      "snapshot=", "time=", "mem_heap_B=", "mem_heap_extra_B=", "mem_stacks_B="};
  const char *kind = text_after(line, "heap_tree=");
  if (import->in_tree) {
    if (take_node(import, line) != 0) return -1;
    return import->path_count ? 0 : end_snapshot(import, true);
  }
  if (!*line || *line == '#') return 0;
  if (kind) return begin_tree(import, kind, line);
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
    if (text_after(line, figures[i])) return take_figure(import, line);
  return import->is_open ? wrong(import, "not a line of a snapshot", line)
                         : take_head(import, line);
}

static int read_lines(struct massif_import *import) {
  char *line;
  size_t length;
  int got;
  while ((got = input_line(import->input, &line, &length, import->error)) > 0) {
    if (length && line[length - 1] == '\r') line[length - 1] = '\0';
    if (take_line(import, line) != 0) return -1;
  }
  if (got < 0) return -1;
  if (import->is_begun)
    return input_error(import->input, import->error, "the file ends in the middle of a snapshot");
  if (import->has_tree) return 0;
  return input_error(import->input, import->error, "no snapshot has a heap tree");
}

/* ---- the profile ---- */

static void describe(struct massif_import *import) {
  struct profile *profile = import->stacks.profile;
  const char *timed = import->series.is_untimed ? "; times, which massif --time-unit=ms has" : "";
  char *note = memory_printed("stacks after snapshot %llu of %llu, the last with a tree; the "
                              "allocator's own bytes%s",
                              (unsigned long long)import->last_tree,
                              (unsigned long long)import->number, timed);
  profile->origin.note = pool_string(profile->pool, note);
  free(note);
}

static int read_massif(struct input *input, const struct import_options *options,
                       struct profile **profile, struct error *error) {
  struct massif_import import = {.input = input, .error = error, .depth = DEPTH_USUAL};
  (void)options;
  stack_profile_open(&import.stacks, "massif", "");
  level_series_open(&import.series, &import.stacks, 0, "bytes");
  int result = read_lines(&import);
  if (result == 0) {
    level_series_finish(&import.series);
    describe(&import);
  }
  struct profile *made = stack_profile_finish(&import.stacks);
  level_series_free(&import.series);
  free(import.command);
  free(import.path);
  if (result == 0)
    *profile = made;
  else
    profile_free(made);
  return result;
}

/* The head begins as a file of callgrind may. */
static bool matches(const char *start, size_t count) {
  static const char unit[] = "\ntime_unit: ";
  return count > 6 && memcmp(start, "desc: ", 6) == 0 &&
         memmem(start, count, unit, strlen(unit)) != NULL;
}

const struct import_format import_massif = {.name = "massif",
                                            .words = "massif.out of Valgrind's massif",
                                            .matches = matches,
                                            .read = read_massif};
