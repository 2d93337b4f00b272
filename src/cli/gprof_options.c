#include "cli/gprof_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/option_tables.h"

enum { STANDARD_WIDTH = 80 };

static void add_name(struct gprof_names *names, const char *name) {
  ARRAY_GROW(names->list, names->count);
  names->list[names->count++] = name;
}

/* A listing that is asked for, or not wanted, as a whole or for a name. */
struct listing_option {
  int option;
  unsigned style;
  bool wanted;
};
static const struct listing_option listing_options[] = {
    {OPTION_FLAT_PROFILE, GPROF_FLAT, true},
    {OPTION_NO_FLAT_PROFILE, GPROF_FLAT, false},
    {OPTION_GRAPH, GPROF_GRAPH, true},
    {OPTION_NO_GRAPH, GPROF_GRAPH, false},
    {OPTION_EXEC_COUNTS, GPROF_COUNTS, true},
    {OPTION_NO_EXEC_COUNTS, GPROF_COUNTS, false},
    {OPTION_ANNOTATED_SOURCE, GPROF_SOURCE, true},
    {OPTION_NO_ANNOTATED_SOURCE, GPROF_SOURCE, false},
};

struct parsing {
  struct gprof_options *options;
  unsigned named; /* styles that some option was about */
};

static struct gprof_choice *choice_of(struct gprof_options *options, unsigned style) {
  return style == GPROF_FLAT     ? &options->flat
         : style == GPROF_GRAPH  ? &options->graph
         : style == GPROF_COUNTS ? &options->counts
                                 : &options->source;
}

/* -Pname prints the flat profile without name; -P prints none, until -p. */
static bool take_listing(struct parsing *parsing, int option) {
  for (size_t i = 0; i < sizeof listing_options / sizeof *listing_options; i++) {
    const struct listing_option *known = &listing_options[i];
    if (known->option != option) continue;
    struct gprof_choice *choice = choice_of(parsing->options, known->style);
    if (optarg) add_name(known->wanted ? &choice->included : &choice->excluded, optarg);
    parsing->named |= known->style;
    if (known->wanted || optarg)
      parsing->options->styles |= known->style;
    else
      parsing->options->styles &= ~known->style;
    return true;
  }
  return false;
}

static int take_arc(struct gprof_options *options) {
  if (strchr(optarg, '/')) {
    add_name(&options->arcs_left_out, optarg);
    return 0;
  }
  fprintf(stderr, "ascribe gprof: -k %s: expected FROM/TO\n", optarg);
  return -1;
}

static int take_format(void) {
  if (strcmp(optarg, "auto") == 0 || strcmp(optarg, "magic") == 0) return 0;
  fprintf(stderr,
          "ascribe gprof: -O %s is not supported: only the form of glibc (-O magic) is read\n",
          optarg);
  return -1;
}

static bool take_switch(struct gprof_options *options, int option) {
  switch (option) {
  case OPTION_BRIEF:
    return options->brief = true;
  case OPTION_STATIC_CALL_GRAPH:
    return options->static_calls = true;
  case OPTION_LINE:
    return options->lines = true;
  case OPTION_DISPLAY_UNUSED_FUNCTIONS:
    return options->unused = true;
  case OPTION_PRINT_PATH:
    return options->paths = true;
  case OPTION_NO_STATIC:
    return options->without_locals = true;
  case OPTION_IGNORE_NON_FUNCTIONS:
    return options->functions_only = true;
  case OPTION_ALL_LINES:
    return options->every_line = true;
  case OPTION_SEPARATE_FILES:
    return options->separate = true;
  case OPTION_NO_DEMANGLE:
    return options->mangled = true;
  case OPTION_DEMANGLE: /* in whatever style: the compilers of today have one */
    options->mangled = false;
    return true;
  case OPTION_INLINE_FILE_NAMES:
    return options->definitions = true;
  default:
    return false;
  }
}

/* Names whose entries or times are wanted or not. */
static bool take_names(struct gprof_options *options, int option) {
  switch (option) {
  case 'e':
    add_name(&options->graph.excluded, optarg);
    return true;
  case 'E':
    add_name(&options->graph.excluded, optarg);
    add_name(&options->timed.excluded, optarg);
    return true;
  case 'f':
    add_name(&options->graph.included, optarg);
    return true;
  case 'F':
    add_name(&options->graph.included, optarg);
    add_name(&options->timed.included, optarg);
    return true;
  case OPTION_TIME:
    add_name(&options->timed.included, optarg);
    return true;
  case OPTION_NO_TIME:
    add_name(&options->timed.excluded, optarg);
    return true;
  default:
    return false;
  }
}

/* `rest` belongs to argv or the environment, which stay. */
static void take_directories(struct gprof_options *options, char *rest) {
  for (char *directory; (directory = strsep(&rest, ":"));)
    if (*directory) add_name(&options->directories, directory);
}

static int take_option(void *at, int option) {
  struct parsing *parsing = at;
  struct gprof_options *options = parsing->options;
  if (take_listing(parsing, option) || take_switch(options, option) || take_names(options, option))
    return 0;
  switch (option) {
  case OPTION_SUM:
    options->styles |= GPROF_SUM;
    return 0;
  case OPTION_FILE_INFO:
    options->styles |= GPROF_INFO;
    return 0;
  case OPTION_NO_ARC:
    return take_arc(options);
  case OPTION_MIN_COUNT:
    options->block_minimum = option_number();
    return 0;
  case OPTION_WIDTH:
    options->width = (unsigned)option_number();
    return 0;
  case OPTION_TABLE_LENGTH:
    options->table = (unsigned)option_number();
    return 0;
  case OPTION_DIRECTORY_PATH:
    take_directories(options, optarg);
    return 0;
  case OPTION_FILE_FORMAT:
    return take_format();
  case OPTION_VERSION:
    puts("ascribe gprof, of ascribe " ASCRIBE_VERSION);
    return 1;
  default:
    return OPTION_UNTAKEN;
  }
}

int gprof_options_parse(int count, char **arguments, struct gprof_options *options) {
  static char executable[] = "a.out", file[] = "gmon.out", *files[] = {file};
  *options = (struct gprof_options){.width = STANDARD_WIDTH, .table = 10};
  struct parsing parsing = {.options = options};
  int result = options_take(&options_gprof, take_option, NULL, count, arguments, &parsing);
  if (result != 0) return result;
  if (!options->styles) options->styles = (GPROF_FLAT | GPROF_GRAPH) & ~parsing.named;
  if (getenv("GPROF_PATH")) take_directories(options, getenv("GPROF_PATH"));
  options->executable = optind < count ? arguments[optind] : executable;
  options->files = optind + 1 < count ? arguments + optind + 1 : files;
  options->file_count = optind + 1 < count ? (size_t)(count - optind - 1) : 1;
  if (options->styles) return 0;
  fputs("ascribe gprof: these options leave nothing to print: see ascribe gprof --help\n", stderr);
  return -1;
}

static void release_choice(struct gprof_choice *choice) {
  free(choice->included.list);
  free(choice->excluded.list);
}

void gprof_options_release(struct gprof_options *options) {
  release_choice(&options->flat);
  release_choice(&options->graph);
  release_choice(&options->timed);
  release_choice(&options->counts);
  release_choice(&options->source);
  free(options->arcs_left_out.list);
  free(options->directories.list);
}
