/* ascribe gprof: what GNU gprof prints of a gmon.out. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/gprof_names.h"
#include "cli/gprof_options.h"
#include "cli/output_file.h"
#include "exchange/gmon.h"
#include "exchange/gmon_graph.h"
#include "exchange/gmon_lines.h"
#include "exchange/input.h"
#include "instrument/wrapper/response_file.h"
#include "report/gprof.h"
#include "report/gprof_source.h"
#include "symbols/static_calls.h"

enum { MOST_FILE_BYTES = 1 << 30 };
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
  bool printed;                            /* some listing */
  bool incomplete;                         /* a source could not be read, which was said */
  struct error error;
};

/* ---- in ---- */

static void print_info(const char *path, const struct gmon *gmon, const struct gmon *before) {
  size_t histograms = gmon->histogram_records - before->histogram_records;
  size_t arcs = gmon->arc_records - before->arc_records;
  size_t blocks = gmon->block_records - before->block_records;
  printf("File `%s' (version 1) contains:\n", path);
  printf("\t%zu histogram record%s\n\t%zu call-graph record%s\n\t%zu basic-block count record%s\n",
         histograms, histograms == 1 ? "" : "s", arcs, arcs == 1 ? "" : "s", blocks,
         blocks == 1 ? "" : "s");
}

static int read_gmon(struct session *session, const char *path) {
  struct input input;
  const unsigned char *bytes;
  size_t count;
  struct gmon before = session->gmon;
  if (input_open(&input, path, &session->error) != 0) return -1;
  int result = input_rest(&input, MOST_FILE_BYTES, &bytes, &count, &session->error);
  if (result == 0)
    result = gmon_add(&session->gmon, path, bytes, count, &session->form, &session->error);
  input_close(&input);
  if (result == 0 && session->options.styles & GPROF_INFO)
    print_info(path, &session->gmon, &before);
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
    fputs("ascribe gprof: the files have no histogram, so times are unknown\n", stderr);
  if (session->options.styles & GPROF_GRAPH && !gmon->arc_count)
    fputs("ascribe gprof: the files have no calls: were the sources compiled with -pg, or only "
          "linked?\n",
          stderr);
}

/* ---- the graph ---- */

static bool needs_lines(const struct gprof_options *options) {
  return options->lines || options->definitions ||
         options->styles & (GPROF_COUNTS | GPROF_SOURCE) || names_want_lines(&options->flat) ||
         names_want_lines(&options->graph) || names_want_lines(&options->timed) ||
         names_have_file(&options->arcs_left_out);
}

static void open_symbols(struct session *session) {
  session->symbols = symbols_create();
  session->file = symbols_file(session->symbols, session->options.executable, NULL, 0);
}

static void make_places(struct session *session) {
  const struct gprof_options *options = &session->options;
  if (needs_lines(options) || options->static_calls) open_symbols(session);
  if (options->lines)
    gmon_places_of_lines(&session->text, session->file, !options->mangled, &session->places);
  else
    gmon_places_of_functions(&session->text, !options->mangled, &session->places);
  if (needs_lines(options)) gmon_places_locate(&session->places, session->file);
}

/* Names that only their files know are told apart by these, as the debug information has them. */
static void locate_local_functions(struct session *session) {
  struct call_graph *graph = &session->graph.graph;
  for (size_t i = 0; i < graph->function_count; i++) {
    struct graph_node *node = &graph->nodes[i];
    struct source_position position;
    if (!node->local || !(node->calls || node->self > 0)) continue;
    if (!session->file) open_symbols(session);
    if (symbol_file_line(session->file, node->address, &position) == 0 && position.file)
      node->file = position.file;
  }
}

/* Reads the file's code: only where the machine's code can be read. */
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
              "ascribe gprof: the code has %zu call%s through pointers in %zu function%s: where "
              "they lead is unknown\n",
              calls.indirect, calls.indirect == 1 ? "" : "s", calls.indirect_functions,
              calls.indirect_functions == 1 ? "" : "s");
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
  if (graph->outside <= graph->sampled / 2 && graph->unplaced <= calls / 2) return;
  fprintf(stderr,
          "ascribe gprof: %.0f of %.0f ticks and %llu of %llu calls are outside the functions of "
          "%s: is it the program that ran?\n",
          graph->outside, graph->sampled, (unsigned long long)graph->unplaced,
          (unsigned long long)calls, session->options.executable);
}

static void make_graph(struct session *session) {
  const struct gprof_options *options = &session->options;
  make_places(session);
  names_choose(&options->flat, &session->places, &session->flat);
  names_choose(&options->graph, &session->places, &session->listed);
  names_choose(&options->timed, &session->places, &session->timed);
  names_exclude_counters(&session->places, &session->flat);
  names_exclude_counters(&session->places, &session->listed);
  names_exclude_counters(&session->places, &session->timed);
  names_include_all_for_none(&session->places, &session->timed);
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
}

/* ---- out ---- */

static int write_sum(struct session *session) {
  struct output_file file;
  if (output_file_open_fixed(&file, sum_name, &session->error) != 0) return -1;
  gmon_write(&session->gmon, &session->form, file.stream);
  return output_file_close(&file, 0, &session->error);
}

/* Between two listings. */
static void begin_listing(struct session *session) {
  if (session->printed) fputs("\f\n", stdout);
  session->printed = true;
}

/* What a file calls its unit is shown, and may hold anything. */
static char shown(char character) {
  return character >= ' ' && character <= '~' ? character : '?';
}

static void print_profiles(struct session *session) {
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
                                  .definitions = options->definitions,
                                  .unused = options->unused,
                                  .brief = options->brief,
                                  .width = options->width,
                                  .flat = &session->flat.choice};
  if (options->styles & GPROF_GRAPH) gprof_listing_sort(&listing);
  if (options->styles & GPROF_FLAT) {
    begin_listing(session);
    gprof_print_flat(&listing, stdout);
  }
  if (options->styles & GPROF_GRAPH) {
    begin_listing(session);
    gprof_print_graph(&listing, stdout);
    begin_listing(session);
    gprof_print_index(&listing, stdout);
  }
  gprof_listing_release(&listing);
}

static void say_unreadable(const char *path, const char *why) {
  fprintf(stderr, "ascribe gprof: %s: %s; -I names directories to look in\n", path, why);
}

static void print_lines(struct session *session, bool source) {
  const struct gprof_options *options = &session->options;
  struct gprof_source_options how = {.directories = options->directories.list,
                                     .directory_count = options->directories.count,
                                     .table = options->table,
                                     .separate = options->separate};
  struct named_choice chosen;
  names_choose(source ? &options->source : &options->counts, &session->places, &chosen);
  struct gmon_lines from = {.gmon = &session->gmon,
                            .places = &session->places,
                            .graph = &session->graph.graph,
                            .symbols = &session->text,
                            .file = session->file,
                            .chosen = &chosen.choice,
                            .block_minimum = options->block_minimum,
                            .repeated = source && options->every_line};
  size_t count;
  struct gprof_line *lines = gmon_lines_make(&from, &count);
  if (count && !(source && options->separate)) begin_listing(session);
  if (!count)
    fprintf(stderr, "ascribe gprof: no lines are known: was %s compiled with -g?\n",
            options->executable);
  else if (source)
    session->incomplete |= gprof_print_source(lines, count, &how, say_unreadable, stdout) != 0;
  else
    gprof_print_counts(lines, count, stdout);
  free(lines);
  named_choice_free(&chosen);
}

static int print_all(struct session *session) {
  unsigned styles = session->options.styles;
  session->printed = styles & GPROF_INFO;
  if (styles & GPROF_SUM && write_sum(session) != 0) return -1;
  if (!(styles & (GPROF_FLAT | GPROF_GRAPH | GPROF_COUNTS | GPROF_SOURCE))) return 0;
  note_missing(session);
  make_graph(session);
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

static int run(struct words *words) {
  struct session session = {0};
  int parsed = gprof_options_parse((int)words->count, words->items, &session.options);
  if (parsed != 0) {
    gprof_options_release(&session.options);
    return parsed > 0 ? 0 : STATUS_WRONG_USE;
  }
  int result = read_all(&session);
  if (result == 0) result = print_all(&session);
  if (result == 0) result = finish_output(&session);
  if (result != 0) fprintf(stderr, "ascribe gprof: %s\n", session.error.text);
  if (session.incomplete) result = -1;
  release(&session);
  return result == 0 ? 0 : 1;
}

/* Words that would have been files of words. GNU gprof refuses them likewise. */
static int check_words(const struct words *words) {
  for (size_t i = 1; i < words->count; i++) {
    struct stat status;
    const char *word = words->items[i];
    if (word[0] != '@' || stat(word + 1, &status) != 0) continue;
    if (S_ISDIR(status.st_mode))
      fprintf(stderr, "ascribe gprof: %s: a directory, not a file of options\n", word);
    else if (S_ISREG(status.st_mode) && access(word + 1, R_OK) == 0)
      fprintf(stderr,
              "ascribe gprof: %s: too many nested files of options: does it contain itself?\n",
              word);
    else
      continue;
    return -1;
  }
  return 0;
}

int command_gprof(int count, char **arguments) {
  struct words words = {0};
  words_add(&words, "ascribe gprof"); /* for getopt's messages */
  for (int i = 1; i < count; i++)
    response_file_expand(&words, arguments[i]);
  int status = check_words(&words) == 0 ? run(&words) : STATUS_WRONG_USE;
  words_free(&words);
  return status;
}
