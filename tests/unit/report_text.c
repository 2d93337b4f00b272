/* Names and numbers as reports print them. */
#include "report/quantity.h"
#include "report/text.h"

#include <stdlib.h>

#include "check.h"

static char *printed;
static size_t printed_bytes;

#define CHECK_PRINTED(call, expected)                                                              \
  do {                                                                                             \
    FILE *out = open_memstream(&printed, &printed_bytes);                                          \
    call;                                                                                          \
    fclose(out);                                                                                   \
    CHECK_TEXT(printed, expected);                                                                 \
    free(printed);                                                                                 \
  } while (0)

static void names(void) {
  CHECK_PRINTED(text_name(out, "plain", 0), "plain");
  CHECK_PRINTED(text_name(out, "std::vector<int>::push_back", 15), "std::v...h_back");
  CHECK_PRINTED(text_name(out, "exactly-15-long", 15), "exactly-15-long");
  CHECK_PRINTED(text_name(out, "grün", 0), "grün");
  CHECK_PRINTED(text_name(out, "ääääääääääääääää", 9), "äää...äää");
}

static void functions(void) {
  const char *name = "leveldb::DBImpl::Get(leveldb::ReadOptions const&, leveldb::Slice const&)";
  CHECK_PRINTED(text_function(out, name, (struct name_part){0}, 0), name);
  CHECK_PRINTED(text_function(out, name, (struct name_part){0}, 20), "leveldb::DBImpl::Get");
  CHECK_PRINTED(text_function(out, name, (struct name_part){0}, 19), "DBImpl::Get");
  CHECK_PRINTED(text_function(out, "a::quite_a_long_name(int)", (struct name_part){0}, 11),
                "quit...name");
}

/* A name must not reach the terminal as a command. */
static void hostile_names(void) {
  CHECK_PRINTED(text_name(out, "\033[31mred\n", 0), "?[31mred?");
  CHECK_PRINTED(text_name(out,
                          "\xc2\x9b"
                          "31m",
                          0),
                "?31m");
  CHECK_PRINTED(text_name(out, "\xff\xfe", 0), "??");
  CHECK_PRINTED(text_name(out, "cut\xe2\x82", 0), "cut??");
}

static void lines_of_source(void) {
  CHECK_PRINTED(text_source(out, "\tx = 1;\t// one", 0), "        x = 1;  // one");
  CHECK_PRINTED(text_source(out, "12345678\t9", 12), "12345678 ...");
  CHECK_PRINTED(text_source(out, "a\033b", 0), "a?b");
  CHECK_PRINTED(text_source(out, "", 0), "");
}

static void characters(void) {
  CHECK_EQUAL(utf8_bytes("a"), 1);
  CHECK_EQUAL(utf8_bytes("\xc3\xa4"), 2);
  CHECK_EQUAL(utf8_bytes("\xe2\x82\xac"), 3);
  CHECK_EQUAL(utf8_bytes("\xf0\x9f\x98\x80"), 4);
  CHECK_EQUAL(utf8_bytes("\xc0\x80"), 0);         /* overlong */
  CHECK_EQUAL(utf8_bytes("\xe0\x80\x80"), 0);     /* overlong */
  CHECK_EQUAL(utf8_bytes("\xed\xa0\x80"), 0);     /* surrogate */
  CHECK_EQUAL(utf8_bytes("\xf4\x90\x80\x80"), 0); /* beyond Unicode */
  CHECK_EQUAL(utf8_bytes("\x80"), 0);
}

static void repaired_texts(void) {
  CHECK(!utf8_repaired("") && !utf8_repaired("\xe6\x97\xa5 a"));
  char *bytes = utf8_repaired("\xff\xfe a"), *cut = utf8_repaired("\xc3\xa4\xe2\x82");
  CHECK_TEXT(bytes, "\xef\xbf\xbd\xef\xbf\xbd a");
  CHECK_TEXT(cut, "\xc3\xa4\xef\xbf\xbd\xef\xbf\xbd");
  free(bytes);
  free(cut);
}

static void durations(void) {
  char text[DURATION_BYTES], estimate[ESTIMATE_BYTES];
  CHECK_TEXT(duration_text(0, text), "0 s");
  CHECK_TEXT(duration_text(5.94, text), "5.9 ns");
  CHECK_TEXT(duration_text(42, text), "42 ns");
  CHECK_TEXT(duration_text(1234, text), "1.23 us");
  CHECK_TEXT(duration_text(56789000, text), "56.8 ms");
  CHECK_TEXT(duration_text(999600000, text), "1.000 s");
  CHECK_TEXT(duration_text(1234567890, text), "1.235 s");
  CHECK_TEXT(duration_text(4e12, text), "4000.0 s");
  CHECK_TEXT(estimate_text(0, 3900000, estimate), "0 s (at most 3.90 ms)");
  CHECK_TEXT(estimate_text(50000000, 1000000, estimate), "50.0 ms +- 1.00 ms");
}

static void columns(void) {
  struct time_unit unit = time_unit_for(2000000000);
  CHECK_TEXT(unit.name, "s");
  CHECK_PRINTED(text_time(out, unit, 1234567890, 8), "   1.235");
  struct estimate even = {9000000, 5000000, 13000000, 4000000};
  struct estimate lopsided = {9000000, 5000000, 20000000, 11000000};
  struct estimate none = {0, 0, 4000000, 4000000}, exact = {0, 0, 0, 0};
  CHECK_PRINTED(text_uncertainty(out, unit, even, 8), "   0.004");
  struct estimate few = {16800000, 219000, 93300000, 76500000};
  char text[QUANTITY_ESTIMATE_BYTES];
  CHECK_TEXT(quantity_estimate_text("bytes", few, text), "16.8 MB (219 kB..93.3 MB)");
  CHECK_TEXT(quantity_estimate_text("bytes", even, text), "9.00 MB +- 4.00 MB");
  CHECK_PRINTED(text_uncertainty(out, unit, lopsided, 14), "  0.005..0.020");
  CHECK_PRINTED(text_uncertainty(out, unit, lopsided, 12), "       0.011");
  CHECK_PRINTED(text_uncertainty(out, unit, none, 8), "  <0.004");
  CHECK_PRINTED(text_uncertainty(out, unit, exact, 8), "   0.000");
  CHECK_PRINTED(text_percent(out, 1, 3, 6), "  33.3");
  CHECK_PRINTED(text_percent(out, 1, 0, 6), "   0.0");
  CHECK_TEXT(time_unit_for(5000000).name, "ms");
  CHECK_TEXT(time_unit_for(5000).name, "us");
}

/* Many times a program's own time is a time, not a share. */
static void costs_of_profiling(void) {
  char text[COST_BYTES];
  CHECK_TEXT(cost_text((struct range){2000000, 2000000}, 200000000, text), "2.00 ms (1.0 %)");
  CHECK_TEXT(cost_text((struct range){0, 2000000}, 200000000, text), "0 to 2.00 ms (0.0 to 1.0 %)");
  CHECK_TEXT(cost_text((struct range){34000000, 34000000}, 1400000, text), "34.0 ms");
}

int main(void) {
  names();
  functions();
  hostile_names();
  lines_of_source();
  characters();
  repaired_texts();
  durations();
  columns();
  costs_of_profiling();
  return check_result();
}
