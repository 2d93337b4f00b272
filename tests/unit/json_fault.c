/* Where a text stops being JSON: whole texts have no fault, others the line where it is. */
#include "exchange/json_fault.h"

#include "check.h"

static uint64_t fault(const char *text) {
  return json_fault_line(text, strlen(text));
}

static void test_json_has_no_fault(void) {
  static const char *const texts[] = {
      "{}",
      " [ ] \n",
      "0",
      "\"\"",
      "null",
      "-1.5e+10",
      "[true, false, null, 0, -0.25, 10E2]",
      "{\"a\": {\"b\\n\\u00e9\": [[], {}, \"\\\\\"]}, \"\": 1}",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    CHECK_EQUAL(fault(texts[i]), 0);
}

static void test_the_line_of_a_fault(void) {
  static const struct {
    const char *text;
    uint64_t line;
  } faults[] = {
      {"", 1},
      {"{\"a\":\n", 1},
      {"[1,\n2,\n]", 3},
      {"[1,\n2\n3]", 3},
      {"[1\n}", 2},
      {"[]\n]", 2},
      {"{\"a\"\n1}", 2},
      {"{\n\"a\": 1,\n}", 3},
      {"{\n1: 2}", 2},
      {"[\n01]", 2},
      {"[\n1.]", 2},
      {"[\nnul]", 2},
      {"[\n\"\\x\"]", 2},
      {"[\n\"\\u12\"]", 2},
      {"[\n\"a\tb\"]", 2},
      {"1 2", 1},
      {"[1],\n", 1},
  };
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    CHECK_EQUAL(fault(faults[i].text), faults[i].line);
}

static void test_nesting_has_no_end(void) {
  enum { DEPTH = 100000 };
  static char text[2 * DEPTH];
  memset(text, '[', DEPTH);
  memset(text + DEPTH, ']', DEPTH);
  CHECK_EQUAL(json_fault_line(text, 2 * DEPTH), 0);
  CHECK_EQUAL(json_fault_line(text, 2 * DEPTH - 1), 1);
}

int main(void) {
  test_json_has_no_fault();
  test_the_line_of_a_fault();
  test_nesting_has_no_end();
  return check_result();
}
