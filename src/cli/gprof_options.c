#include "cli/gprof_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/options.h"

static const char usage[] =
    "usage: ascribe gprof [options] [EXECUTABLE [GMON.OUT...]]\n"
    "\n"
    "What GNU gprof prints of an EXECUTABLE (default: a.out) compiled with -pg and the files that\n"
    "its runs have left (default: gmon.out), summed.  Without options: -p -q.\n"
    "NAME is a function, FILE:FUNCTION, FILE:LINE or FILE; [NAME]: this alone.\n"
    "\n"
    "What to print:\n"
    "  -p, --flat-profile[=NAME]      functions by their own time\n"
    "  -P, --no-flat-profile[=NAME]   not, or not NAME\n"
    "  -q, --graph[=NAME]             functions with their callers and callees\n"
    "  -Q, --no-graph[=NAME]          not, or not NAME\n"
    "  -C, --exec-counts[=NAME]       how often functions (and counted blocks) were executed\n"
    "  -Z, --no-exec-counts[=NAME]    not, or not NAME\n"
    "  -A, --annotated-source[=NAME]  the same in the source text\n"
    "  -J, --no-annotated-source[=NAME]\n"
    "                                 not, or not NAME\n"
    "  -s, --sum                      write the sum of all files to gmon.sum\n"
    "  -i, --file-info                what is in the files\n"
    "\n"
    "The analysis:\n"
    "  -c, --static-call-graph        with calls that are in the code and were not made\n"
    "  -l, --line                     lines in place of functions\n"
    "  -k, --no-arc=FROM/TO           without calls from FROM to TO (either may be empty)\n"
    "  -n, --time=NAME                only NAME's time goes to callers\n"
    "  -N, --no-time=NAME             NAME's time does not\n"
    "  -e NAME, -E NAME               no entry of NAME; and no time of it either\n"
    "  -f NAME, -F NAME               entries of NAME and below only; and times only of them\n"
    "  -a, --no-static                functions that only their file knows belong to the one "
    "before\n"
    "  -D, --ignore-non-functions     so do symbols that are no functions\n"
    "  -m, --min-count=N              counts of blocks from N on\n"
    "\n"
    "How to print:\n"
    "  -b, --brief                    no explanations\n"
    "  -z, --display-unused-functions functions that were not called and took no time, too\n"
    "  -L, --print-path               files with their directories\n"
    "  -w, --width=N                  columns of the index (default: 80)\n"
    "  -x, --all-lines                counts at all lines of a function or block\n"
    "  -y, --separate-files           annotated sources as files NAME-ann\n"
    "  -t, --table-length=N           lines in the table of the busiest ones (default: 10)\n"
    "  -I, --directory-path=DIRS      where sources are, separated by ':' (also GPROF_PATH)\n"
    "  --inline-file-names            functions with file and line of their definition\n"
    "  --demangle, --no-demangle      names as in the source (default), or as in the object\n"
    "  -O, --file-format=auto         the form of the files: that of glibc (magic) is read\n"
    "  @FILE                          the words of FILE in its place\n"
    "  -h, --help; -v, --version\n";

enum { OPTION_DEMANGLE = 256, OPTION_NO_DEMANGLE, OPTION_INLINE_NAMES, STANDARD_WIDTH = 80 };

/* Options of GNU gprof that are not done here, and why. */
static const struct refused {
  int option;
  const char *name, *reason;
} refused[] = {
    {'d', "-d, --debug", "it is for debugging GNU gprof itself"},
    {'r', "-r, --function-ordering",
     "function orderings for the linker are not written; compilers have -freorder-functions with "
     "-fprofile-use"},
    {'R', "-R, --file-ordering", "function orderings for the linker are not written"},
    {'S', "-S, --external-symbol-table", "names come from the executable; name an unstripped one"},
    {'T', "-T, --traditional", "the layout of BSD is not available; leave the option out"},
    {'B', "-B", "GNU gprof 2.40 has no such report either"},
};

static void add_name(struct gprof_names *names, const char *name) {
  ARRAY_GROW(names->list, names->count);
  names->list[names->count++] = name;
}

/* A listing that is asked for, or not wanted, as a whole or for a name. */
struct listing_option {
  char option;
  unsigned style;
  bool wanted;
};
static const struct listing_option listing_options[] = {
    {'p', GPROF_FLAT, true},   {'P', GPROF_FLAT, false},   {'q', GPROF_GRAPH, true},
    {'Q', GPROF_GRAPH, false}, {'C', GPROF_COUNTS, true},  {'Z', GPROF_COUNTS, false},
    {'A', GPROF_SOURCE, true}, {'J', GPROF_SOURCE, false},
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

static int take_number(const char *option, uint64_t *number, uint64_t most) {
  char *end;
  errno = 0;
  unsigned long long value = strtoull(optarg, &end, 10);
  if (*optarg >= '0' && *optarg <= '9' && !*end && !errno && value <= most) {
    *number = value;
    return 0;
  }
  fprintf(stderr, "ascribe gprof: %s %s: expected a number from 0 to %llu\n", option, optarg,
          (unsigned long long)most);
  return -1;
}

static int take_size(const char *option, unsigned *size) {
  uint64_t number;
  if (take_number(option, &number, 100000) != 0) return -1;
  *size = (unsigned)number;
  return 0;
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

static int refuse(int option) {
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    if (refused[i].option == option) {
      fprintf(stderr, "ascribe gprof: %s is not supported: %s\n", refused[i].name,
              refused[i].reason);
      return -1;
    }
  return -1; /* it has been said what is wrong */
}

static bool take_switch(struct gprof_options *options, int option) {
  switch (option) {
  case 'b':
    return options->brief = true;
  case 'c':
    return options->static_calls = true;
  case 'l':
    return options->lines = true;
  case 'z':
    return options->unused = true;
  case 'L':
    return options->paths = true;
  case 'a':
    return options->without_locals = true;
  case 'D':
    return options->functions_only = true;
  case 'x':
    return options->every_line = true;
  case 'y':
    return options->separate = true;
  case OPTION_NO_DEMANGLE:
    return options->mangled = true;
  case OPTION_DEMANGLE: /* in whatever style: the compilers of today have one */
    options->mangled = false;
    return true;
  case OPTION_INLINE_NAMES:
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
  case 'n':
    add_name(&options->timed.included, optarg);
    return true;
  case 'N':
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

static int take_option(struct parsing *parsing, int option) {
  struct gprof_options *options = parsing->options;
  if (take_listing(parsing, option) || take_switch(options, option) || take_names(options, option))
    return 0;
  switch (option) {
  case 's':
    options->styles |= GPROF_SUM;
    return 0;
  case 'i':
    options->styles |= GPROF_INFO;
    return 0;
  case 'k':
    return take_arc(options);
  case 'm':
    return take_number("-m", &options->block_minimum, UINT64_MAX);
  case 'w':
    return take_size("-w", &options->width);
  case 't':
    return take_size("-t", &options->table);
  case 'I':
    take_directories(options, optarg);
    return 0;
  case 'O':
    return take_format();
  case 'h':
    fputs(usage, stdout);
    return 1;
  case 'v':
    puts("ascribe gprof, of ascribe " ASCRIBE_VERSION);
    return 1;
  default:
    return refuse(option);
  }
}

static const struct option known[] = {{"flat-profile", optional_argument, NULL, 'p'},
                                      {"no-flat-profile", optional_argument, NULL, 'P'},
                                      {"graph", optional_argument, NULL, 'q'},
                                      {"no-graph", optional_argument, NULL, 'Q'},
                                      {"exec-counts", optional_argument, NULL, 'C'},
                                      {"no-exec-counts", optional_argument, NULL, 'Z'},
                                      {"annotated-source", optional_argument, NULL, 'A'},
                                      {"no-annotated-source", optional_argument, NULL, 'J'},
                                      {"sum", no_argument, NULL, 's'},
                                      {"file-info", no_argument, NULL, 'i'},
                                      {"static-call-graph", no_argument, NULL, 'c'},
                                      {"line", no_argument, NULL, 'l'},
                                      {"no-arc", required_argument, NULL, 'k'},
                                      {"time", required_argument, NULL, 'n'},
                                      {"no-time", required_argument, NULL, 'N'},
                                      {"no-static", no_argument, NULL, 'a'},
                                      {"ignore-non-functions", no_argument, NULL, 'D'},
                                      {"min-count", required_argument, NULL, 'm'},
                                      {"brief", no_argument, NULL, 'b'},
                                      {"display-unused-functions", no_argument, NULL, 'z'},
                                      {"print-path", no_argument, NULL, 'L'},
                                      {"width", required_argument, NULL, 'w'},
                                      {"all-lines", no_argument, NULL, 'x'},
                                      {"separate-files", no_argument, NULL, 'y'},
                                      {"table-length", required_argument, NULL, 't'},
                                      {"directory-path", required_argument, NULL, 'I'},
                                      {"demangle", optional_argument, NULL, OPTION_DEMANGLE},
                                      {"no-demangle", no_argument, NULL, OPTION_NO_DEMANGLE},
                                      {"inline-file-names", no_argument, NULL, OPTION_INLINE_NAMES},
                                      {"debug", optional_argument, NULL, 'd'},
                                      {"file-format", required_argument, NULL, 'O'},
                                      {"function-ordering", no_argument, NULL, 'r'},
                                      {"file-ordering", required_argument, NULL, 'R'},
                                      {"external-symbol-table", required_argument, NULL, 'S'},
                                      {"traditional", no_argument, NULL, 'T'},
                                      {"help", no_argument, NULL, 'h'},
                                      {"version", no_argument, NULL, 'v'},
                                      {0}};

static const char letters[] = "abcd::hilrsTvxyzDLA::B::C::J::P::p::Q::q::Z::"
                              "e:E:f:F:n:N:k:m:O:R:S:t:w:I:";

int gprof_options_parse(int count, char **arguments, struct gprof_options *options) {
  static char executable[] = "a.out", file[] = "gmon.out", *files[] = {file};
  *options = (struct gprof_options){.width = STANDARD_WIDTH, .table = 10};
  struct parsing parsing = {.options = options};
  int option, result = 0;
  while (result == 0 && (option = next_option(count, arguments, letters, known)) != -1)
    result = take_option(&parsing, option);
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
