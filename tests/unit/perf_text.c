/* Lines of perf script, in all their shapes. */
#include "exchange/perf_text.h"

#include "check.h"

static struct perf_sample sample_of(const char *text) {
  static char line[1000];
  struct perf_sample sample = {0};
  snprintf(line, sizeof line, "%s", text);
  CHECK(perf_sample_parse(line, &sample));
  return sample;
}

static void check_sample(const char *text, const char *command, uint32_t pid, uint32_t tid,
                         const char *event, uint64_t period) {
  struct perf_sample sample = sample_of(text);
  CHECK_TEXT(sample.command, command);
  CHECK_EQUAL(sample.pid, pid);
  CHECK_EQUAL(sample.tid, tid);
  if (event) CHECK_TEXT(sample.event, event);
  CHECK(!event == !sample.event);
  CHECK_EQUAL(sample.period, period);
}

static void test_samples(void) {
  check_sample("fib  3790 12387.053051:     500000 task-clock:u: ", "fib", 0, 3790, "task-clock:u",
               500000);
  check_sample("fib 12/3790 [001] 12387.053051: 1 cycles: ", "fib", 12, 3790, "cycles", 1);
  check_sample("my prog 3 of 4 12/13 7.5: cycles:uppp:", "my prog 3 of 4", 12, 13, "cycles:uppp",
               0);
  check_sample("fib  3937 ", "fib", 0, 3937, NULL, 0);
  check_sample("swapper     0 [000] 7.5: sched:sched_switch: prev_comm=x", "swapper", 0, 0,
               "sched:sched_switch", 0);
  check_sample("a 1 99999999999999999999999 cycles:", "a", 0, 1, "cycles", UINT64_MAX);
}

static void test_sample_with_frame(void) {
  const char *line =
      "             fib  4072 12.4:    2000000 task-clock:u:      7f76 main+0x1 (/fib)";
  CHECK(perf_is_sample(line));
  CHECK_TEXT(sample_of(line).rest, "7f76 main+0x1 (/fib)");
}

static void test_no_samples(void) {
  char line[] = "hello world", empty[] = "", number[] = "12";
  struct perf_sample sample;
  CHECK(!perf_sample_parse(line, &sample));
  CHECK(!perf_sample_parse(empty, &sample));
  CHECK(!perf_sample_parse(number, &sample));
  CHECK(!perf_is_sample("  fib.cc:12"));
  CHECK(!perf_is_sample("  179d even+0xd (/tmp/prog)"));
}

static void check_frame(const char *text, const char *symbol, const char *object, bool inlined) {
  char line[1000];
  struct perf_frame frame = {0};
  snprintf(line, sizeof line, "%s", text);
  CHECK(perf_frame_parse(line, &frame));
  CHECK_TEXT(frame.symbol, symbol);
  CHECK(!object == !frame.object);
  if (object) CHECK_TEXT(frame.object, object);
  CHECK_EQUAL(frame.inlined, inlined);
}

static void test_frames(void) {
  check_frame("\t  14f38 f.constprop.0+0x158 (/lib/ld.so.2)", "f.constprop.0", "/lib/ld.so.2",
              false);
  check_frame("\t  14cd app::T<int>::f(int, char) const+0x2d (/tmp/a b (deleted))",
              "app::T<int>::f(int, char) const", "/tmp/a b (deleted)", false);
  check_frame("\t  27304 __libc_start_main_impl+0x84 (inlined)", "__libc_start_main_impl", NULL,
              true);
  check_frame("\t  1040000000 [unknown] ([unknown])", "[unknown]", "[unknown]", false);
  check_frame("\t  ffff f ([kernel.kallsyms])", "f", "[kernel.kallsyms]", false);
  check_frame("\t  179d easy", "easy", NULL, false);
  check_frame("\t  179d main.(*T).f", "main.(*T).f", NULL, false);
  check_frame("\t  179d", "", NULL, false);
  check_frame(" 7f f+0x0 (/tmp/v) insn: 48 85 ff", "f", "/tmp/v", false);
}

static void test_no_frames(void) {
  char source[] = "  fib.cc:12", bytes[] = " insn: 89 c2", start[] = "7f f+0x0 (/tmp/v)";
  struct perf_frame frame;
  CHECK(!perf_frame_parse(source, &frame));
  CHECK(!perf_frame_parse(bytes, &frame));
  CHECK(!perf_frame_parse(start, &frame));
}

static void test_sources(void) {
  char known[] = "  a dir/fib.cc:12", no_line[] = "  :0", unknown[] = "  ??:0", text[] = " x: y";
  struct perf_source source;
  CHECK(perf_source_parse(known, &source));
  CHECK_TEXT(source.file, "a dir/fib.cc");
  CHECK_EQUAL(source.line, 12);
  CHECK(!perf_source_parse(no_line, &source));
  CHECK(!perf_source_parse(unknown, &source));
  CHECK(!perf_source_parse(text, &source));
}

int main(void) {
  test_samples();
  test_sample_with_frame();
  test_no_samples();
  test_frames();
  test_no_frames();
  test_sources();
  return check_result();
}
