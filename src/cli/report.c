/* ascribe report: show a profile, or a recording that is not one yet. */
#include <errno.h>
#include <getopt.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "report/report.h"
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
    "      --contexts        contexts by self time\n"
    "      --cycles          mutual recursion that occurred\n"
    "      --misled          where gprof's average-time assumption misleads\n"
    "      --lines           lines by self time\n"
    "  -f, --focus FUNCTION  only contexts in which FUNCTION is active; may be repeated\n"
    "  -t, --thread THREAD   only this thread: its number, or its id or name in the system\n"
    "  -s, --sort KEY        self, total, calls or name\n"
    "  -n, --limit N         entries of each part, or all (default: what covers most of the time)\n"
    "      --json            all parts, or those named, as one JSON object\n"
    "  -h, --help            show this\n";

enum { STATUS_WRONG_USE = 2, MOST_FOCUS = 64 };

struct request {
  struct report_options report;
  const char *focus[MOST_FOCUS];
  size_t focus_count;
  const char *thread;
  const char *file;
  bool json;
};

/* ---- options ---- */

static int wrong_use(const char *format, const char *word) {
  fputs("ascribe report: ", stderr);
  fprintf(stderr, format, word);
  fputs(": see ascribe report --help\n", stderr);
  return -1;
}

/* getopt has said what is wrong. */
static int wrong_option(void) {
  fputs("try: ascribe report --help\n", stderr);
  return -1;
}

static int parse_sort(const char *text, enum report_sort *sort) {
  static const char *const names[] = {
      [SORT_SELF] = "self", [SORT_TOTAL] = "total", [SORT_CALLS] = "calls", [SORT_NAME] = "name"};
  for (size_t i = SORT_SELF; i <= SORT_NAME; i++)
    if (strcmp(text, names[i]) == 0) {
      *sort = i;
      return 0;
    }
  return wrong_use("--sort %s: want self, total, calls or name", text);
}

static int parse_limit(const char *text, size_t *limit) {
  char *end;
  errno = 0;
  unsigned long number = strtoul(text, &end, 10);
  if (strcmp(text, "all") == 0)
    *limit = SIZE_MAX;
  else if (errno || *end || end == text || *text == '-' || number == 0)
    return wrong_use("--limit %s: want a number above 0, or all", text);
  else
    *limit = number;
  return 0;
}

static int add_focus(struct request *request, const char *name) {
  if (request->focus_count == MOST_FOCUS) return wrong_use("too many --focus, at %s", name);
  request->focus[request->focus_count++] = name;
  return 0;
}

/* 0: go on; 1: help was shown; -1: wrong use, said. */
static int parse_options(int count, char **arguments, struct request *request) {
  enum { JSON = 256, PART = 512 };
  static const struct option known[] = {{"flat", no_argument, NULL, PART + REPORT_FLAT},
                                        {"graph", no_argument, NULL, PART + REPORT_GRAPH},
                                        {"contexts", no_argument, NULL, PART + REPORT_CONTEXTS},
                                        {"cycles", no_argument, NULL, PART + REPORT_CYCLES},
                                        {"misled", no_argument, NULL, PART + REPORT_MISLED},
                                        {"lines", no_argument, NULL, PART + REPORT_LINES},
                                        {"focus", required_argument, NULL, 'f'},
                                        {"thread", required_argument, NULL, 't'},
                                        {"sort", required_argument, NULL, 's'},
                                        {"limit", required_argument, NULL, 'n'},
                                        {"json", no_argument, NULL, JSON},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};
  int option, result = 0;
  while (result == 0 && (option = getopt_long(count, arguments, "f:t:s:n:h", known, NULL)) != -1) {
    if (option >= PART)
      request->report.parts |= option - PART;
    else if (option == JSON)
      request->json = true;
    else if (option == 'f')
      result = add_focus(request, optarg);
    else if (option == 't')
      request->thread = optarg;
    else if (option == 's')
      result = parse_sort(optarg, &request->report.sort);
    else if (option == 'n')
      result = parse_limit(optarg, &request->report.limit);
    else if (option == 'h')
      result = fputs(usage, stdout) < 0 ? -1 : 1;
    else
      result = wrong_option();
  }
  if (result != 0) return result;
  if (count - optind > 1) return wrong_use("one FILE only, not also %s", arguments[optind + 1]);
  request->file = optind < count ? arguments[optind] : NULL;
  return 0;
}

/* ---- the file ---- */

static int newest_profile(char **name, struct error *error) {
  glob_t found;
  struct timespec newest = {0};
  *name = NULL;
  if (glob("*.ascribe", 0, NULL, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; i++) {
      struct stat status;
      if (stat(found.gl_pathv[i], &status) != 0) continue;
      struct timespec time = status.st_mtim;
      bool newer = time.tv_sec > newest.tv_sec ||
                   (time.tv_sec == newest.tv_sec && time.tv_nsec > newest.tv_nsec);
      if (*name && !newer) continue;
      free(*name);
      *name = strdup(found.gl_pathv[i]);
      newest = time;
    }
    globfree(&found);
  }
  if (*name) return 0;
  return error_set(error, "no *.ascribe here: make one with ascribe record, or name a file");
}

static int load_recording(const char *path, struct profile **profile, struct error *error) {
  struct recording *recording;
  size_t skipped = 0;
  if (recording_open(path, &recording, &skipped, error) != 0) return -1;
  if (skipped)
    fprintf(stderr, "ascribe report: %s: %zu file%s in it cannot be read and %s left out\n", path,
            skipped, skipped == 1 ? "" : "s", skipped == 1 ? "is" : "are");
  int result = profile_from_recording(recording, profile, error);
  recording_close(recording);
  return result;
}

static int load(const char *path, struct profile **profile, struct error *error) {
  struct stat status;
  if (stat(path, &status) != 0)
    return error_set(error, "%s cannot be read: %s", path, strerror(errno));
  size_t length = strlen(path), suffix = strlen(RECORDING_SUFFIX);
  bool recording = S_ISDIR(status.st_mode) ||
                   (length > suffix && strcmp(path + length - suffix, RECORDING_SUFFIX) == 0);
  return recording ? load_recording(path, profile, error) : store_load(path, profile, error);
}

/* ---- what to show ---- */

/* The whole name, or the name without its parameters. */
static bool is_named(const struct profile_function *function, const char *name) {
  size_t length = strlen(name);
  return strcmp(function->name, name) == 0 ||
         (function->linkage && strcmp(function->linkage, name) == 0) ||
         (strncmp(function->name, name, length) == 0 && function->name[length] == '(');
}

static int resolve_focus(const struct request *request, const struct profile *profile,
                         uint32_t **focus, size_t *count, struct error *error) {
  uint32_t *found = memory_zeroed(profile->function_count, sizeof *found);
  size_t total = 0;
  for (size_t i = 0; i < profile->function_count; i++)
    for (size_t name = 0; name < request->focus_count; name++)
      if (is_named(&profile->functions[i], request->focus[name])) {
        found[total++] = i;
        break;
      }
  for (size_t name = 0; name < request->focus_count; name++) {
    bool any = false;
    for (size_t i = 0; i < total && !any; i++)
      any = is_named(&profile->functions[found[i]], request->focus[name]);
    if (any) continue;
    free(found);
    return error_set(error, "--focus %s: no such function in the profile", request->focus[name]);
  }
  *focus = found;
  *count = total;
  return 0;
}

static int resolve_thread(const char *text, const struct profile *profile, uint32_t *thread,
                          struct error *error) {
  *thread = NOTHING;
  if (!text) return 0;
  char *end;
  unsigned long number = strtoul(text, &end, 10);
  bool numeric = *text && !*end;
  for (size_t i = 0; i < profile->thread_count; i++)
    if (numeric ? number == i + 1 : strcmp(profile->threads[i].name, text) == 0) *thread = i;
  for (size_t i = 0; numeric && *thread == NOTHING && i < profile->thread_count; i++)
    if (number == profile->threads[i].tid) *thread = i;
  if (*thread != NOTHING) return 0;
  return error_set(error, "--thread %s: no such thread; the profile has 1 to %zu", text,
                   profile->thread_count);
}

static int show(struct request *request, const struct profile *profile, struct error *error) {
  struct report_options *options = &request->report;
  uint32_t *focus = NULL;
  if (resolve_thread(request->thread, profile, &options->selection.thread, error) != 0) return -1;
  if (resolve_focus(request, profile, &focus, &options->selection.focus_count, error) != 0)
    return -1;
  options->selection.focus = focus;
  if (request->json) {
    if (!options->parts) options->parts = ~0u;
    report_json(profile, options, stdout);
  } else {
    if (!options->parts) options->parts = REPORT_FLAT | REPORT_GRAPH;
    options->width = terminal_width(stdout);
    options->colour = terminal_colours(stdout);
    report_print(profile, options, stdout);
  }
  free(focus);
  if (fflush(stdout) != 0 || ferror(stdout))
    return error_set(error, "cannot write the report: %s", strerror(errno));
  return 0;
}

int command_report(int count, char **arguments) {
  static char name[] = "ascribe report"; /* for getopt's messages */
  struct request request = {0};
  struct error error;
  struct profile *profile = NULL;
  char *newest = NULL;
  arguments[0] = name;
  int parsed = parse_options(count, arguments, &request);
  if (parsed != 0) return parsed > 0 ? 0 : STATUS_WRONG_USE;
  int result = 0;
  if (!request.file) result = newest_profile(&newest, &error);
  if (result == 0) result = load(request.file ? request.file : newest, &profile, &error);
  if (result == 0) result = show(&request, profile, &error);
  if (result != 0) fprintf(stderr, "ascribe report: %s\n", error.text);
  profile_free(profile);
  free(newest);
  return result == 0 ? 0 : 1;
}
