/* Whole reports: the text against the one that was looked at (argv[1]), the JSON against Python. */
#include "report/report.h"
#include "report/terminal.h"

#include <stdlib.h>

#include "check.h"
#include "profile_fixture.h"

static struct program program;

/* The program of the head of this file's golden text: easy and hard work, a ring, a library. */
static struct profile *sample(void) {
  program_start(&program);
  program_calls(&program, "main");
  program_tick(&program, 2);
  program_calls(&program, "easy work");
  program_tick(&program, 3);
  program_return(&program);
  program_return(&program);
  program_calls(&program, "hard work");
  program_tick(&program, 1200);
  program_call(&program, program_library(&program, "memcpy"));
  program.profile->transition_count--; /* code without hooks is not called, it is found running */
  program_tick(&program, 33);
  for (int i = 0; i < 3; i++)
    program_return(&program);
  for (int i = 0; i < 100; i++)
    program_calls(&program, "P Q R");
  program_tick(&program, 50);
  program_calls(&program, "P S S");
  program_tick(&program, 10);
  struct profile *profile = program_end(&program);
  profile->metrics[0].measures[0].profiler = (struct amount){20, 20000000};
  profile->processes[0].cpu_user_ns += 20000000;
  profile->processes[0].cpu_system_ns = 30000000;
  profile->processes[0].hook_low_ps = 750000;
  profile->processes[0].hook_high_ps = 2250000;
  profile->processes[0].drops[DROP_CONTEXTS] = 2;
  profile->objects[1].message = "/lib/libfixture.so is stripped";
  return profile;
}

static struct terminal terminal;

static void print_text(const struct profile *profile, const struct report_options *options,
                       FILE *out) {
  report_print(profile, options, &terminal, out);
}

static char *text_of(const struct profile *profile, const struct report_options *options,
                     void (*print)(const struct profile *, const struct report_options *, FILE *)) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  print(profile, options, out);
  fclose(out);
  return text;
}

static void check_lines(const char *got, const char *path) {
  FILE *file = fopen(path, "r");
  CHECK(file != NULL);
  if (!file) return;
  char *line = NULL;
  size_t room = 0;
  ssize_t bytes;
  for (int number = 1; (bytes = getline(&line, &room, file)) > 0; number++) {
    if (strncmp(got, line, bytes) != 0) {
      printf("%s:%d: expected\n%sgot\n%.*s\n", path, number, line, (int)strcspn(got, "\n"), got);
      checks_failed++;
      break;
    }
    got += bytes;
  }
  CHECK(checks_failed || !*got);
  free(line);
  fclose(file);
}

static void golden_text(const struct profile *profile, const char *path) {
  struct report_options options = {.parts = ~0u, .selection.thread = NOTHING};
  char *text = text_of(profile, &options, print_text);
  check_lines(text, path);
  CHECK(!strchr(text, '\033'));
  free(text);
}

static void colours(const struct profile *profile) {
  struct report_options options = {.parts = REPORT_FLAT, .selection.thread = NOTHING};
  terminal = (struct terminal){.colour = true, .width = 90};
  char *text = text_of(profile, &options, print_text);
  terminal = (struct terminal){0};
  CHECK_CONTAINS(text, "\033[1mFlat profile");
  free(text);
}

static char *printed(const struct profile *profile, unsigned parts, unsigned width) {
  struct report_options options = {.parts = parts, .selection.thread = NOTHING};
  terminal.width = width;
  char *text = text_of(profile, &options, print_text);
  terminal.width = 0;
  return text;
}

static size_t longest_line(const char *text) {
  size_t longest = 0;
  for (size_t length; *text; text += length + (text[length] == '\n')) {
    length = strcspn(text, "\n");
    if (length > longest) longest = length;
  }
  return longest;
}

/* Columns that would say nothing are left out: of calls where none are counted, of uncertainty
 * where nothing is sampled. */
static void columns(void) {
  static const char name[] =
      "std::vector<garden::Plant, A<garden::Plant> >::insert(garden::Plant const&)";
  program_start(&program);
  program_call(&program, program_library(&program, name));
  program.profile->transition_count--;
  program_tick(&program, 50);
  program_return(&program);
  struct profile *profile = program_end(&program);
  char *text = printed(profile, REPORT_FLAT | REPORT_GRAPH, 0);
  CHECK(!strstr(strstr(text, "Flat profile"), "calls"));
  CHECK_CONTAINS(text, "  self  total      self        +-     total        +-  name\n");
  CHECK_CONTAINS(text, name);
  free(text);
  text = printed(profile, REPORT_FLAT | REPORT_GRAPH, 80);
  CHECK(longest_line(strstr(text, "Flat profile")) <= 80);
  CHECK_CONTAINS(text, " std::vector<...>::insert [1]\n");
  free(text);
  profile->origin.format = "test";
  profile->metrics[0].kind = METRIC_GIVEN;
  profile->metrics[0].name = profile->metrics[0].unit = "steps";
  profile->metrics[0].evidence = EVIDENCE_COUNTED;
  text = printed(profile, REPORT_FLAT | REPORT_GRAPH, 0);
  CHECK(!strstr(text, "+-"));
  CHECK_CONTAINS(text, "  self  total      self     total  name\n");
  free(text);
  profile_free(profile);
}

/* A thread that libstdc++ began has the name of what std::thread was given. */
static void threads(void) {
  program_start(&program);
  program_calls(&program, "main");
  program_tick(&program, 5);
  program_return(&program);
  program_thread(&program, "worker");
  program_calls(&program, "begin std::invoke work leaf");
  program_tick(&program, 50);
  struct profile *profile = program_end(&program);
  for (size_t i = 0; i < profile->function_count; i++) {
    struct profile_function *function = &profile->functions[i];
    if (strcmp(function->name, "begin") != 0) continue;
    profile->threads[1].start_function = i;
    function->name = "0xd4490 in libstdc++.so.6";
  }
  char *text = printed(profile, REPORT_THREADS, 0);
  CHECK_CONTAINS(text, "  worker: work\n");
  free(text);
  text = printed(profile, REPORT_LINES, 0);
  CHECK(!strstr(text, "Threads")); /* only where they were asked for, and in whole reports */
  free(text);
  text = printed(profile, REPORT_FLAT | REPORT_GRAPH, 0);
  CHECK_CONTAINS(text, "Threads");
  free(text);
  profile_free(profile);
}

/* Ten levels, of which some lead to one other only; what is small is summed up. */
static void contexts(void) {
  program_start(&program);
  program_calls(&program, "main run alpha beta");
  program_tick(&program, 500);
  program_return(&program);
  program_calls(&program, "gamma");
  program_tick(&program, 400);
  for (int i = 0; i < 2; i++)
    program_return(&program);
  for (const char *name = "small\0tiny\0"; *name; name += strlen(name) + 1) {
    program_calls(&program, name);
    program_tick(&program, 1);
    program_return(&program);
  }
  struct profile *profile = program_end(&program);
  char *text = printed(profile, REPORT_CONTEXTS, 80);
  CHECK_CONTAINS(text, "  55.4   55.4   500.0  29.4   500.0  29.4      beta\n");
  CHECK_CONTAINS(text, "              main > run\n");
  CHECK_CONTAINS(text, "... 2 more\n"
                       "2 more contexts with less time (--limit all)\n");
  free(text);
  struct report_options all = {
      .parts = REPORT_CONTEXTS, .selection.thread = NOTHING, .limit = SIZE_MAX};
  terminal.width = 30;
  text = text_of(profile, &all, print_text);
  terminal.width = 0;
  CHECK_CONTAINS(text, "  1: tiny\n");
  free(text);
  profile_free(profile);
}

/* With counts and little room the figures per call go. */
static void narrow(const struct profile *profile) {
  char *text = printed(profile, REPORT_FLAT | REPORT_GRAPH, 80);
  CHECK(longest_line(strstr(text, "Flat profile")) <= 80);
  CHECK(!strstr(text, "/call"));
  CHECK_CONTAINS(text, " 2  work [2]\n");
  free(text);
}

static void limits(const struct profile *profile) {
  struct report_options options = {
      .parts = REPORT_FLAT | REPORT_GRAPH, .selection.thread = NOTHING, .limit = 2};
  char *text = text_of(profile, &options, print_text);
  CHECK_CONTAINS(text, "7 more functions (--limit all)");
  CHECK_CONTAINS(text, "hard (3)"); /* no entry of its own */
  free(text);
}

static void no_ticks(void) {
  program_start(&program);
  program_calls(&program, "main f f");
  struct profile *profile = program_end(&program);
  struct report_options options = {.parts = REPORT_FLAT | REPORT_GRAPH,
                                   .selection.thread = NOTHING};
  char *text = text_of(profile, &options, print_text);
  CHECK_CONTAINS(text, "the run was too short for times, only counts are known");
  CHECK_CONTAINS(text, "1+1  f [");
  free(text);
  profile_free(profile);
}

/* Half of the ticks that were due did not come: functions have no more for it. */
static void missing_ticks(struct profile *profile) {
  struct report_options options = {.parts = REPORT_FLAT, .selection.thread = NOTHING};
  uint64_t user = profile->processes[0].cpu_user_ns;
  profile->processes[0].cpu_user_ns = 2 * user;
  char *text = text_of(profile, &options, print_text);
  CHECK_CONTAINS(text, "(not sampled)");
  CHECK_CONTAINS(text, "1.203");
  profile->processes[0].cpu_user_ns = user;
  free(text);
}

static void notes_on_symbols(struct profile *profile) {
  struct report_options options = {.parts = REPORT_FLAT, .selection.thread = NOTHING};
  profile->objects[0].message = "/tmp/fixture is stripped";
  char *text = text_of(profile, &options, print_text);
  CHECK_CONTAINS(text, "symbols    fixture, libfixture.so: each is stripped\n");
  free(text);
  profile->objects[0].message = "/tmp/fixture has no symbols";
  text = text_of(profile, &options, print_text);
  CHECK_CONTAINS(text, "symbols    /tmp/fixture has no symbols\n"
                       "symbols    /lib/libfixture.so is stripped\n");
  free(text);
  profile->objects[0].message = "";
}

static void check_json(const char *text) {
  FILE *checker = popen("python3 -m json.tool > /dev/null", "w");
  CHECK(checker && fputs(text, checker) >= 0);
  CHECK_EQUAL(pclose(checker), 0);
}

static void json(struct profile *profile) {
  struct report_options options = {.parts = ~0u, .selection.thread = NOTHING};
  profile->functions[0].name = "operator\"\" _x\\\t\xff\xe2\x82";
  char *text = text_of(profile, &options, report_json);
  check_json(text);
  CHECK_CONTAINS(text, "\"operator\\\"\\\" _x\\\\\\u0009\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
  CHECK_CONTAINS(text, "\"caller\":null");
  free(text);
  options.parts = REPORT_FLAT;
  text = text_of(profile, &options, report_json);
  check_json(text);
  CHECK(!strstr(text, "\"arcs\""));
  free(text);
}

static void empty_profile(void) {
  struct profile *profile = profile_create();
  struct report_options options = {.parts = ~0u, .selection.thread = NOTHING};
  free(text_of(profile, &options, print_text));
  char *text = text_of(profile, &options, report_json);
  check_json(text);
  free(text);
  profile_free(profile);
}

static void summary(const struct profile *profile) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  report_summary(profile, out);
  fclose(out);
  CHECK_CONTAINS(text, "1318 ticks (samples), 308 calls");
  CHECK_CONTAINS(text, "2 calls  work");
  CHECK_CONTAINS(text, "- calls  memcpy");
  free(text);
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  setenv("TZ", "UTC", 1);
  struct profile *profile = sample();
  golden_text(profile, arguments[1]);
  colours(profile);
  limits(profile);
  narrow(profile);
  summary(profile);
  missing_ticks(profile);
  notes_on_symbols(profile);
  json(profile);
  profile_free(profile);
  no_ticks();
  columns();
  contexts();
  threads();
  empty_profile();
  return check_result();
}
