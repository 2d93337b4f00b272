/* ascribe report: show a profile, or a recording that is not one yet. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/recorded/static_arcs.h"
#include "cli/choice.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/pager.h"
#include "cli/profile_file.h"
#include "report/report.h"
#include "report/subject.h"
#include "report/terminal.h"
#include "store/store.h"

static const char usage[] =
    "usage: ascribe report [options] [FILE]\n"
    "\n"
    "Show FILE: a profile, or a recording as ASCRIBE_OUT makes it. Without FILE: the newest\n"
    "*.ascribe here. Without options: the flat profile and the call graph.\n"
    "\n"
    "      --flat            the flat profile\n"
    "      --graph           the call graph: callers, function, callees\n"
    "      --contexts        the tree of contexts: what was active, and below what\n"
    "      --cycles          mutual recursion that occurred\n"
    "      --misled          where gprof's average-time assumption misleads\n"
    "      --runs            of merged profiles: the runs, and how functions vary\n"
    "      --lines           lines by self time\n"
    "      --processes       processes: their programs, parents, lifetimes and CPU time\n"
    "      --threads         threads: their time, first function, and what made them\n"
    "      --source NAME     source text of a function or file, with what each line cost\n"
    "      --copies          of --source: where copies of lines went: inlined, cloned, unrolled\n"
    "      --asm FUNCTION    its machine code, with what each instruction cost\n"
    "      --calls FUNCTION  its call sites: where it is called from, and what it calls\n"
    "      --all             of --source and --asm: all lines, not only those that matter\n"
    "  -M, --metric METRIC   figures of waiting, page-faults..., if they were recorded; of "
    "several,\n"
    "                        separated by commas, the flat profile shows them side by side\n"
    "  -f, --focus FUNCTION  only contexts in which FUNCTION is active; may be repeated\n"
    "  -t, --thread THREAD   only this thread: its number, or its id or name in the system\n"
    "  -p, --process PROCESS only these processes: the id of one, or the name of their program\n"
    "  -m, --mine            functions and lines of your own code only, not those of libraries\n"
    "      --static          with calls that are in the code and were not made\n"
    "  -s, --sort KEY        self, total, calls or name\n"
    "  -n, --limit N         entries of each part, or all (default: what covers most of the time)\n"
    "      --json            all parts, or those named, as one JSON object\n"
    "  -h, --help            show this\n";

struct request {
  struct report_options report;
  struct choice choice;
  const char *file;
  const char *source;   /* of --source, or null */
  const char *assembly; /* of --asm, or null */
  const char *calls;    /* of --calls, or null */
  bool json;
  bool static_arcs;
};

/* ---- options ---- */

static int parse_sort(const char *text, enum report_sort *sort) {
  static const char *const names[] = {
      [SORT_SELF] = "self", [SORT_TOTAL] = "total", [SORT_CALLS] = "calls", [SORT_NAME] = "name"};
  for (size_t i = SORT_SELF; i <= SORT_NAME; i++)
    if (strcmp(text, names[i]) == 0) {
      *sort = i;
      return 0;
    }
  return wrong_use("--sort %s: expected self, total, calls or name", text);
}

static int parse_limit(const char *text, size_t *limit) {
  char *end;
  errno = 0;
  unsigned long number = strtoul(text, &end, 10);
  if (strcmp(text, "all") == 0)
    *limit = SIZE_MAX;
  else if (errno || *end || end == text || *text == '-' || number == 0)
    return wrong_use("--limit %s: expected a number above 0, or all", text);
  else
    *limit = number;
  return 0;
}

enum { JSON = 256, SOURCE, ASM, CALLS, ALL, COPIES, STATIC, PART = 4096 };

static int take_option(void *at, int option) {
  struct request *request = at;
  switch (option) {
  case JSON:
    request->json = true;
    return 0;
  case SOURCE:
    request->source = optarg;
    return 0;
  case ASM:
    request->assembly = optarg;
    return 0;
  case CALLS:
    request->calls = optarg;
    return 0;
  case ALL:
    request->report.all = true;
    return 0;
  case COPIES:
    request->report.copies = true;
    return 0;
  case STATIC:
    request->static_arcs = true;
    return 0;
  case 'm':
    request->report.mine = true;
    return 0;
  case 's':
    return parse_sort(optarg, &request->report.sort);
  case 'n':
    return parse_limit(optarg, &request->report.limit);
  default:
    if (option < PART) return choice_take(&request->choice, option);
    request->report.parts |= option - PART;
    return 0;
  }
}

/* 0: go on; 1: help was shown; -1: wrong use, said. */
static int parse_options(int count, char **arguments, struct request *request) {
  static const struct option known[] = {{"flat", no_argument, NULL, PART + REPORT_FLAT},
                                        {"graph", no_argument, NULL, PART + REPORT_GRAPH},
                                        {"contexts", no_argument, NULL, PART + REPORT_CONTEXTS},
                                        {"cycles", no_argument, NULL, PART + REPORT_CYCLES},
                                        {"misled", no_argument, NULL, PART + REPORT_MISLED},
                                        {"lines", no_argument, NULL, PART + REPORT_LINES},
                                        {"runs", no_argument, NULL, PART + REPORT_RUNS},
                                        {"processes", no_argument, NULL, PART + REPORT_PROCESSES},
                                        {"threads", no_argument, NULL, PART + REPORT_THREADS},
                                        {"source", required_argument, NULL, SOURCE},
                                        {"asm", required_argument, NULL, ASM},
                                        {"calls", required_argument, NULL, CALLS},
                                        {"all", no_argument, NULL, ALL},
                                        {"copies", no_argument, NULL, COPIES},
                                        {"mine", no_argument, NULL, 'm'},
                                        {"static", no_argument, NULL, STATIC},
                                        {"metric", required_argument, NULL, 'M'},
                                        {"focus", required_argument, NULL, 'f'},
                                        {"thread", required_argument, NULL, 't'},
                                        {"process", required_argument, NULL, 'p'},
                                        {"sort", required_argument, NULL, 's'},
                                        {"limit", required_argument, NULL, 'n'},
                                        {"json", no_argument, NULL, JSON},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};
  static const struct command_options options = {usage, "f:t:p:M:ms:n:h", known, take_option};
  int result = options_take(&options, count, arguments, request);
  if (result != 0) return result;
  if (count - optind > 1) return wrong_use("only one FILE, not also %s", arguments[optind + 1]);
  request->file = optind < count ? arguments[optind] : NULL;
  return 0;
}

/* ---- what to show ---- */

static int print(struct request *request, const struct profile *profile, struct error *error) {
  struct report_options *options = &request->report;
  struct pager pager;
  if (request->json) {
    if (!options->parts) options->parts = ~0u;
    report_json(profile, options, stdout);
    return 0;
  }
  if (!options->parts) options->parts = REPORT_FLAT | REPORT_GRAPH;
  options->width = terminal_width(stdout);
  options->colour = terminal_colours(stdout);
  pager_open(&pager);
  report_print(profile, options, stdout);
  return pager_close(&pager, error);
}

/* Look up the names of --source, --calls and --asm. The subjects are to be freed in any case. */
static int resolve(const struct request *request, const struct profile *profile,
                   struct subject *source, struct subject *assembly, struct subject *calls,
                   struct error *error) {
  if (request->source && subject_find(profile, request->source, "--source", source, error) != 0)
    return -1;
  if (request->calls &&
      subject_find_functions(profile, request->calls, "--calls", calls, error) != 0)
    return -1;
  if (!request->assembly) return 0;
  if (request->choice.focus_count || request->choice.thread || request->choice.process)
    return error_set(error, "--asm shows all contexts and threads: it cannot be combined with "
                            "--focus, --thread or --process");
  return subject_find_functions(profile, request->assembly, "--asm", assembly, error);
}

static int show(struct request *request, const struct profile *profile, struct error *error) {
  struct report_options *options = &request->report;
  struct subject source = {0}, assembly = {0}, calls = {0};
  int result = resolve(request, profile, &source, &assembly, &calls, error);
  if (request->source) options->parts |= REPORT_SOURCE;
  if (request->assembly) options->parts |= REPORT_ASM;
  if (request->calls) options->parts |= REPORT_CALLS;
  options->calls = request->calls ? &calls : NULL;
  options->source = request->source ? &source : NULL;
  options->assembly = request->assembly ? &assembly : NULL;
  if (result == 0) result = choice_resolve(&request->choice, profile, &options->selection, error);
  if (result == 0) {
    result = print(request, profile, error);
    choice_release(&options->selection);
  }
  subject_free(&source);
  subject_free(&assembly);
  subject_free(&calls);
  if (result == 0 && (fflush(stdout) != 0 || ferror(stdout)))
    return error_set(error, "cannot write the report: %s", strerror(errno));
  return result;
}

/* Several metrics: the flat profile of all, unless something else is asked for. */
static int show_metrics(struct request *request, const struct profile *profile,
                        struct error *error) {
  struct report_options *options = &request->report;
  uint32_t *metrics;
  int result = choice_metrics(&request->choice, profile, &metrics, &options->metric_count, error);
  bool several = options->metric_count > 1;
  if (result == 0 && several && request->json)
    result = error_set(error, "--json is of one metric: name one with --metric");
  if (result == 0) {
    struct profile view = metric_view(profile, metrics[0]);
    options->metrics = metrics;
    if (several && !options->parts && !request->source && !request->assembly && !request->calls)
      options->parts = REPORT_FLAT;
    result = show(request, &view, error);
  }
  free(metrics);
  return result;
}

static void find_static_arcs(struct profile *profile) {
  struct static_arcs found;
  if (profile->given) {
    fputs("ascribe report: --static: this profile has figures only, and no code to read\n", stderr);
    return;
  }
  static_arcs_find(profile, &found);
  if (found.indirect)
    fprintf(stderr,
            "ascribe report: the code has %zu calls through pointers: where they lead is "
            "unknown\n",
            found.indirect);
  if (found.unread)
    fprintf(stderr, "ascribe report: --static: %zu objects have changed or gone since they ran\n",
            found.unread);
}

int command_report(int count, char **arguments) {
  struct request request = {0};
  struct error error;
  struct profile *profile = NULL;
  char *file = NULL;
  int parsed = parse_options(count, arguments, &request);
  if (parsed != 0) return parsed > 0 ? 0 : STATUS_WRONG_USE;
  int result = profile_file_find(request.file, &file, &error);
  if (result == 0) result = profile_file_load(file, &profile, &error);
  if (result == 0 && request.static_arcs) find_static_arcs(profile);
  if (result == 0 && store_is_file(file)) request.report.profile_path = file;
  if (result == 0) result = show_metrics(&request, profile, &error);
  profile_free(profile);
  free(file);
  return result == 0 ? 0 : command_failed(&error);
}
