/* Callgrind's format: costs of functions and of calls, no contexts.  cachegrind's files are the
 * same without calls. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/begins.h"
#include "exchange/callgrind_text.h"
#include "exchange/graph_builder.h"
#include "exchange/import_formats.h"

/* Which function something is about. */
struct place {
  const char *object, *file, *function; /* null: not named yet */
};

struct callgrind_import {
  struct input *input;
  const struct import_options *options;
  struct error *error;
  struct stack_profile stacks;
  struct graph_builder builder;
  /* of the file's head */
  char *command, *creator;
  uint32_t pid;
  bool counted; /* by a simulator, not sampled */
  const char **events;
  size_t event_count;
  size_t event, ticks; /* indices of what is taken; SIZE_MAX: there is none */
  /* where reading has come to */
  struct callgrind_names objects, files, functions;
  struct callgrind_positions positions;
  struct place here, called;
  const char *source; /* file of the cost lines: that of inlined code is another */
  uint32_t node;      /* here.function's; NOTHING: not looked up yet */
  bool is_call;       /* the next cost line is that of a call */
  uint64_t calls;
};

static int wrong(const struct callgrind_import *import, const char *what, const char *line) {
  return input_error(import->input, import->error, "%s: %.60s", what, line);
}

static const char *after(const char *line, const char *start) {
  const char *value = text_after(line, start);
  return value ? value + strspn(value, " \t") : NULL;
}

static struct pool *pool(struct callgrind_import *import) {
  return import->stacks.profile->pool;
}

/* ---- events ---- */

static void set_events(struct callgrind_import *import, const char *names) {
  import->event_count = 0;
  for (names += strspn(names, " \t\r"); *names; names += strspn(names, " \t\r")) {
    size_t length = strcspn(names, " \t\r");
    char *name = memory_text_part(names, length);
    ARRAY_GROW(import->events, import->event_count);
    import->events[import->event_count++] = pool_string(pool(import), name);
    free(name);
    names += length;
  }
}

static size_t find_event(const struct callgrind_import *import, const char *name) {
  for (size_t i = 0; i < import->event_count; i++)
    if (strcmp(import->events[i], name) == 0) return i;
  return SIZE_MAX;
}

static void list_events(const struct callgrind_import *import, size_t but, size_t and_but,
                        char *text, size_t room) {
  size_t length = 0;
  text[0] = '\0';
  for (size_t i = 0; i < import->event_count && length < room; i++)
    if (i != but && i != and_but)
      length +=
          snprintf(text + length, room - length, "%s%s", length ? ", " : "", import->events[i]);
}

/* Instructions, or time as Ascribe exports it, or what comes first; the same in each part. */
static int choose_event(struct callgrind_import *import, const char *line) {
  struct profile_metric *metric = &import->stacks.profile->metrics[0];
  const char *wanted = import->options->event;
  if (metric->name[0]) wanted = metric->name;
  import->ticks = find_event(import, "ticks");
  if (!import->event_count || import->event_count > MOST_CALLGRIND_EVENTS)
    return wrong(import, "events in an impossible number", line);
  if (wanted) {
    char names[200];
    import->event = find_event(import, wanted);
    list_events(import, SIZE_MAX, SIZE_MAX, names, sizeof names);
    if (import->event == SIZE_MAX)
      return input_error(import->input, import->error, "no event %s here, only %s", wanted, names);
  } else {
    import->event = find_event(import, "Ir");
    if (import->event == SIZE_MAX) import->event = find_event(import, "ns");
    if (import->event == SIZE_MAX) import->event = 0;
  }
  metric->name = import->events[import->event];
  return 0;
}

/* ---- head ---- */

static void set_text(char **text, const char *value) {
  free(*text);
  *text = memory_text(value);
}

static int take_events(struct callgrind_import *import, const char *value) {
  set_events(import, value);
  return choose_event(import, value);
}

static int take_positions(struct callgrind_import *import, const char *value) {
  if (callgrind_positions_named(&import->positions, value)) return 0;
  return wrong(import, "no positions", value);
}

/* 1: it was one; 0: it was none; -1: an error. */
static int take_head(struct callgrind_import *import, const char *line) {
  const char *value;
  if ((value = after(line, "events:"))) return take_events(import, value) == 0 ? 1 : -1;
  if ((value = after(line, "positions:"))) return take_positions(import, value) == 0 ? 1 : -1;
  if ((value = after(line, "creator:"))) {
    set_text(&import->creator, value);
    import->counted |= strncmp(value, "callgrind", 9) == 0;
    import->builder.graph.is_folded |= strcmp(value, "ascribe") == 0;
    return 1;
  }
  if ((value = after(line, "cmd:"))) {
    if (!import->command) set_text(&import->command, value);
    return 1;
  }
  if ((value = after(line, "desc:"))) {
    import->counted |= strncmp(value, "I1 cache", 8) == 0;
    return 1;
  }
  if ((value = after(line, "pid:"))) {
    import->pid = strtoul(value, NULL, 10);
    return 1;
  }
  static const char *const others[] = {
      "version:", "part:", "thread:", "event:", "summary:", "totals:", "rcalls="};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (after(line, others[i])) return 1;
  return 0;
}

/* ---- functions ---- */

/* "f'2" is f, inside one other activation of it. */
static uint32_t cut_level(char *name) {
  char *quote = strrchr(name, '\'');
  if (!quote || quote == name || !isdigit((unsigned char)quote[1])) return 1;
  char *end;
  unsigned long level = strtoul(quote + 1, &end, 10);
  if (*end || level < 2 || level > UINT32_MAX) return 1;
  *quote = '\0';
  return level;
}

static uint32_t object_of(struct callgrind_import *import, const char *path) {
  if (!path || strcmp(path, "???") == 0) return NOTHING;
  return stack_profile_object(&import->stacks, path, "");
}

static const char *known_file(const char *file) {
  return file && strcmp(file, "???") == 0 ? NULL : file;
}

static bool is_spontaneous(const struct callgrind_import *import, const struct place *place) {
  return import->builder.graph.is_folded && strcmp(place->function, "<spontaneous>") == 0;
}

static uint32_t node_of(struct callgrind_import *import, const struct place *place) {
  if (is_spontaneous(import, place)) return NOTHING;
  char *name = memory_text(place->function);
  uint32_t level = cut_level(name);
  struct profile_function function = {.name = *name ? name : "(no name)",
                                      .file = known_file(place->file),
                                      .object = object_of(import, place->object)};
  uint32_t id = stack_profile_function(&import->stacks, &function, BODY_OWN);
  import->stacks.profile->functions[id].kind = FUNCTION_COUNTED;
  free(name);
  return graph_builder_node(&import->builder, id, level);
}

/* ---- costs ---- */

/* The line that the costs at hand stand on, in the function that they are of. */
static uint32_t line_here(struct callgrind_import *import) {
  uint32_t number = callgrind_line(&import->positions);
  const char *file = number ? known_file(import->source) : NULL;
  uint32_t function = import->builder.graph.nodes[import->node].function;
  return graph_builder_line(&import->builder, function, file, number);
}

static void charge_call(struct callgrind_import *import, struct amount amount) {
  struct place called = import->called;
  if (!called.object) called.object = import->here.object;
  if (!called.file) called.file = import->source;
  uint32_t callee = node_of(import, &called);
  if (callee == NOTHING) return; /* nobody calls what is spontaneous */
  uint32_t line = import->node == NOTHING ? NOTHING : line_here(import);
  graph_builder_call(&import->builder, import->node, callee, line, import->calls, amount);
}

static int charge_self(struct callgrind_import *import, struct amount amount) {
  if (import->node == NOTHING ||
      graph_builder_self(&import->builder, import->node, line_here(import), amount))
    return 0;
  return input_error(import->input, import->error, "the sum of all costs is too large");
}

/* A position and the costs there, of which the last may be missing: they are 0. */
static int take_costs(struct callgrind_import *import, const char *line) {
  const char *at = line;
  if (!callgrind_position(&import->positions, &at)) return wrong(import, "no position", line);
  if (!import->event_count) return wrong(import, "costs before \"events:\"", line);
  if (!import->here.function) return wrong(import, "costs before any function", line);
  struct amount amount = {0};
  for (size_t i = 0; *at; i++) {
    uint64_t number;
    if (i == import->event_count || !callgrind_number(&at, &number))
      return wrong(import, "no costs", line);
    if (i == import->event) amount.raw_ns = number;
    if (i == import->ticks) amount.ticks = number;
  }
  if (import->node == NOTHING) import->node = node_of(import, &import->here);
  if (!import->is_call) return charge_self(import, amount);
  charge_call(import, amount);
  import->is_call = false;
  import->called = (struct place){0};
  return 0;
}

/* ---- lines ---- */

/* "calls=3 0x401136 12": how often, and where the callee begins, which its name tells as well. */
static int take_calls(struct callgrind_import *import, const char *value, const char *line) {
  if (!callgrind_number(&value, &import->calls)) return wrong(import, "no number of calls", line);
  if (!import->called.function) return wrong(import, "calls before any function", line);
  import->is_call = true;
  return 0;
}

static int set_name(struct callgrind_import *import, struct callgrind_names *names,
                    const char *value, const char **name) {
  *name = callgrind_name(names, pool(import), value);
  return *name ? 1 : wrong(import, "a name that was not given before", value);
}

/* "fn=(3) main" and the like.  1: it was one; 0: it was none; -1: an error. */
static int take_name(struct callgrind_import *import, const char *line) {
  const char *value, *name;
  int result = 0;
  if ((value = after(line, "fn="))) {
    result = set_name(import, &import->functions, value, &import->here.function);
    import->here.file = import->source;
    import->node = NOTHING;
  } else if ((value = after(line, "fl=")) || (value = after(line, "fi=")) ||
             (value = after(line, "fe="))) {
    result = set_name(import, &import->files, value, &import->source);
  } else if ((value = after(line, "ob="))) {
    result = set_name(import, &import->objects, value, &name);
    if (result > 0) import->here.object = name;
  } else if ((value = after(line, "cfn="))) {
    result = set_name(import, &import->functions, value, &import->called.function);
  } else if ((value = after(line, "cfi=")) || (value = after(line, "cfl="))) {
    result = set_name(import, &import->files, value, &import->called.file);
  } else if ((value = after(line, "cob="))) {
    result = set_name(import, &import->objects, value, &import->called.object);
  } else if ((value = after(line, "jfi="))) { /* jumps are no figures, but they give names */
    result = set_name(import, &import->files, value, &name);
  } else if ((value = after(line, "jfn="))) {
    result = set_name(import, &import->functions, value, &name);
  } else if ((value = after(line, "job="))) {
    result = set_name(import, &import->objects, value, &name);
  }
  return result;
}

static int take_line(struct callgrind_import *import, const char *line) {
  const char *value;
  line += strspn(line, " \t\r");
  if (!*line || *line == '#') return 0;
  if (isdigit((unsigned char)*line) || *line == '+' || *line == '-' || *line == '*')
    return take_costs(import, line);
  if ((value = after(line, "calls="))) return take_calls(import, value, line);
  if (after(line, "jump=") || after(line, "jcnd=")) return 0;
  int taken = take_name(import, line);
  if (taken == 0) taken = take_head(import, line);
  if (taken == 0) return wrong(import, "not a line of callgrind's format", line);
  return taken < 0 ? -1 : 0;
}

static int read_lines(struct callgrind_import *import) {
  char *line;
  size_t length;
  int got;
  while ((got = input_line(import->input, &line, &length, import->error)) > 0)
    if (take_line(import, line) != 0) return -1;
  if (got < 0) return -1;
  if (import->is_call)
    return input_error(import->input, import->error, "the file ends before the costs of a call");
  if (import->builder.graph.node_count) return 0;
  return error_set(import->error, "%s: no costs in it", import->input->name);
}

/* ---- the profile ---- */

static void describe(struct callgrind_import *import, struct profile *profile) {
  struct profile_metric *metric = &profile->metrics[0];
  char text[300], others[200];
  bool instructions = strcmp(metric->name, "Ir") == 0;
  metric->unit = instructions ? "instructions" : metric->name;
  if (strcmp(metric->name, "ns") == 0) metric->unit = NULL;
  if (strlen(metric->name) > 30) metric->unit = "units";
  metric->evidence = import->counted             ? EVIDENCE_COUNTED
                     : import->builder.all.ticks ? EVIDENCE_TICKS
                                                 : EVIDENCE_UNKNOWN;
  list_events(import, import->event, import->ticks, others, sizeof others);
  snprintf(text, sizeof text, "other events: %s", others);
  if (others[0]) profile->origin.note = pool_string(profile->pool, text);
}

static void add_process(struct callgrind_import *import) {
  const char *command = import->command ? import->command : "";
  uint32_t process = stack_profile_process(&import->stacks, import->pid, command);
  stack_profile_thread(&import->stacks, process, import->pid, "");
}

static void free_tables(struct callgrind_import *import) {
  graph_builder_close(&import->builder);
  free(import->command);
  free(import->creator);
  free(import->events);
  callgrind_names_free(&import->objects);
  callgrind_names_free(&import->files);
  callgrind_names_free(&import->functions);
}

static int read_callgrind(struct input *input, const struct import_options *options,
                          struct profile **profile, struct error *error) {
  struct callgrind_import import = {
      .input = input, .options = options, .error = error, .node = NOTHING};
  import.builder.stacks = &import.stacks;
  callgrind_positions_named(&import.positions, "line");
  stack_profile_open(&import.stacks, "callgrind", "");
  int result = read_lines(&import);
  if (result == 0) add_process(&import);
  struct profile *made = stack_profile_finish(&import.stacks);
  if (result == 0) {
    graph_builder_figures(&import.builder, made);
    describe(&import, made);
    *profile = made;
  } else {
    profile_free(made);
  }
  free_tables(&import);
  return result;
}

/* One of the head's lines stands at the beginning. */
static bool matches(const char *start, size_t count) {
  static const char *const heads[] = {"# callgrind format", "version:", "creator:", "events:",
                                      "positions:",         "cmd:",     "desc:",    "pid:"};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
    size_t length = strlen(heads[i]);
    if (count >= length && memcmp(start, heads[i], length) == 0) return true;
  }
  return false;
}

const struct import_format import_callgrind = {.name = "callgrind",
                                               .words = "a file of callgrind",
                                               .matches = matches,
                                               .read = read_callgrind};
