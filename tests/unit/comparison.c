/* Entries of two profiles are matched and compared; expressions can only read. */
#include "compare/comparison.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "compare/expression.h"
#include "small_profile.h"

/* The first row of a query as a text, its columns apart by blanks. */
static const char *answer(const char *sql) {
  static char text[512];
  sqlite3_stmt *statement = NULL;
  text[0] = '\0';
  if (workspace_prepare(&workspace, &statement, &error, "%s", sql) != 0) return error.text;
  if (sqlite3_step(statement) == SQLITE_ROW)
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
      const char *value = (const char *)sqlite3_column_text(statement, i);
      snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
               value ? value : "null");
    }
  sqlite3_finalize(statement);
  return text;
}

/* The pairs of the entries of both, as "a:b"; -: the profile has none. */
static const char *pairs(enum compared_kind kind) {
  static char text[512];
  struct entry_pairs pairs;
  text[0] = '\0';
  if (match_entries(&workspace, kind, 1, 2, &pairs, &error) != 0) return error.text;
  for (size_t i = 0; i < pairs.count; i++) {
    char sides[2][32] = {"-", "-"};
    if (pairs.items[i].a != ENTRY_NONE)
      snprintf(sides[0], sizeof sides[0], "%d", (int)pairs.items[i].a);
    if (pairs.items[i].b != ENTRY_NONE)
      snprintf(sides[1], sizeof sides[1], "%d", (int)pairs.items[i].b);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s:%s", i ? " " : "", sides[0],
             sides[1]);
  }
  entry_pairs_free(&pairs);
  return text;
}

/* Into the table `compared`. */
static int compare_kind(enum compared_kind kind, const char *expression, const char *fail_if) {
  const struct comparison comparison = {kind, 1, 2, expression, fail_if, NAN};
  struct compared all = {0};
  int result = comparison_run(&workspace, &comparison, &all, &error);
  if (result == 0) result = compared_table(&workspace, &all, NULL, 0, &error);
  compared_free(&all);
  return result;
}

static void matched_by_name_file_object(void) {
  profile_with(
      0, evidence_sampled,
      FUNCTION(1, "main", 1, 10, 1, 1, 0, 0) FUNCTION(2, "same", 1, 20, 1, 1, 0, 0)
          FUNCTION(3, "same", 2, 5, 1, 1, 0, 0) FUNCTION(4, "twice", 1, 30, 1, 1, 0, 0)
              FUNCTION(5, "twice", 1, 40, 1, 1, 0, 0) FUNCTION(6, "moved", 1, 50, 1, 1, 0, 0)
                  FUNCTION(7, "gone", 1, 60, 1, 1, 0, 0) FUNCTION(8, "lone", NULL, 0, NULL, 1, 0, 0)
                      FUNCTION(9, "pair", NULL, 0, NULL, 1, 0, 0));
  profile_with(
      1, evidence_sampled,
      FUNCTION(1, "same", 2, 7, 1, 1, 0, 0) FUNCTION(2, "same", 1, 25, 1, 1, 0, 0)
          FUNCTION(3, "twice", 1, 45, 1, 1, 0, 0) FUNCTION(4, "twice", 1, 33, 1, 1, 0, 0)
              FUNCTION(5, "moved", 3, 9, 2, 1, 0, 0) FUNCTION(6, "main", 1, 10, 1, 1, 0, 0)
                  FUNCTION(7, "new", 1, 60, 1, 1, 0, 0) FUNCTION(8, "lone", 2, 3, 1, 1, 0, 0)
                      FUNCTION(9, "pair", 1, 3, 1, 1, 0, 0) FUNCTION(10, "pair", 2, 3, 1, 1, 0, 0));
  open_both();
  CHECK_TEXT(pairs(ENTRY_FUNCTIONS), "1:6 2:2 3:1 4:4 5:3 6:5 7:- 8:8 9:- -:7 -:9 -:10");
  CHECK_TEXT(pairs(ENTRY_FUNCTIONS), "1:6 2:2 3:1 4:4 5:3 6:5 7:- 8:8 9:- -:7 -:9 -:10");
  CHECK_TEXT(answer("SELECT count(*) FROM pair"), "12");
  close_both();
}

static void arcs_and_lines_follow_functions(void) {
  static const char functions[] =
      FUNCTION(1, "main", 1, 10, 1, 1, 0, 0) FUNCTION(2, "f", 1, 20, 1, 1, 0, 0);
  static const char swapped[] =
      FUNCTION(1, "f", 1, 20, 1, 1, 0, 0) FUNCTION(2, "main", 1, 10, 1, 1, 0, 0);
  char rows[2][1024];
  snprintf(rows[0], sizeof rows[0],
           "%sINSERT INTO raw_arcs VALUES(NULL, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL),"
           " (1, 2, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL);"
           "INSERT INTO raw_lines VALUES(1, 2, 1, 21, 1, 5, 1, 1, NULL, NULL, NULL, NULL);",
           functions);
  snprintf(rows[1], sizeof rows[1],
           "%sINSERT INTO raw_arcs VALUES(2, 1, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL),"
           " (NULL, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL);"
           "INSERT INTO raw_lines VALUES(1, 1, 1, 21, 1, 5, 1, 1, NULL, NULL, NULL, NULL);",
           swapped);
  profile_with(0, evidence_sampled, rows[0]);
  profile_with(1, evidence_sampled, rows[1]);
  open_both();
  CHECK_TEXT(pairs(ENTRY_ARCS), "1:2 2:1");
  CHECK_TEXT(pairs(ENTRY_LINES), "1:1");
  close_both();
}

/* Several of one key pair by line; what one profile has more of stands alone, and so does what has
 * another file. */
static void call_sites_by_line(void) {
  static const char functions[] =
      FUNCTION(1, "main", 1, 10, 1, 1, 0, 0) FUNCTION(2, "f", 1, 20, 1, 1, 0, 0);
  char rows[2][1024];
  snprintf(rows[0], sizeof rows[0],
           "%sINSERT INTO raw_sites VALUES(1, 1, 2, NULL, 1, 0, 1, 15, 0, 0, 0, NULL, 3),"
           " (2, 1, 2, NULL, 1, 0, 1, 12, 0, 0, 0, NULL, 4), (3, 1, 2, NULL, 1, 0, 2, 12, 0, 0, 0, "
           "NULL, 4),"
           " (4, NULL, 2, NULL, NULL, 0, NULL, 0, 0, 0, 0, NULL, 1);",
           functions);
  snprintf(rows[1], sizeof rows[1],
           "%sINSERT INTO raw_sites VALUES(5, 1, 2, NULL, 1, 0, 3, 13, 0, 0, 0, NULL, 5),"
           " (7, 1, 2, NULL, 1, 0, 3, 18, 0, 0, 0, NULL, 6), (8, 1, 2, NULL, 1, 0, 3, 19, 0, 0, 0, "
           "NULL, 7),"
           " (9, NULL, 2, NULL, NULL, 0, NULL, 0, 0, 0, 0, NULL, 1);",
           functions);
  profile_with(0, evidence_sampled, rows[0]);
  profile_with(1, evidence_sampled, rows[1]);
  open_both();
  CHECK_TEXT(pairs(ENTRY_SITES), "1:7 2:5 3:- 4:9 -:8");
  close_both();
}

/* The text of a.c was edited between the runs: line 2 is line 3 now, line 3 is gone. */
static void lines_of_edited_texts(void) {
  static const char functions[] = FUNCTION(1, "f", 1, 1, 1, 1, 0, 0);
  char rows[2][1024];
  snprintf(rows[0], sizeof rows[0],
           "%sINSERT INTO raw_sources VALUES('/one/src/a.c', 'f() {' || char(10) || 'work();' ||"
           " char(10) || 'old();' || char(10) || '}', 0);"
           "INSERT INTO raw_lines VALUES(1, 1, 1, 2, 1, 5, 1, 1, NULL, NULL, NULL, NULL),"
           " (2, 1, 1, 3, 1, 6, 1, 1, NULL, NULL, NULL, NULL);",
           functions);
  snprintf(rows[1], sizeof rows[1],
           "%sINSERT INTO raw_sources VALUES('/one/src/a.c', 'f() {' || char(10) || 'more();' ||"
           " char(10) || 'work();' || char(10) || '}', 0);"
           "INSERT INTO raw_lines VALUES(1, 1, 1, 2, 1, 7, 1, 1, NULL, NULL, NULL, NULL),"
           " (2, 1, 1, 3, 1, 8, 1, 1, NULL, NULL, NULL, NULL);",
           functions);
  profile_with(0, evidence_sampled, rows[0]);
  profile_with(1, evidence_sampled, rows[1]);
  open_both();
  CHECK_TEXT(pairs(ENTRY_LINES), "1:2 2:- -:1");
  close_both();
}

#define SITE(id, line, offset, calls)                                                              \
  "INSERT INTO raw_sites VALUES(" #id ", 1, 2, 1, 1, " #offset ", 1, " #line                       \
  ", 0, 0, 0, NULL, " #calls ");"
#define SITE_FUNCTIONS                                                                             \
  FUNCTION(1, "main", 1, 1, 1, 1, 0, 0)                                                            \
  FUNCTION(2, "f", 1, 90, 1, 1, 0, 0)
#define TEXT_OF(lines) "INSERT INTO raw_sources VALUES('/one/src/a.c', '" lines "', 0);"
#define BUILD(id) "UPDATE raw_objects SET build_id = '" id "' WHERE id = 1;"

/* A site that one run did not come to is no other one: neither another line's of the same text, nor
 * another call's of the same line, which its code tells. */
static void sites_that_one_run_lacks(void) {
  static const char text[] = TEXT_OF("main() {\n f();\n f(); f();\n}\n");
  static const char here[] = SITE_FUNCTIONS SITE(1, 2, 100, 5) SITE(2, 3, 120, 6);
  static const char there[] = SITE_FUNCTIONS SITE(1, 3, 120, 7) SITE(2, 3, 110, 8);
  char rows[2][2048];
  snprintf(rows[0], sizeof rows[0], "%s%s" BUILD("abcd"), here, text);
  snprintf(rows[1], sizeof rows[1], "%s%s" BUILD("abcd"), there, text);
  profile_with(0, evidence_sampled, rows[0]);
  profile_with(1, evidence_sampled, rows[1]);
  open_both();
  CHECK_TEXT(pairs(ENTRY_SITES), "1:- 2:1 -:2");
  close_both();
  snprintf(rows[1], sizeof rows[1], "%s%s" BUILD("ef01"), there, text); /* code says nothing */
  profile_with(0, evidence_sampled, rows[0]);
  profile_with(1, evidence_sampled, rows[1]);
  open_both();
  CHECK_TEXT(pairs(ENTRY_SITES), "1:- 2:1 -:2");
  close_both();
}

/* Functions and sites of one line that stand in another order in the other profile. */
static void columns_tell_apart(void) {
  static const char to[] = "UPDATE raw_functions SET source_column = %d WHERE id = 3;"
                           "UPDATE raw_functions SET source_column = %d WHERE id = 4;"
                           "UPDATE raw_sites SET source_column = %d WHERE id = 1;"
                           "UPDATE raw_sites SET source_column = %d WHERE id = 2;";
  char rows[2][2048];
  for (int side = 0; side < 2; side++) {
    int first = side ? 30 : 20, second = side ? 20 : 30;
    int length =
        snprintf(rows[side], sizeof rows[side], "%s",
                 SITE_FUNCTIONS FUNCTION(3, "g", 1, 95, 1, 1, 0, 0)
                     FUNCTION(4, "g", 1, 95, 1, 1, 0, 0) SITE(1, 2, 0, 5) SITE(2, 2, 0, 6));
    snprintf(rows[side] + length, sizeof rows[side] - length, to, first, second, first, second);
    profile_with(side, evidence_sampled, rows[side]);
  }
  open_both();
  CHECK_TEXT(pairs(ENTRY_FUNCTIONS), "1:1 2:2 3:4 4:3");
  CHECK_TEXT(pairs(ENTRY_SITES), "1:2 2:1");
  close_both();
}

#define PLACED(id, name, line, column)                                                             \
  FUNCTION(id, name, 1, line, 1, 1, 0, 0)                                                          \
  "UPDATE raw_functions SET source_column = " #column " WHERE id = " #id ";"

/* Of functions with columns, one of the same name at another place is another; unless its line was
 * edited. */
static void places_tell_apart(void) {
  profile_with(0, evidence_sampled,
               PLACED(1, "loop", 1, 4) PLACED(2, "loop", 2, 4) PLACED(3, "f", 3, 1)
                   TEXT_OF("(a (loop\n(b (loop\n(f\n"));
  profile_with(1, evidence_sampled,
               PLACED(1, "loop", 2, 4) PLACED(2, "f", 3, 1) TEXT_OF("(a (loop\n(b (loop\n(f\n"));
  open_both();
  CHECK_TEXT(pairs(ENTRY_FUNCTIONS), "1:- 2:1 3:2");
  close_both();
  profile_with(0, evidence_sampled,
               PLACED(1, "loop", 1, 4) PLACED(2, "loop", 2, 4) PLACED(3, "f", 3, 1)
                   TEXT_OF("(a (loop\n(b (loop\n(f\n"));
  profile_with(1, evidence_sampled,
               PLACED(1, "f", 4, 1) PLACED(2, "loop", 3, 4)
                   TEXT_OF("(new)\n(a (loop\n(b (loop\n(f x\n"));
  open_both();
  CHECK_TEXT(pairs(ENTRY_FUNCTIONS), "1:- 2:2 3:1");
  close_both();
}

/* Line 2 was edited and has moved to line 3; line 3 has moved to line 4. */
static void sites_of_edited_lines(void) {
  profile_with(0, evidence_sampled,
               SITE_FUNCTIONS SITE(1, 2, 100, 5) SITE(2, 3, 120, 6)
                   TEXT_OF("main() {\n f(1);\n f(2);\n}\n") BUILD("abcd"));
  profile_with(1, evidence_sampled,
               SITE_FUNCTIONS SITE(1, 4, 100, 7) SITE(2, 3, 110, 8)
                   TEXT_OF("main() {\n int i;\n f(i);\n f(2);\n}\n") BUILD("ef01"));
  open_both();
  CHECK_TEXT(pairs(ENTRY_SITES), "1:2 2:1");
  close_both();
}

/* Without texts, of other builds: by line, and what remains in the order of lines. */
static void sites_without_texts(void) {
  profile_with(0, evidence_sampled,
               SITE_FUNCTIONS SITE(1, 12, 100, 5) SITE(2, 13, 120, 6) SITE(3, 20, 140, 7));
  profile_with(1, evidence_sampled, SITE_FUNCTIONS SITE(1, 20, 100, 5) SITE(2, 14, 120, 6));
  open_both();
  CHECK_TEXT(pairs(ENTRY_SITES), "1:2 2:- 3:1");
  close_both();
}

#define RANGE(id, line, column, end_line, end_column, way, kind, count)                            \
  "INSERT INTO raw_expressions VALUES(" #id ", 1, 1, " #line ", " #column ", " #end_line           \
  ", " #end_column ", " #way ", " #kind ", " #count ", NULL, 0, 0, 0, 0, 0);"

/* The loop was moved into a block: it begins a line later, two columns further right. The range
 * around all of it ends later, its second line is new. */
static void expressions_of_edited_texts(void) {
  profile_with(0, evidence_sampled,
               FUNCTION(1, "f", 1, 1, 1, 1, 0, 0) RANGE(1, 1, 5, 4, 2, 0, 0, 1)
                   RANGE(2, 2, 3, 2, 8, 0, 0, 10) RANGE(3, 2, 10, 2, 14, 0, 1, 9)
                       RANGE(4, 2, 10, 2, 14, 1, 1, 1) RANGE(5, 3, 3, 3, 7, 0, 0, 1)
                           TEXT_OF("f() {\n  while(more)\n  old();\n}\n"));
  profile_with(1, evidence_sampled,
               FUNCTION(1, "f", 1, 1, 1, 1, 0, 0) RANGE(1, 2, 3, 2, 6, 0, 0, 2)
                   RANGE(2, 3, 5, 3, 10, 0, 0, 30) RANGE(3, 3, 12, 3, 16, 1, 1, 2)
                       RANGE(4, 3, 12, 3, 16, 0, 1, 28) RANGE(5, 1, 5, 5, 2, 0, 0, 2)
                           TEXT_OF("f() {\n  if(a) {\n    while(more)\n  }\n}\n"));
  open_both();
  CHECK_TEXT(pairs(ENTRY_EXPRESSIONS), "1:5 2:2 3:4 4:3 5:- -:1");
  CHECK_EQUAL(compare_kind(ENTRY_EXPRESSIONS, "b.calls - a.calls", NULL), 0);
  CHECK_TEXT(answer("SELECT group_concat(value, ' ') FROM"
                    " (SELECT value FROM compared ORDER BY a IS NULL, a)"),
             "1.0 20.0 19.0 1.0 -1.0 2.0");
  CHECK_TEXT(answer("SELECT sum(stands_out) FROM compared"), "6");
  close_both();
}

#define LINE_COUNT(id, line, state, count)                                                         \
  "INSERT INTO raw_line_counts VALUES(" #id ", 1, " #line ", 1, " #state ", " #count ", " #count   \
  ");"

/* With time or without; what ticks met and counts do not know; the text of macros is no code. */
static void lines_that_are_executed(void) {
  static const char rows[] = FUNCTION(1, "f", 1, 1, 1, 1, 0, 0) LINE_COUNT(1, 2, 0, 11)
      LINE_COUNT(2, 3, 0, 7) LINE_COUNT(3, 4, 1, 0) LINE_COUNT(4, 5, 2, 9) LINE_COUNT(
          5, 6, 3,
          0) "INSERT INTO raw_lines VALUES(1, 1, 1, 2, 1, 5, 1, 1, NULL, NULL, NULL, NULL),"
             " (2, 1, 1, 4, 1, 5, 1, 1, NULL, NULL, NULL, NULL);";
  profile_with(0, evidence_sampled, rows);
  profile_with(1, evidence_sampled, rows);
  open_both();
  CHECK_TEXT(pairs(ENTRY_LINES), "-2:-2 1:1 2:2");
  CHECK_EQUAL(entries_copy(&workspace, 1, ENTRY_LINES, &error), 0);
  CHECK_TEXT(answer("SELECT group_concat(line || ' ' || coalesce(calls, '?'), ', ') FROM"
                    " (SELECT * FROM entry WHERE kind = 3 AND profile = 1 ORDER BY line)"),
             "2 11.0, 3 7.0, 4 ?");
  close_both();
}

/* ---- values ---- */

static void two_sampled(void) {
  profile_with(0, evidence_sampled,
               FUNCTION(1, "slower", 1, 10, 1, 10, 100000000, 10000000)
                   FUNCTION(2, "noise", 1, 20, 1, 20, 100000000, 10000000)
                       FUNCTION(3, "unknown", 1, 30, 1, 30, 100000000, NULL)
                           FUNCTION(4, "gone", 1, 40, 1, 40, 100000000, 10000000));
  profile_with(1, evidence_sampled,
               FUNCTION(1, "slower", 1, 10, 1, 25, 300000000, 10000000)
                   FUNCTION(2, "noise", 1, 20, 1, 20, 110000000, 10000000)
                       FUNCTION(3, "unknown", 1, 30, 1, 30, 200000000, 10000000));
}

static const char *compared(const char *expression, const char *fail_if, const char *columns) {
  static char sql[256];
  if (compare_kind(ENTRY_FUNCTIONS, expression, fail_if) != 0) return error.text;
  snprintf(sql, sizeof sql,
           "SELECT group_concat(t, '; ') FROM (SELECT %s AS t FROM compared ORDER BY a)", columns);
  return answer(sql);
}

#define VALUE "coalesce(round(value, 3), '-') || ' ' || coalesce(stands_out, '?')"

static void differences_and_ratios(void) {
  two_sampled();
  open_both();
  CHECK_TEXT(compared(NULL, NULL, VALUE), "0.2 1; 0.01 0; 0.1 ?; -0.1 1");
  CHECK_TEXT(answer("SELECT neutral FROM comparing"), "0.0");
  CHECK_TEXT(answer("SELECT round(high - value, 4) FROM compared WHERE a = 1"), "0.0234");
  CHECK_TEXT(compared("b.self / a.self", NULL, VALUE), "3.0 1; 1.1 0; 2.0 ?; 0.0 1");
  CHECK_TEXT(answer("SELECT neutral FROM comparing"), "1.0");
  CHECK_TEXT(compared("b.calls / a.calls", NULL, VALUE), "2.5 1; 1.0 0; 1.0 0; 0.0 1");
  CHECK_TEXT(compared("b.calls - 2 * a.calls", NULL, "value"), "5.0; -20.0; -30.0; -80.0");
  CHECK_TEXT(compared("a.name || b.present", NULL, VALUE), "- ?; - ?; - ?; - ?");
  close_both();
}

/* Columns that the statement does not name are not read: so all that it may name is. */
static void all_columns(void) {
  two_sampled();
  open_both();
  CHECK_TEXT(compared("A.CALLS + b.Recursive_Calls", NULL, "value"), "10.0; 20.0; 30.0; 40.0");
  CHECK_TEXT(compared("b.child + b.share", NULL, "round(value, 3)"), "0.3; 0.11; 0.2; 0.0");
  CHECK_TEXT(compared("b.total_share - \"a\".\"share\"", NULL, "round(value, 3)"),
             "0.2; 0.01; 0.1; -0.1");
  CHECK_TEXT(compared("b.self_uncertainty > 0", NULL, "value"), "1.0; 1.0; 1.0; 1.0");
  CHECK_TEXT(compared("b.ticks + b.total_ticks", NULL, "value"), "2.0; 2.0; 2.0; 0.0");
  CHECK_TEXT(compared("length(b.name) + b.present + b.line", NULL, "value"),
             "17.0; 26.0; 38.0; 44.0"); /* what b lacks has a's name and line */
  CHECK_TEXT(compared("(SELECT max(b.self, a.calls))", NULL, "value"), "10.0; 20.0; 30.0; 40.0");
  CHECK_TEXT(compared("length(a.object) + instr(b.file, 'a.c')", NULL, "value"),
             "19.0; 19.0; 19.0; 19.0");
  close_both();
}

/* What is compared by another expression has the same pairs, of another kind others. */
static void one_after_another(void) {
  two_sampled();
  open_both();
  struct comparison comparison = {ENTRY_FUNCTIONS, 1, 2, "b.calls / a.calls", NULL, NAN};
  struct compared all = {0};
  CHECK_EQUAL(comparison_run(&workspace, &comparison, &all, &error), 0);
  const struct entry_pair *pairs = all.pairs.items;
  CHECK_EQUAL(all.pairs.count, 4);
  CHECK_EQUAL(compared_find(&all, 3), 2);
  CHECK_EQUAL(compared_find(&all, 5), 4);
  CHECK_EQUAL(compared_find(&all, -1), 4);
  CHECK_EQUAL(compared_find(&all, ENTRY_NONE), 4);
  CHECK_EQUAL(all.neutral, 1);
  comparison.expression = "b.nothing";
  CHECK_EQUAL(comparison_run(&workspace, &comparison, &all, &error), -1);
  comparison.expression = "b.calls - a.calls";
  CHECK_EQUAL(comparison_run(&workspace, &comparison, &all, &error), 0);
  CHECK(all.pairs.items == pairs);
  CHECK_EQUAL(all.neutral, 0);
  comparison.kind = ENTRY_ARCS;
  CHECK_EQUAL(comparison_run(&workspace, &comparison, &all, &error), 0);
  CHECK_EQUAL(all.pairs.count, 0);
  compared_free(&all);
  close_both();
}

/* A condition holds only where all within the intervals fulfils it; where nothing is known, no. */
static void conditions(void) {
  two_sampled();
  open_both();
  CHECK_TEXT(compared(NULL, "b.self > 2 * a.self", "failed"), "1; 0; 0; 0");
  CHECK_TEXT(compared(NULL, "b.self > a.self", "failed"), "1; 0; 0; 0");
  CHECK_TEXT(compared(NULL, "b.self < 2.8 * a.self and b.present", "failed"), "0; 1; 0; 0");
  CHECK_TEXT(compared(NULL, "a.calls > 15", "failed"), "0; 1; 1; 1");
  close_both();
}

/* What only a profile that counts has, the other, which counts nothing, may have called, too. */
static void uncounted_is_not_zero(void) {
  profile_with(0, evidence_sampled,
               "INSERT INTO raw_functions VALUES(1, 'f', NULL, 1, 1, 0, 0, 0, 1, 0, 1, 0, NULL, "
               "NULL, 5, 4, 6, 1,"
               " 5, 4, 6, 1, NULL, NULL, 1);");
  profile_with(1, evidence_sampled, FUNCTION(1, "g", 1, 10, 1, 7, 0, 0));
  open_both();
  CHECK_TEXT(compared("b.calls - a.calls", "b.calls > a.calls",
                      "coalesce(value, '-') || ' ' || coalesce(failed, '-')"),
             "- -; - -");
  close_both();
}

/* Differences that are all 0 are no ratios. */
static void no_difference(void) {
  two_sampled();
  open_both();
  CHECK_TEXT(compared("a.calls - a.calls", NULL, VALUE), "0.0 0; 0.0 0; 0.0 0; 0.0 0");
  CHECK_TEXT(answer("SELECT neutral FROM comparing"), "0.0");
  close_both();
}

/* What one profile lacks is there as uncertain as what no tick met: here by more than its ticks
 * tell, as user time was split from the kernel's by them. */
static void lacking_is_uncertain(void) {
  static const char unmet[] =
      "INSERT INTO raw_functions VALUES(1, 'main', NULL, 1, 1, 0, 0, 0, 1, 0, 1, 0, 1,"
      " 0, 0, 0, 2179000, 0, 0, 0, 2179000, 0, NULL, NULL, 1);";
  profile_with(0, evidence_sampled, unmet);
  profile_with(1, evidence_sampled,
               FUNCTION(1, "main", 1, 1, 1, 1, 2213849, 1383141)
                   FUNCTION(2, "propagate", 1, 9, 1, 1, 2213849, 1383141));
  open_both();
  CHECK_TEXT(compared(NULL, NULL, "stands_out"), "0; 0");
  CHECK_TEXT(answer("SELECT unseen FROM profile WHERE id = 1"), "0.002179");
  close_both();
}

static void counted_is_exact(void) {
  profile_with(0,
               "INSERT INTO raw_metrics VALUES(1, 'Ir', 'Ir', 3, 1, 0, 0, 0);"
               " INSERT INTO raw_origin VALUES('callgrind', NULL)",
               FUNCTION(1, "f", 1, 10, 1, 1, 1000, 0) FUNCTION(2, "g", 1, 20, 1, 1, 5, 0));
  profile_with(1,
               "INSERT INTO raw_metrics VALUES(1, 'Ir', 'Ir', 3, 1, 0, 0, 0);"
               " INSERT INTO raw_origin VALUES('callgrind', NULL)",
               FUNCTION(1, "f", 1, 10, 1, 1, 1001, 0));
  open_both();
  CHECK_TEXT(compared(NULL, NULL, VALUE), "1.0 1; -5.0 1");
  close_both();
}

/* ---- what users type ---- */

static void refused(const char *expression, const char *part) {
  const char *text = compared(expression, NULL, "value");
  if (!strstr(text, part)) printf("%s:\n  ", expression);
  CHECK_CONTAINS(text, part);
}

static void bad_expressions(void) {
  two_sampled();
  open_both();
  CHECK_TEXT(compared(NULL, NULL, "a"), "1; 2; 3; 4"); /* there are tables */
  refused("", "is empty");
  refused("b.self - a.selv", "no such column: a.selv");
  refused("self", "self of which profile: a.self or b.self?");
  refused("b.name = work", "no such column: work (names begin with a. or b.");
  refused("b.self -", "something is missing at its end");
  refused("(b.self - ) + 1", "or before a )");
  refused("a.self; DROP TABLE entry", "; is not allowed");
  refused("a.self) FROM entry --", ") without (");
  refused("a.self -- all", "no comments");
  refused("(a.self", "( is not closed");
  refused("a.name = 'x", "' is not closed");
  refused("?1", "? is not allowed");
  refused("a.self, b.self", "only one expression");
  refused("sum(a.self)", "sum() cannot be used");
  refused("load_extension('x')", "load_extension() cannot be used");
  refused("zeroblob(1000000000)", "zeroblob() cannot be used");
  CHECK_TEXT(compared("b.calls", "b.calls > b.cals", "value"),
             "b.calls > b.cals: no such column: b.cals");
  refused("(SELECT count(*) FROM p1.functions)", "prohibited");
  refused("(SELECT max(name) FROM sqlite_schema)", "prohibited");
  refused("(WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n FROM r) SELECT max(n) FROM r)",
          "not authorized");
  CHECK_TEXT(answer("SELECT count(*) > 0 FROM entry"), "1");
  CHECK_EQUAL(expression_check("a.name = 'it''s (' AND [a.b] <> \")\"", &error), 0);
  close_both();
}

static void amounts(void) {
  CHECK(expression_is_amount("b.self - a.self"));
  CHECK(expression_is_amount("b.total-2*(a.total + a.child / 3)"));
  CHECK(expression_is_amount("-a.self * 1.5"));
  CHECK(!expression_is_amount("b.self / a.self"));
  CHECK(!expression_is_amount("b.self * a.self"));
  CHECK(!expression_is_amount("b.self - 1"));
  CHECK(!expression_is_amount("1 / a.self * 2"));
  CHECK(!expression_is_amount("2 / 3 * a.calls"));
  CHECK(!expression_is_amount("b.self > a.self"));
  CHECK(!expression_is_amount("max(b.self, a.self)"));
  CHECK(!expression_is_amount("b.selfish"));
  CHECK(!expression_is_amount("3 * 4"));
  CHECK(!expression_is_amount(""));
}

static void no_profiles(void) {
  two_sampled();
  CHECK_EQUAL(workspace_open(&workspace, &error), 0);
  CHECK_EQUAL(workspace_add(&workspace, "/nowhere.ascribe", &error), -1);
  CHECK_CONTAINS(error.text, "/nowhere.ascribe cannot be read");
  CHECK_EQUAL(workspace_add(&workspace, "/proc/self/exe", &error), -1);
  CHECK_CONTAINS(error.text, "is not an Ascribe profile");
  sqlite3 *database = NULL;
  sqlite3_open(paths[0], &database);
  execute(database, "PRAGMA user_version=99");
  sqlite3_close(database);
  CHECK_EQUAL(workspace_add(&workspace, paths[0], &error), -1);
  CHECK_CONTAINS(error.text, "made by a newer version of Ascribe (format 99");
  CHECK_EQUAL(workspace.count, 0);
  close_both();
}

/* What SQLite reads as a URI's parts are parts of a name. */
static void odd_path(void) {
  two_sampled();
  char odd[] = "compa%20r?mode=rwc&x#y.ascribe";
  rename(paths[0], odd);
  CHECK_EQUAL(workspace_open(&workspace, &error), 0);
  CHECK_EQUAL(workspace_add(&workspace, odd, &error), 0);
  unlink(odd);
  close_both();
}

int main(void) {
  matched_by_name_file_object();
  arcs_and_lines_follow_functions();
  call_sites_by_line();
  lines_of_edited_texts();
  sites_that_one_run_lacks();
  columns_tell_apart();
  places_tell_apart();
  sites_of_edited_lines();
  sites_without_texts();
  expressions_of_edited_texts();
  lines_that_are_executed();
  uncounted_is_not_zero();
  differences_and_ratios();
  all_columns();
  one_after_another();
  conditions();
  no_difference();
  lacking_is_uncertain();
  counted_is_exact();
  bad_expressions();
  amounts();
  no_profiles();
  odd_path();
  return check_result();
}
