#include "view/listed_table.h"
#include "store/schema.h"

#include <string.h>

#define ARC_FIGURES                                                                                \
  "a.caller, a.callee, a.calls, a.out_self_ns, a.out_child_ns, a.in_self_ns, a.in_child_ns,"       \
  " a.in_ticks, " SCHEMA_UNCERTAINTY(                                                              \
      "a.in",                                                                                      \
      "(a.in_self_ns + a.in_child_ns)") " AS in_uncertainty_ns, a.tail_calls, a.doubtful_calls, "  \
                                        "a.in_self_ns + a.in_child_ns AS in_ns,"                   \
                                        " a.out_self_ns + a.out_child_ns AS out_ns, "              \
                                        "a.least_calls, a.most_calls, a.in_low_ns, a.in_high_ns"
#define LINE_FIGURES                                                                               \
  "l.function, l.self_ns, " SCHEMA_UNCERTAINTY(                                                    \
      "l.self",                                                                                    \
      "l.self_ns") " AS self_uncertainty_ns,"                                                      \
                   " l.self_ticks, l.total_ns,"                                                    \
                   " " SCHEMA_UNCERTAINTY("l.total",                                               \
                                          "l.total_ns") " AS total_uncertainty_ns, l.total_ticks," \
                                                        " l.self_low_ns, l.self_high_ns,"          \
                                                        " l.total_low_ns, l.total_high_ns"

#define FUNCTION_COLUMNS                                                                           \
  "id, name, kind, inlined, object, file, line, calls, recursive_calls, self_ns, self_low_ns,"     \
  " self_high_ns, self_ticks, total_ns, total_low_ns, total_high_ns, hooks_low_ns, hooks_high_ns," \
  " own, ratio_total_ns"
/* Beside the functions, so that shares add up to 100 %. */
#define UNATTRIBUTED_COLUMNS                                                                       \
  "NULL, name, 'unattributed', 'none', NULL, NULL, NULL, NULL, NULL, self_ns, self_low_ns,"        \
  " self_high_ns, self_ticks, NULL, NULL, NULL, NULL, NULL, 0, NULL"

/* The whole line: debug information says where an expression begins, but not where it ends. */
#define EXCERPT_LINE "excerpt(%1$d, file, line, 1, NULL, NULL)"

/* An expression that is a call has the time of that, and one that is a procedure the procedure's.
 */
#define EXPRESSION_RATIOS                                                                          \
  " LEFT JOIN (SELECT p.path AS file, s.line, s.source_column,"                                    \
  "  CAST(round(sum(" SCHEMA_RATIO_TOTAL ")) AS INTEGER) AS ratio_total_ns"                        \
  "  FROM p%1$d.raw_ratio_calls r CROSS JOIN p%1$d.raw_sites s CROSS JOIN p%1$d.raw_files p"       \
  "  WHERE s.caller = r.caller AND s.callee = r.callee AND p.id = s.file AND s.line > 0"           \
  "  GROUP BY s.file, s.line, s.source_column) c ON x.kind = 'code' AND c.file = x.file"           \
  "  AND c.line = x.line AND c.source_column = x.source_column"                                    \
  " LEFT JOIN (SELECT p.path AS file, f.line, f.source_column, f.end_line, f.end_column,"          \
  "  max(r.total_ns) AS ratio_total_ns FROM p%1$d.raw_ratio_totals r"                              \
  "  CROSS JOIN p%1$d.raw_functions f CROSS JOIN p%1$d.raw_files p"                                \
  "  WHERE f.id = r.function AND p.id = f.file AND f.end_line > 0 GROUP BY f.file, f.line,"        \
  "  f.source_column, f.end_line, f.end_column) f ON x.kind = 'code' AND f.file = x.file"          \
  "  AND f.line = x.line AND f.source_column = x.source_column AND f.end_line = x.end_line"        \
  "  AND f.end_column = x.end_column"

static const struct large_table large_arcs = {
    "arcs",
    "SELECT a.rowid AS id, " ARC_FIGURES " FROM p%1$d.raw_arcs a",
    {{"caller_name", "caller", NAMES_FUNCTION}, {"callee_name", "callee", NAMES_FUNCTION}}};
static const struct large_table large_sites = {
    "sites",
    "SELECT id, caller, callee, file, nullif(line, 0) AS line, calls, tail, in_doubt"
    " FROM p%1$d.raw_sites",
    {{"caller_name", "caller", NAMES_FUNCTION},
     {"callee_name", "callee", NAMES_FUNCTION},
     {"file", "file", NAMES_FILE}}};
static const struct large_table large_lines = {
    "lines",
    "SELECT l.id, l.file, nullif(l.line, 0) AS line, " LINE_FIGURES " FROM p%1$d.raw_lines l",
    {{"function_name", "function", NAMES_FUNCTION}, {"file", "file", NAMES_FILE}}};

/* The few arcs in cycles: profiles have no index of arcs. */
#define CYCLE_ARCS                                                                                 \
  "CREATE TABLE IF NOT EXISTS main.cycle_arcs%1$d AS SELECT caller, callee, calls,"                \
  " in_self_ns + in_child_ns AS in_ns, out_self_ns + out_child_ns AS out_ns FROM p%1$d.raw_arcs"   \
  " WHERE (caller, callee) IN (SELECT m.function, n.function FROM p%1$d.raw_cycle_functions m"     \
  "  JOIN p%1$d.raw_cycles c ON c.id = m.cycle JOIN p%1$d.raw_cycle_functions n"                   \
  "  ON n.cycle = m.cycle AND n.position = m.position %% c.functions + 1);"                        \
  "CREATE INDEX IF NOT EXISTS main.cycle_arc%1$d ON cycle_arcs%1$d(caller, callee)"

/* Lines and arcs have the numbers that comparisons give them (compare/entries.h). */
static const struct listed_table tables[] = {
    {"functions",
     "SELECT *, self_ns * 1.0 / nullif(calls, 0) AS call_ns,"
     " self_low_ns * 1.0 / nullif(calls, 0) AS call_low_ns,"
     " self_high_ns * 1.0 / nullif(calls, 0) AS call_high_ns FROM (SELECT " FUNCTION_COLUMNS
     " FROM p%1$d.functions UNION ALL SELECT " UNATTRIBUTED_COLUMNS " FROM p%1$d.unattributed)",
     "self_ns", "name || char(10) || coalesce(file, '') || char(10) || coalesce(object, '')",
     ENTRY_FUNCTIONS, NULL},
    {"arcs",
     "SELECT a.rowid AS id, coalesce(c.name, '<spontaneous>') AS caller_name,"
     " e.name AS callee_name, " ARC_FIGURES " FROM p%1$d.raw_arcs a"
     " LEFT JOIN p%1$d.raw_functions c ON c.id = a.caller"
     " JOIN p%1$d.raw_functions e ON e.id = a.callee",
     "in_ns", "caller_name || char(10) || callee_name", ENTRY_ARCS, &large_arcs},
    /* Of a source file, where the text is known. */
    {"file_sites", "SELECT * FROM p%1$d.call_sites", "calls",
     "caller_name || char(10) || callee_name", ENTRY_SITES, &large_sites},
    {"sites", "SELECT *, " EXCERPT_LINE " AS text FROM p%1$d.call_sites", "calls",
     "caller_name || char(10) || callee_name || char(10) || coalesce(file, '')", ENTRY_SITES,
     &large_sites},
    {"lines",
     "SELECT l.id, p.path AS file, nullif(l.line, 0) AS line, f.name AS function_name,"
     " " LINE_FIGURES ", excerpt(%1$d, p.path, l.line, 1, NULL, NULL) AS text"
     " FROM p%1$d.raw_lines l JOIN p%1$d.raw_functions f ON f.id = l.function"
     " LEFT JOIN p%1$d.raw_files p ON p.id = l.file",
     "self_ns", "function_name || char(10) || coalesce(file, '')", ENTRY_LINES, &large_lines},
    {"expressions",
     "SELECT x.*, coalesce(c.ratio_total_ns, f.ratio_total_ns) AS ratio_total_ns,"
     " excerpt(%1$d, x.file, x.line, x.source_column, x.end_line, x.end_column) AS text"
     " FROM p%1$d.expressions x" EXPRESSION_RATIOS,
     "count", "function_name || char(10) || file || char(10) || coalesce(text, '')",
     ENTRY_EXPRESSIONS, NULL},
    /* Outcomes of conditions and switches that never came, though the place was reached. */
    {"never",
     "SELECT x.id, x.file, x.line, x.source_column, x.function, x.function_name, x.kind, x.way,"
     " iif(x.kind = 'case', coalesce(x.label, 'a case'), iif(x.way %% 2, 'false', 'true'))"
     " AS outcome, x.reached,"
     " excerpt(%1$d, x.file, x.line, x.source_column, x.end_line, x.end_column) AS text"
     " FROM (SELECT *, sum(count) OVER (PARTITION BY file, line, source_column, end_line,"
     " end_column, function, kind, iif(kind = 'branch', way / 2, way)) AS reached"
     " FROM p%1$d.expressions WHERE kind IN ('branch', 'case')) x"
     " WHERE x.count = 0 AND x.reached > 0",
     "reached", "function_name || char(10) || file || char(10) || coalesce(text, '')", -1, NULL},
    /* Of a source file, where the text is known. */
    {"file_expressions",
     "SELECT id, file, line, source_column, end_line, end_column, function, function_name, kind,"
     " way, count, label, label_line FROM p%1$d.expressions",
     "count", "function_name || char(10) || file", ENTRY_EXPRESSIONS, NULL},
    {"source_lines", "SELECT * FROM p%1$d.source_lines", "executions", "file", -1, NULL},
    {"copies", "SELECT * FROM p%1$d.copies", "count",
     "within_name || char(10) || coalesce(through, '') || char(10) || file", -1, NULL},
    {"places",
     "SELECT file, line, source_column, function, function_name, sum(self_ns) AS self_ns,"
     " sum(self_ticks) AS self_ticks, count(*) AS instructions, " EXCERPT_LINE
     " AS text FROM p%1$d.instructions GROUP BY file, line, source_column, function",
     "self_ns", "function_name || char(10) || coalesce(file, '') || char(10) || coalesce(text, '')",
     -1, NULL},
    {"files",
     "SELECT s.path AS file, s.newer, coalesce(l.self_ns, 0) AS self_ns,"
     " coalesce(l.self_ticks, 0) AS self_ticks, c.lines, c.executed_lines,"
     " c.executed_lines * 1.0 / nullif(c.lines, 0) AS line_share, b.branches, b.taken_branches,"
     " b.taken_branches * 1.0 / b.branches AS branch_share FROM p%1$d.sources s LEFT JOIN"
     " (SELECT file, count(*) AS lines, count(nullif(executions, 0)) AS executed_lines"
     "  FROM p%1$d.source_lines WHERE kind IN ('code', 'unknown') GROUP BY file) c"
     " ON c.file = s.path LEFT JOIN"
     " (SELECT file, count(*) AS branches, count(nullif(count, 0)) AS taken_branches"
     "  FROM p%1$d.expressions WHERE kind = 'branch' OR kind = 'case' AND label IS NOT NULL GROUP "
     "BY file) b"
     " ON b.file = s.path LEFT JOIN"
     " (SELECT p.path AS file, sum(self_ns) AS self_ns, sum(self_ticks) AS self_ticks"
     "  FROM p%1$d.raw_lines l JOIN p%1$d.raw_files p ON p.id = l.file GROUP BY l.file) l"
     " ON l.file = s.path",
     "self_ns", "file", -1, NULL},
    {"objects",
     "SELECT o.id, o.path, o.build_id, o.message, o.uncounted, o.counted, coalesce(f.self_ns, 0) "
     "AS self_ns,"
     " f.self_ticks, f.functions FROM p%1$d.objects o LEFT JOIN"
     " (SELECT object, sum(self_ns) AS self_ns, sum(self_ticks) AS self_ticks,"
     "  count(*) AS functions FROM p%1$d.functions GROUP BY object) f ON f.object = o.path",
     "self_ns", "path", -1, NULL},
    {"messages", "SELECT * FROM p%1$d.messages", "elapsed_ns",
     "call || char(10) || coalesce(function_name, '') || char(10) || coalesce(file, '')", -1, NULL},
    {"message_matrix", "SELECT * FROM p%1$d.message_matrix", "sent_bytes",
     "rank || char(10) || partner", -1, NULL},
    /* Calls of MPI from a line, of all ranks together. */
    {"message_sites",
     "SELECT call, kind, function, function_name, file, line, sum(calls) AS calls,"
     " sum(sent) AS sent, sum(sent_bytes) AS sent_bytes, sum(received) AS received,"
     " sum(received_bytes) AS received_bytes, sum(elapsed_ns) AS elapsed_ns,"
     " min(least_ns) AS least_ns FROM p%1$d.messages GROUP BY call, function, file, line",
     "elapsed_ns",
     "call || char(10) || coalesce(function_name, '') || char(10) || coalesce(file, '')", -1, NULL},
    {"possible",
     "SELECT k.site AS id, s.caller, s.callee, s.caller_name, s.callee_name, s.file, s.line,"
     " coalesce(k.fixed, k.estimate) AS calls, k.fixed, k.least AS least_calls,"
     " k.most AS most_calls FROM p%1$d.raw_possible_calls k"
     " JOIN p%1$d.call_sites s ON s.id = k.site",
     "calls", "caller_name || char(10) || callee_name", -1, NULL},
    {"cycles",
     "SELECT c.*, (SELECT group_concat(name, char(10)) FROM (SELECT coalesce(f.name, '...') AS name"
     " FROM p%1$d.raw_cycle_functions m LEFT JOIN p%1$d.raw_functions f ON f.id = m.function"
     " WHERE m.cycle = c.id ORDER BY m.position)) AS names FROM p%1$d.cycles c",
     "calls", "names", -1, NULL},
    {"cycle_functions",
     "SELECT m.cycle, m.position, m.function, coalesce(f.name, '...') AS function_name,"
     " n.function AS next, coalesce(g.name, '...') AS next_name, a.calls, a.in_ns, a.out_ns,"
     " f.self_ns, f.total_ns"
     " FROM p%1$d.raw_cycle_functions m JOIN p%1$d.raw_cycles c ON c.id = m.cycle"
     " JOIN p%1$d.raw_cycle_functions n ON n.cycle = m.cycle"
     "  AND n.position = m.position %% c.functions + 1"
     " LEFT JOIN p%1$d.raw_functions f ON f.id = m.function"
     " LEFT JOIN p%1$d.raw_functions g ON g.id = n.function"
     " LEFT JOIN main.cycle_arcs%1$d a ON a.caller = m.function AND a.callee = n.function",
     "position", "function_name", -1, NULL, CYCLE_ARCS},
    {"in_cycles", "SELECT * FROM p%1$d.cycle_functions", "cycle", "function_name", -1, NULL},
};

const struct listed_table *listed_table_named(const char *name) {
  for (size_t i = 0; name && i < sizeof tables / sizeof *tables; i++)
    if (strcmp(tables[i].name, name) == 0) return &tables[i];
  return NULL;
}
