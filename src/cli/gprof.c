/* ascribe gprof: what GNU gprof prints of a gmon.out. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/pool.h"
#include "cli/commands.h"
#include "cli/gprof_names.h"
#include "cli/gprof_options.h"
#include "cli/output_file.h"
#include "exchange/gmon.h"
#include "exchange/gmon_graph.h"
#include "exchange/input.h"
#include "report/gprof.h"
#include "report/gprof_source.h"
#include "symbols/static_calls.h"

enum { STATUS_WRONG_USE = 2, MOST_FILE_BYTES = 1 << 30 };
static const char sum_name[] = "gmon.sum";

struct session {
  struct gprof_options options;
  struct text_symbols text;
  struct symbols *symbols;
  struct symbol_file *file; /* null: only names are needed */
  struct gmon gmon;
  struct gmon_form form;
  struct gmon_places places;
  struct gmon_graph graph;
  struct named_choice flat, listed, timed; /* by place */
  struct error error;
};

/* ---- in ---- */

static int read_gmon(struct session *session, const char *path) {
  struct input input;
  const unsigned char *bytes;
  size_t count;
  if (input_open(&input, path, &session->error) != 0) return -1;
  int result = input_rest(&input, MOST_FILE_BYTES, &bytes, &count, &session->error);
  if (result == 0)
    result = gmon_add(&session->gmon, path, bytes, count, &session->form, &session->error);
  input_close(&input);
  return result;
}

static int read_all(struct session *session) {
  const struct gprof_options *options = &session->options;
  struct text_symbols_options which = {.without_locals = options->without_locals,
                                       .functions_only = options->functions_only};
  if (text_symbols_read(options->executable, &which, &session->text, &session->error) != 0)
    return -1;
  session->form.pointer_bytes = session->text.pointer_bytes;
  for (size_t i = 0; i < options->file_count; i++)
    if (read_gmon(session, options->files[i]) != 0) return -1;
  gmon_sum(&session->gmon);
  return 0;
}

static void note_missing(const struct session *session) {
  const struct gmon *gmon = &session->gmon;
  if (session->options.styles & (GPROF_FLAT | GPROF_GRAPH) && !gmon->histogram_count)
    fputs("ascribe gprof: there is no histogram in the files: no times are known\n", stderr);
  if (session->options.styles & GPROF_GRAPH && !gmon->arc_count)
    fputs("ascribe gprof: there are no calls in the files: were the sources compiled with -pg, "
          "or only linked?\n",
          stderr);
}

/* ---- the graph ---- */

static bool needs_lines(const struct gprof_options *options) {
  return options->lines || options->styles & (GPROF_COUNTS | GPROF_SOURCE) ||
         names_want_lines(&options->flat) || names_want_lines(&options->graph) ||
         names_want_lines(&options->timed);
}

static int open_symbols(struct session *session) {
  if (symbols_create(&session->symbols, &session->error) != 0) return -1;
  session->file = symbols_file(session->symbols, session->options.executable, NULL, 0);
  return 0;
}

static int make_places(struct session *session) {
  const struct gprof_options *options = &session->options;
  if ((needs_lines(options) || options->static_calls) && open_symbols(session) != 0) return -1;
  if (options->lines)
    gmon_places_of_lines(&session->text, session->file, !options->mangled, &session->places);
  else
    gmon_places_of_functions(&session->text, !options->mangled, &session->places);
  if (needs_lines(options)) gmon_places_locate(&session->places, session->file);
  return 0;
}

/* Names that only their files know are told apart by these, as the debug information has them. */
static void locate_local_functions(struct session *session) {
  struct call_graph *graph = &session->graph.graph;
  for (size_t i = 0; i < graph->function_count; i++) {
    struct graph_node *node = &graph->nodes[i];
    struct source_position position;
    if (!node->local || !(node->calls || node->self > 0)) continue;
    if (!session->file && open_symbols(session) != 0) return;
    if (symbol_file_line(session->file, node->address, &position) == 0 && position.file)
      node->file = position.file;
  }
}

/* Of the file's code: only where the machine's code can be read. */
static void add_static_calls(struct session *session, const struct gmon_graph_options *options) {
  struct static_calls calls = {0};
  if (static_calls_find(session->file, &session->text, &calls, &session->error) == 0) {
    struct gmon_static_arc *arcs = memory_zeroed(calls.count, sizeof *arcs);
    for (size_t i = 0; i < calls.count; i++)
      arcs[i] = (struct gmon_static_arc){calls.list[i].from, calls.list[i].to};
    gmon_graph_add_static(&session->graph, &session->places, options, arcs, calls.count);
    free(arcs);
    if (calls.indirect)
      fprintf(stderr,
              "ascribe gprof: the code has %zu calls through pointers in %zu functions: where "
              "they lead is unknown\n",
              calls.indirect, calls.indirect_functions);
  } else {
    fprintf(stderr, "ascribe gprof: -c: %s\n", session->error.text);
  }
  static_calls_free(&calls);
}

/* Some ticks always fall into stubs between functions; not most of them. */
static void say_misplaced(const struct session *session) {
  const struct gmon_graph *graph = &session->graph;
  uint64_t calls = graph->unplaced;
  for (uint32_t i = 0; i < graph->graph.node_count; i++)
    calls += graph->graph.nodes[i].calls;
  if (graph->outside <= graph->ticks / 2 && graph->unplaced <= calls / 2) return;
  fprintf(stderr,
          "ascribe gprof: %.0f of %.0f ticks and %llu of %llu calls are in no function of %s: is it"
          " the program that ran?\n",
          graph->outside, graph->ticks, (unsigned long long)graph->unplaced,
          (unsigned long long)calls, session->options.executable);
}

static int make_graph(struct session *session) {
  const struct gprof_options *options = &session->options;
  if (make_places(session) != 0) return -1;
  names_choose(&options->flat, &session->places, &session->flat);
  names_choose(&options->graph, &session->places, &session->listed);
  names_choose(&options->timed, &session->places, &session->timed);
  struct gmon_arc_name *left_out = names_of_arcs(&options->arcs_left_out, &session->places);
  struct gmon_graph_options how = {.timed = &session->flat.choice,
                                   .left_out = left_out,
                                   .left_out_count = options->arcs_left_out.count};
  gmon_graph_make(&session->gmon, &session->places, &how, &session->graph);
  say_misplaced(session);
  if (options->static_calls) add_static_calls(session, &how);
  names_free_arcs(left_out, options->arcs_left_out.count);
  struct graph_filter filter = {.listed = session->listed.choice, .timed = session->timed.choice};
  call_graph_propagate(&session->graph.graph, &filter);
  if (options->styles & GPROF_GRAPH) locate_local_functions(session);
  return 0;
}

/* ---- out ---- */

static int write_sum(struct session *session) {
  struct output_file file;
  if (output_file_open(&file, sum_name, &session->error) != 0) return -1;
  gmon_write(&session->gmon, &session->form, file.stream);
  return output_file_close(&file, 0, &session->error);
}

static void print_info(const struct session *session) {
  const struct gmon *gmon = &session->gmon;
  for (size_t i = 0; i < session->options.file_count; i++)
    printf("File `%s' (version 1)%s", session->options.files[i],
           i + 1 < session->options.file_count ? ", " : " contains:\n");
  printf("\t%zu histogram record%s\n\t%zu call-graph record%s\n\t%zu basic-block count record%s\n",
         gmon->histogram_records, gmon->histogram_records == 1 ? "" : "s", gmon->arc_records,
         gmon->arc_records == 1 ? "" : "s", gmon->block_records,
         gmon->block_records == 1 ? "" : "s");
}

/* What a file calls its unit is shown, and may hold anything. */
static char shown(char character) {
  return character >= ' ' && character <= '~' ? character : '?';
}

static void print_profiles(const struct session *session) {
  const struct gprof_options *options = &session->options;
  char dimension[sizeof session->gmon.dimension];
  for (size_t i = 0; i < sizeof dimension; i++)
    dimension[i] = session->gmon.dimension[i] ? shown(session->gmon.dimension[i]) : '\0';
  struct gprof_listing listing = {.graph = &session->graph.graph,
                                  .ticks = session->graph.ticks,
                                  .rate = session->gmon.rate,
                                  .dimension = dimension,
                                  .abbreviation = shown(session->gmon.abbreviation),
                                  .bin_bytes = session->graph.bytes,
                                  .lines = options->lines,
                                  .paths = options->paths,
                                  .unused = options->unused,
                                  .brief = options->brief,
                                  .width = options->width,
                                  .flat = &session->flat.choice};
  if (options->styles & GPROF_GRAPH) gprof_listing_sort(&listing);
  if (options->styles & GPROF_FLAT) gprof_print_flat(&listing, stdout);
  if (options->styles & GPROF_FLAT && options->styles & GPROF_GRAPH) fputs("\f\n", stdout);
  if (options->styles & GPROF_GRAPH) {
    gprof_print_graph(&listing, stdout);
    fputs("\f\n", stdout);
    gprof_print_index(&listing, stdout);
  }
  gprof_listing_release(&listing);
}

static void say_unreadable(const char *path, const char *why) {
  fprintf(stderr, "ascribe gprof: %s: %s; -I names directories to look in\n", path, why);
}

/* Functions and counted blocks whose place in the source is known. The array is the caller's. */
static struct gprof_line *counted_lines(const struct session *session,
                                        const struct gprof_choice *names, size_t *count) {
  const struct gmon_places *places = &session->places;
  struct named_choice chosen;
  struct gprof_line *lines =
      memory_zeroed(places->count + session->gmon.block_count, sizeof *lines);
  names_choose(names, places, &chosen);
  *count = 0;
  for (size_t i = 0; i < places->count; i++) {
    const struct gmon_place *place = &places->list[i];
    const struct graph_node *node = &session->graph.graph.nodes[i];
    if (!place->line || !place->entry || !graph_chosen(&chosen.choice, i)) continue;
    lines[(*count)++] = (struct gprof_line){
        place->file, place->line, place->function, place->address, node->calls + node->recursive,
        false};
  }
  for (size_t i = 0; i < session->gmon.block_count; i++) {
    const struct gmon_block *block = &session->gmon.blocks[i];
    struct source_position position;
    size_t at = gmon_place_at(places, block->address);
    if (at == SIZE_MAX || !graph_chosen(&chosen.choice, at) ||
        symbol_file_line(session->file, block->address, &position) != 0 || !position.line)
      continue;
    lines[(*count)++] =
        (struct gprof_line){position.file,  position.line, places->list[at].function,
                            block->address, block->count,  true};
  }
  named_choice_free(&chosen);
  gprof_lines_sort(lines, *count);
  return lines;
}

static void print_lines(const struct session *session, bool source) {
  const struct gprof_options *options = &session->options;
  struct gprof_source_options how = {.directories = options->directories.list,
                                     .directory_count = options->directories.count,
                                     .block_minimum = options->block_minimum,
                                     .table = options->table,
                                     .every_line = options->every_line,
                                     .separate = options->separate};
  size_t count;
  struct gprof_line *lines =
      counted_lines(session, source ? &options->source : &options->counts, &count);
  if (!count)
    fprintf(stderr, "ascribe gprof: no line of a function is known: was %s compiled with -g?\n",
            options->executable);
  else if (source)
    gprof_print_source(lines, count, &how, say_unreadable, stdout);
  else
    gprof_print_counts(lines, count, &how, stdout);
  free(lines);
}

static int print_all(struct session *session) {
  unsigned styles = session->options.styles;
  if (styles & GPROF_INFO) print_info(session);
  if (styles & GPROF_SUM && write_sum(session) != 0) return -1;
  if (!(styles & (GPROF_FLAT | GPROF_GRAPH | GPROF_COUNTS | GPROF_SOURCE))) return 0;
  note_missing(session);
  if (make_graph(session) != 0) return -1;
  if (styles & (GPROF_FLAT | GPROF_GRAPH)) print_profiles(session);
  if (styles & GPROF_COUNTS) print_lines(session, false);
  if (styles & GPROF_SOURCE) print_lines(session, true);
  return 0;
}

static int finish_output(struct session *session) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
  return error_set(&session->error, "standard output: %s", strerror(errno));
}

static void release(struct session *session) {
  call_graph_free(&session->graph.graph);
  named_choice_free(&session->flat);
  named_choice_free(&session->listed);
  named_choice_free(&session->timed);
  gmon_places_free(&session->places);
  gmon_free(&session->gmon);
  text_symbols_free(&session->text);
  symbols_free(session->symbols);
  gprof_options_release(&session->options);
}

int command_gprof(int count, char **arguments) {
  static char name[] = "ascribe gprof"; /* for getopt's messages */
  struct session session = {0};
  arguments[0] = name;
  int parsed = gprof_options_parse(count, arguments, &session.options);
  if (parsed != 0) {
    gprof_options_release(&session.options);
    return parsed > 0 ? 0 : STATUS_WRONG_USE;
  }
  int result = read_all(&session);
  if (result == 0) result = print_all(&session);
  if (result == 0) result = finish_output(&session);
  if (result != 0) fprintf(stderr, "ascribe gprof: %s\n", session.error.text);
  release(&session);
  return result == 0 ? 0 : 1;
}
