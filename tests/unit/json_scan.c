/* Values of JSON in their order; where a text stops being JSON: whole texts have no fault, others
 * the line where it is. */
#include "exchange/json_scan.h"

#include <stdlib.h>

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

/* Checks the next value, or the end of one. */
static void expect(struct json_scan *scan, enum json_kind kind, const char *name,
                   const char *value) {
  CHECK_EQUAL(json_scan_next(scan), kind);
  CHECK(json_scan_is(scan, name));
  if (!value) return;
  char *text = json_scan_text(scan);
  CHECK_TEXT(text, value);
  free(text);
}

static void test_values_come_in_their_order(void) {
  static const char text[] = "{\"a\": [1, {\"b\": null}], \"skipped\": [[{}], 2], \"t\\u00e9\": "
                             "\"x\\n\\u00e9\\ud83d\\ude00\\ud83d\\\\n\","
                             " \"n\": 18446744073709551616, \"m\": -5, \"r\": 12.7}";
  struct json_scan scan;
  json_scan_open(&scan, text, sizeof text - 1);
  expect(&scan, JSON_OPENED, "", NULL);
  expect(&scan, JSON_OPENED, "a", NULL);
  CHECK(!json_scan_in_object(&scan));
  expect(&scan, JSON_WORD, "", "1");
  CHECK_EQUAL(json_scan_number(&scan, 5), 1);
  expect(&scan, JSON_OPENED, "", NULL);
  CHECK(json_scan_in_object(&scan));
  expect(&scan, JSON_WORD, "b", "null");
  expect(&scan, JSON_CLOSED, "", NULL);
  expect(&scan, JSON_CLOSED, "", NULL);
  expect(&scan, JSON_OPENED, "skipped", NULL);
  CHECK(json_scan_skip(&scan));
  expect(&scan, JSON_TEXT, "t\\u00e9", "x\n\u00e9\U0001f600\ufffd\\n");
  expect(&scan, JSON_WORD, "n", NULL);
  CHECK_EQUAL(json_scan_number(&scan, UINT64_MAX), UINT64_MAX);
  expect(&scan, JSON_WORD, "m", NULL);
  CHECK_EQUAL(json_scan_number(&scan, 9), 0);
  expect(&scan, JSON_WORD, "r", NULL);
  CHECK_EQUAL(json_scan_number(&scan, 99), 12);
  expect(&scan, JSON_CLOSED, "", NULL);
  expect(&scan, JSON_END, "", NULL);
  json_scan_close(&scan);
}

int main(void) {
  test_values_come_in_their_order();
  test_json_has_no_fault();
  test_the_line_of_a_fault();
  test_nesting_has_no_end();
  return check_result();
}
