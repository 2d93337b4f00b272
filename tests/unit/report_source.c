/* Source text with figures, against the reports that were looked at (argv[1]). */
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "profile_fixture.h"
#include "recording_fixture.h"
#include "report/report.h"
#include "report/source_lines.h"
#include "report/subject.h"
#include "report/terminal.h"

static struct program program;

/* fixture.c: functions at lines 10, 20 and 30, and a long tail. */
static void write_source(void) {
  FILE *file = fopen("fixture.c", "w");
  for (int line = 1; line <= 200; line++) {
    const char *text = "";
    if (line == 10) text = "int main(void) {";
    if (line == 12) text = "  work();";
    if (line == 14 || line == 27 || line == 33) text = "}";
    if (line == 20) text = "int work(void) {";
    if (line == 22) text = "\twhile (n--) leaf(); // \xff \033[31m";
    if (line == 30) text = "static int leaf(void) {\r";
    if (line == 32) text = "  return n * n;";
    fprintf(file, "%s\n", text);
  }
  fclose(file);
}

/* main calls work, which calls leaf, which was inlined; ticks looked at the stacks. */
static struct profile *sample(void) {
  enum { IN_WORK, IN_LEAF, IN_MAIN };
  program_start(&program);
  program_calls(&program, "main work");
  program_tick(&program, 500);
  program_call(&program, program_function(&program, "leaf"));
  program_tick(&program, 30);
  program_return(&program);
  program_return(&program);
  program_tick(&program, 1);
  struct profile *profile = program_end(&program);
  profile->lines[IN_WORK].line = 22;
  profile->lines[IN_LEAF].line = 32;
  profile->lines[IN_MAIN].line = 12;
  profile->functions[2].bodies = BODY_INLINED;
  static const struct profile_stack stacks[] = {{NOTHING, NOTHING}, {0, IN_MAIN}, {1, IN_WORK}};
  profile->stacks = memory_zeroed(3, sizeof *stacks);
  memcpy(profile->stacks, stacks, sizeof stacks);
  profile->stack_count = 3;
  profile->metrics[0].ticks[IN_WORK].stack = 1;
  profile->metrics[0].ticks[IN_LEAF].stack = 2;
  profile->metrics[0].ticks[IN_MAIN].stack = 0;
  profile->sites[1].line = 12;
  profile->sites[2].line = 22;
  return profile;
}

static struct terminal terminal;

static char *report_of(const struct profile *profile, struct report_options *options,
                       const char *name) {
  char *text = NULL;
  size_t bytes = 0;
  struct subject subject = {0};
  struct error error = {""};
  FILE *out = open_memstream(&text, &bytes);
  options->selection.thread = NOTHING;
  if (name && subject_find(profile, name, "--source", &subject, &error) == 0) {
    options->source = &subject;
    options->parts |= REPORT_SOURCE;
  }
  if (error.text[0])
    fputs(error.text, out);
  else
    report_print(profile, options, &terminal, out);
  fclose(out);
  subject_free(&subject);
  return text;
}

static void golden(const struct profile *profile, const char *path) {
  static const char *const names[] = {"work", "leaf", "fixture.c", NULL};
  char *expected = NULL;
  size_t room = 0;
  FILE *file = fopen(path, "r");
  CHECK(file && getdelim(&expected, &room, '\0', file) > 0);
  if (file) fclose(file);
  char *got = NULL;
  size_t bytes;
  FILE *all = open_memstream(&got, &bytes);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct report_options options = {.parts = names[i] ? 0 : REPORT_LINES | REPORT_FLAT};
    char *text = report_of(profile, &options, names[i]);
    fputs(strstr(text, "\n\n") + 1, all); /* without the head, which golden text of its own has */
    free(text);
  }
  fclose(all);
  CHECK(expected && strcmp(got, expected) == 0);
  if (!expected || strcmp(got, expected) != 0) fputs(got, stdout);
  free(expected);
  free(got);
}

static void options(const struct profile *profile) {
  struct report_options all = {.all = true};
  char *text = report_of(profile, &all, "fixture.c");
  CHECK(!strstr(text, "lines\n"));
  CHECK_CONTAINS(text, "     200");
  free(text);
  struct report_options plain = {0};
  terminal.colour = true;
  text = report_of(profile, &plain, "main");
  terminal.colour = false;
  CHECK_CONTAINS(text, "\033[33m   0.2"); /* its own time is little, but not its total */
  CHECK_CONTAINS(text, "    14  }\033[0m");
  free(text);
  struct report_options narrow = {0};
  terminal.width = 80;
  text = report_of(profile, &narrow, "work");
  terminal.width = 0;
  CHECK_CONTAINS(text, "          while (n--) leaf();...\n");
  free(text);
}

/* In a saved profile that keeps no text, and where the file is newer than the program. */
static void text_is_missing_or_newer(struct profile *profile) {
  struct report_options options = {0};
  static char self[4096];
  CHECK(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  profile->objects[0].path = self;
  char *text = report_of(profile, &options, "work");
  CHECK_CONTAINS(text,
                 "fixture.c:20-27: modified after the program was built, so lines may be off");
  free(text);
  CHECK_EQUAL(unlink("fixture.c"), 0);
  text = report_of(profile, &options, "work");
  CHECK_CONTAINS(text, "fixture.c:20-22: its text cannot be read");
  CHECK_CONTAINS(text, "500.0");
  free(text);
}

static void check_json(const struct profile *profile) {
  struct subject subject;
  struct error error;
  char *text = NULL;
  size_t bytes;
  CHECK_EQUAL(subject_find(profile, "leaf", "--source", &subject, &error), 0);
  struct report_options options = {.parts = REPORT_SOURCE | REPORT_LINES | REPORT_FLAT,
                                   .selection.thread = NOTHING,
                                   .source = &subject};
  FILE *out = open_memstream(&text, &bytes);
  report_json(profile, &options, out);
  fclose(out);
  FILE *checker =
      popen("python3 -c '"
            "import json, sys; report = json.load(sys.stdin); "
            "source, = report[\"source\"]; line, = source[\"lines\"]; "
            "assert line[\"text\"] == \"  return n * n;\" and line[\"line\"] == 32; "
            "assert line[\"self_ticks\"] == line[\"total_ticks\"] == 30; "
            "assert source[\"calls\"] == 1 and source[\"file\"] == \"fixture.c\"; "
            "assert [f[\"inlined\"] for f in report[\"functions\"]].count(\"all\") == 1; "
            "assert len(report[\"lines\"]) == 3'",
            "w");
  CHECK(checker && fputs(text, checker) >= 0);
  CHECK_EQUAL(pclose(checker), 0);
  free(text);
  subject_free(&subject);
}

/* ---- names ---- */

static void check_name(const char *name, const char *wanted, int found) {
  struct profile_function function = {.name = name, .linkage = "_Zlinkage", .file = "a.cc"};
  struct profile profile = {.functions = &function, .function_count = 1};
  struct subject subject;
  struct error error;
  int result = subject_find_functions(&profile, wanted, "--source", &subject, &error);
  if ((result == 0) != found) printf("%s as %s\n", name, wanted);
  CHECK_EQUAL(result == 0, found);
  if (result == 0) subject_free(&subject);
}

static void names(void) {
  check_name("garden::grow(int, char)", "garden::grow(int, char)", 1);
  check_name("garden::grow(int, char)", "garden::grow", 1);
  check_name("garden::grow(int, char)", "grow", 1);
  check_name("garden::grow(int, char)", "row", 0);
  check_name("garden::grow(int, char)", "garden", 0);
  check_name("garden::grow(int, char)", "_Zlinkage", 1);
  check_name("void std::sort<int*, A<int> >(int*, int*)", "sort", 1);
  check_name("void std::sort<int*, A<int> >(int*, int*)", "std::sort", 1);
  check_name("(anonymous namespace)::hidden(int)", "hidden", 1);
  check_name("main::{lambda(int)#1}::operator()(int) const", "operator()", 1);
  check_name("bool operator<(A const&, B<int> const&)", "operator<", 1);
  check_name("std::ostream& std::operator<< <int>(std::ostream&, int)", "operator<<", 1);
  check_name("A::operator->() const", "operator->", 1);
  check_name("Table<int, A>::get(char)", "Table::get", 1);
  check_name("Table<int, A>::get(char)", "able::get", 0);
  check_name("", "x", 0);
}

/* A wrong name is answered with what may have been meant. */
static void near_names(void) {
  struct profile_function functions[] = {{.name = "leveldb::DBImpl::Get(int)"},
                                         {.name = "leveldb::Table<int>::Seek()"},
                                         {.name = "main"}};
  struct profile profile = {.functions = functions, .function_count = 3};
  struct subject subject;
  struct error error;
  CHECK_EQUAL(subject_find_functions(&profile, "dbimpl", "--focus", &subject, &error), -1);
  CHECK_TEXT(error.text,
             "--focus dbimpl: no such function in the profile; near: leveldb::DBImpl::Get");
  CHECK_EQUAL(subject_find_functions(&profile, "sekk", "--focus", &subject, &error), -1);
  CHECK_CONTAINS(error.text, "; near: leveldb::Table::Seek");
  CHECK_EQUAL(subject_find(&profile, "nothing", "--source", &subject, &error), -1);
  CHECK_CONTAINS(error.text, "source file in the profile; see ascribe report --lines");
}

static void files(const struct profile *profile) {
  struct subject subject;
  struct error error;
  struct profile_line lines[] = {{0, 1, "/a/b/one.c"}, {0, 2, "/a/c/one.c"}};
  struct profile two = {
      .functions = profile->functions, .function_count = 1, .lines = lines, .line_count = 2};
  CHECK_EQUAL(subject_find(&two, "b/one.c", "--source", &subject, &error), 0);
  CHECK_TEXT(subject.file, "/a/b/one.c");
  CHECK_EQUAL(subject_find(&two, "one.c", "--source", &subject, &error), -1);
  CHECK_CONTAINS(error.text, "among them /a/b/one.c and /a/c/one.c");
  CHECK_EQUAL(subject_find(&two, "ne.c", "--source", &subject, &error), -1);
  CHECK_CONTAINS(error.text, "--source ne.c: no such function or source file");
}

/* ---- text ---- */

static void ends_of_functions(void) {
  static char text[] = "int one() {\n  {\n  }\n}\n  int two() { return 1; }\n};\nint three()\n"
                       "int four() { return 1; } \nint five() {\n}\n";
  char *lines[] = {text,      text + 12, text + 16, text + 20, text + 22,
                   text + 48, text + 51, text + 63, text + 89, text + 102};
  for (char *at = text; *at; at++)
    if (*at == '\n') *at = '\0';
  struct source_lines source = {.lines = lines, .count = 10};
  CHECK_EQUAL(source_function_end(&source, 1, 2), 4);
  CHECK_EQUAL(source_function_end(&source, 5, 5), 5);
  CHECK_EQUAL(source_function_end(&source, 8, 8), 8);
  CHECK_EQUAL(source_function_end(&source, 9, 9), 10);
  CHECK_EQUAL(source_function_end(&source, 12, 12), 12);
  source.count = 7;
  CHECK_EQUAL(source_function_end(&source, 7, 7), 7);
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  char *directory = fixture_directory();
  CHECK_EQUAL(chdir(directory), 0);
  write_source();
  struct profile *profile = sample();
  profile->processes[0].started_ns = INT64_MAX; /* the file was there before */
  golden(profile, arguments[1]);
  options(profile);
  check_json(profile);
  text_is_missing_or_newer(profile);
  files(profile);
  profile_free(profile);
  names();
  near_names();
  ends_of_functions();
  fixture_remove(directory);
  return check_result();
}
