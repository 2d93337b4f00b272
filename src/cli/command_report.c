/* ascribe report: show a profile, or a recording that is not one yet. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/recorded/static_arcs.h"
#include "base/memory.h"
#include "cli/centre_choice.h"
#include "cli/choice.h"
#include "cli/commands.h"
#include "cli/option_tables.h"
#include "cli/pager.h"
#include "cli/profile_file.h"
#include "report/report.h"
#include "report/subject.h"
#include "report/terminal.h"
#include "store/store.h"

enum { WRAPPERS_MOST = 64 };

struct request {
  struct report_options report;
  struct choice choice;
  const char *file;
  const char *source;                  /* of --source, or null */
  const char *assembly;                /* of --asm, or null */
  const char *calls;                   /* of --calls, or null */
  const char *wrappers[WRAPPERS_MOST]; /* of --wrappers: names with commas between them */
  size_t wrapper_count;
  struct centre_choice centres;
  bool json;
  bool static_arcs;
};

/* ---- options ---- */

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

static bool take_part(struct request *request, int option) {
  static const struct {
    int option;
    unsigned part;
  } parts[] = {{OPTION_FLAT, REPORT_FLAT},         {OPTION_GRAPH, REPORT_GRAPH},
               {OPTION_CONTEXTS, REPORT_CONTEXTS}, {OPTION_CYCLES, REPORT_CYCLES},
               {OPTION_MISLED, REPORT_MISLED},     {OPTION_LINES, REPORT_LINES},
               {OPTION_RUNS, REPORT_RUNS},         {OPTION_PROCESSES, REPORT_PROCESSES},
               {OPTION_THREADS, REPORT_THREADS},   {OPTION_HEAP, REPORT_HEAP},
               {OPTION_LEAKS, REPORT_LEAKS},       {OPTION_SERIES, REPORT_SERIES},
               {OPTION_PEAK, REPORT_PEAK},         {OPTION_TABLE, REPORT_TABLE},
               {OPTION_RANKS, REPORT_RANKS}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (parts[i].option == option) {
      request->report.parts |= parts[i].part;
      return true;
    }
  return false;
}

static int take_option(void *at, int option) {
  struct request *request = at;
  switch (option) {
  case OPTION_JSON:
    request->json = true;
    return 0;
  case OPTION_SOURCE:
    request->source = optarg;
    return 0;
  case OPTION_ASM:
    request->assembly = optarg;
    return 0;
  case OPTION_CALLS:
    request->calls = optarg;
    return 0;
  case OPTION_CENTRES:
    request->report.parts |= REPORT_CENTRES;
    return centre_choice_take(&request->centres, optarg);
  case OPTION_WRAPPERS:
    if (request->wrapper_count == WRAPPERS_MOST)
      return wrong_use("--wrappers: at most %d times", WRAPPERS_MOST);
    request->wrappers[request->wrapper_count++] = optarg;
    return 0;
  case OPTION_ALL:
    request->report.all = true;
    return 0;
  case OPTION_COPIES:
    request->report.copies = true;
    return 0;
  case OPTION_STATIC:
    request->static_arcs = true;
    return 0;
  case OPTION_MINE:
    request->report.mine = true;
    return 0;
  case OPTION_SORT:
    request->report.sort = SORT_SELF + option_number();
    return 0;
  case OPTION_LIMIT:
    return parse_limit(optarg, &request->report.limit);
  default:
    return take_part(request, option) ? 0 : choice_take(&request->choice, option);
  }
}

/* 0: go on; 1: help was shown; -1: wrong use, said. */
static int parse_options(int count, char **arguments, struct request *request) {
  int result = options_take(&options_report, take_option, NULL, count, arguments, request);
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
    if (!options->parts) options->parts = ~(unsigned)REPORT_SERIES; /* as many rows again */
    report_json(profile, options, stdout);
    return 0;
  }
  if (!options->parts) options->parts = REPORT_FLAT | REPORT_GRAPH;
  const struct terminal terminal = terminal_of(stdout);
  pager_open(&pager);
  report_print(profile, options, &terminal, stdout);
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

/* The name at the beginning of the rest, which is cut off there: at a comma, but not at one of an
 * argument list or of a template's. Null: there is none. */
static char *next_name(char **rest) {
  char *name = *rest, *at = name;
  if (!name) return NULL;
  for (int depth = 0; *at && (*at != ',' || depth > 0); at++)
    depth += (*at == '(' || *at == '<') - (*at == ')' || *at == '>');
  *rest = *at ? at + 1 : NULL;
  *at = '\0';
  return name;
}

/* `text`: names with commas between them. */
static int mark_wrappers(const char *text, const struct profile *profile, bool *wrappers,
                         struct error *error) {
  char *names = memory_text(text), *rest = names, *name;
  int result = 0;
  while (result == 0 && (name = next_name(&rest))) {
    struct subject found = {0};
    result = subject_find_functions(profile, name, "--wrappers", &found, error);
    for (size_t i = 0; result == 0 && i < found.group_count; i++)
      for (size_t k = 0; k < found.groups[i].count; k++)
        wrappers[found.groups[i].ids[k]] = true;
    subject_free(&found);
  }
  free(names);
  return result;
}

/* By function: those that --wrappers names; or null. The array is to be freed in any case. */
static int find_wrappers(const struct request *request, const struct profile *profile,
                         bool **wrappers, struct error *error) {
  int result = 0;
  *wrappers =
      request->wrapper_count ? memory_zeroed(profile->function_count, sizeof **wrappers) : NULL;
  for (size_t i = 0; result == 0 && i < request->wrapper_count; i++)
    result = mark_wrappers(request->wrappers[i], profile, *wrappers, error);
  return result;
}

static int show(struct request *request, const struct profile *profile, struct error *error) {
  struct report_options *options = &request->report;
  struct subject source = {0}, assembly = {0}, calls = {0};
  bool *wrappers;
  int result = resolve(request, profile, &source, &assembly, &calls, error);
  if (find_wrappers(request, profile, &wrappers, error) != 0) result = -1;
  if (request->source) options->parts |= REPORT_SOURCE;
  if (request->assembly) options->parts |= REPORT_ASM;
  if (request->calls) options->parts |= REPORT_CALLS;
  options->calls = request->calls ? &calls : NULL;
  options->source = request->source ? &source : NULL;
  options->assembly = request->assembly ? &assembly : NULL;
  if (result == 0) result = choice_resolve(&request->choice, profile, &options->selection, error);
  if (result == 0) {
    options->selection.wrappers = wrappers;
    result = print(request, profile, error);
    choice_release(&options->selection);
  }
  subject_free(&source);
  subject_free(&assembly);
  subject_free(&calls);
  free(wrappers);
  if (result == 0 && (fflush(stdout) != 0 || ferror(stdout)))
    return error_set(error, "cannot write the report: %s", strerror(errno));
  return result;
}

/* Centres beside a list of memory are of the same memory, unless a metric is named. */
static void choose_metric_of_centres(struct request *request, const struct profile *profile) {
  unsigned parts = request->report.parts;
  const char *name = heap_metric_name(HEAP_OF_MALLOC, parts & REPORT_LEAKS  ? HEAP_LIVE
                                                      : parts & REPORT_PEAK ? HEAP_PEAK
                                                                            : HEAP_ALLOCATED);
  if (request->choice.metrics || request->json || !(parts & REPORT_CENTRES)) return;
  if (!(parts & (REPORT_HEAP | REPORT_LEAKS | REPORT_PEAK))) return;
  if (metrics_find(profile, name) != NOTHING) request->choice.metrics = name;
}

/* Several metrics: the flat profile of all, unless something else is asked for. */
static int show_metrics(struct request *request, const struct profile *profile,
                        struct error *error) {
  struct report_options *options = &request->report;
  uint32_t *metrics;
  choose_metric_of_centres(request, profile);
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
  if (result == 0)
    result = profile_file_load(file, request.report.parts & REPORT_SERIES, &profile, &error);
  if (result == 0 && request.static_arcs) find_static_arcs(profile);
  if (result == 0) result = centre_choice_apply(&request.centres, profile, &error);
  char *path = result == 0 ? profile_file_path(file) : NULL;
  if (path && store_is_file(path)) request.report.profile_path = path;
  if (result == 0) result = show_metrics(&request, profile, &error);
  profile_free(profile);
  free(file);
  free(path);
  centre_choice_free(&request.centres);
  return result == 0 ? 0 : command_failed(&error);
}
