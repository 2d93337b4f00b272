/* What is compared: functions, arcs, call sites, lines, expressions, kinds of memory and places
 * that allocate of a profile, as rows of one table. */
#ifndef ASCRIBE_COMPARE_ENTRIES_H
#define ASCRIBE_COMPARE_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

#include "compare/workspace.h"

enum compared_kind {
  ENTRY_FUNCTIONS,
  ENTRY_ARCS,
  ENTRY_SITES,
  ENTRY_LINES,
  ENTRY_EXPRESSIONS,
  ENTRY_MEMORY, /* kinds of it; of a heap metric */
  ENTRY_PLACES, /* that allocate; of a heap metric */
  ENTRY_KINDS
};

/* Whether the entries have the figures of one of the heap's metrics, and as calls allocations. */
static inline bool entry_is_of_heap(enum compared_kind kind) {
  return kind == ENTRY_MEMORY || kind == ENTRY_PLACES;
}

/* "functions", "arcs", "sites", "lines", "expressions", "kinds", "places". */
extern const char *const entry_kind_names[ENTRY_KINDS];

/* False: there is no such kind. */
bool entry_kind_named(const char *name, enum compared_kind *kind);

/* SQL: how often lines were executed, of each function, with the profile's number for each %1$d. */
#define ENTRY_EXECUTED                                                                             \
  "(SELECT id, file, line, function, CASE state WHEN 0 THEN count END AS count"                    \
  " FROM p%1$d.raw_line_counts WHERE state < 2)"

/* SQL: the kinds of memory, or the places that allocate (with their lines l), if the profile's
 * first metric is one of the heap's: what of it each of them has, as `own`, with its bounds; and
 * its allocations, if they were counted. Closures of a language host have metrics of their own;
 * those of one kind and description are one entry. */
#define ENTRY_OF_KIND(end)                                                                         \
  " CASE m.name WHEN 'allocated' THEN k.allocated" end                                             \
  " WHEN 'allocations' THEN k.allocations" end " WHEN 'temporary' THEN k.temporary" end            \
  " WHEN 'peak' THEN k.peak" end " WHEN 'live' THEN k.live" end " END"
#define ENTRY_OF_HEAP(columns, table, join)                                                        \
  "(SELECT k.id, " columns ", iif(m.evidence = 1, k.allocations, NULL) AS calls,"                  \
  " CASE m.name WHEN 'allocated' THEN k.allocated_bytes WHEN 'allocations' THEN k.allocations"     \
  " WHEN 'temporary' THEN k.temporary WHEN 'peak' THEN k.peak_bytes"                               \
  " WHEN 'live' THEN k.live_bytes END AS own," ENTRY_OF_KIND("_low") " AS low," ENTRY_OF_KIND(     \
      "_high") " AS high FROM p%1$d." table " k JOIN p%1$d.raw_metrics m"                          \
               " ON m.id = 1 AND m.kind = 4 " join " WHERE own IS NOT NULL"
#define ENTRY_OF_CLOSURES                                                                          \
  " SELECT min(t.id), min(t.id), t.name, t.basis,"                                                 \
  " sum(iif(m.name = 'closures', c.raw_ns, NULL)) AS calls,"                                       \
  " sum(iif(m.id = 1, c.raw_ns, NULL)) AS own, sum(iif(m.id = 1, c.raw_ns, NULL)),"                \
  " sum(iif(m.id = 1, c.raw_ns, NULL)) FROM p%1$d.raw_metrics m"                                   \
  " JOIN p%1$d.raw_ticks c ON c.metric = m.id JOIN p%1$d.raw_kinds t"                              \
  " ON t.id = c.kind AND t.basis > 4 WHERE m.kind = 4"                                             \
  " GROUP BY t.basis, t.name HAVING own IS NOT NULL"
#define ENTRY_OF_KINDS                                                                             \
  ENTRY_OF_HEAP("k.kind, t.name, t.basis", "raw_heap_kinds",                                       \
                "LEFT JOIN p%1$d.raw_kinds t ON t.id = k.kind")                                    \
  " UNION ALL" ENTRY_OF_CLOSURES ")"
#define ENTRY_OF_PLACES                                                                            \
  ENTRY_OF_HEAP("l.function, l.file, nullif(l.line, 0) AS line", "raw_allocation_sites",           \
                "JOIN p%1$d.raw_lines l ON l.id = k.line")                                         \
  ")"
#define ENTRY_WAY_OF_KIND                                                                          \
  " CASE basis WHEN 1 THEN 'named' WHEN 2 THEN 'type' WHEN 5 THEN 'constructor'"                   \
  " WHEN 6 THEN 'function' WHEN 7 THEN 'partial application' WHEN 8 THEN 'thunk'"                  \
  " ELSE 'unknown' END"
#define ENTRY_ORDER_OF_WAY "coalesce(nullif(instr('561782', basis), 0), 7)" /* by its text */
#define ENTRY_UNKNOWN "(unknown)" /* name of a kind that nobody named */

/* Prepare "SELECT `columns` FROM (the entries) AS e `rest`". Entries have
 *   id                   of lines that were executed, but have no time, a negative one
 *   name                 of arcs and sites the callee's, of lines, expressions and places their
 *                        function's
 *   caller_name, object, file, line
 *   caller, callee       ids of functions; of lines, expressions and places the function as callee
 *   calls                of expressions and lines how often they were executed; of kinds of memory
 *                        and places their allocations, if they were counted
 *   recursive_calls, ticks, total_ticks
 *   self, total          and self_uncertainty, total_uncertainty, in the profile's scale
 *   source_column, end_line, end_column, way ("code", "branch 0"...) of expressions; of kinds of
 *   memory who named them ("named", "type", "unknown") as `way`, or which closures they are
 * What is not known is NULL.  To be finalised by the caller. */
int entries_prepare(struct workspace *workspace, sqlite3_stmt **statement, size_t profile,
                    enum compared_kind kind, const char *columns, const char *rest,
                    struct error *error);

/* Prepare a statement for name, caller_name, object, file, line, source_column, way of the entry
 * with the id ?1. */
int entry_texts_prepare(struct workspace *workspace, sqlite3_stmt **statement, size_t profile,
                        enum compared_kind kind, struct error *error);

/* Make the table `table`, without rows: profile, kind and the columns above. */
int entries_table(struct workspace *workspace, const char *table, struct error *error);

/* Put the entries into such a table: all, or those whose id fits the SQL that stands behind it,
 * such as " IN (1, 2)". */
int entries_put(struct workspace *workspace, const char *table, size_t profile,
                enum compared_kind kind, const char *which, struct error *error);

/* Copy the entries of one kind, if that was not done before, into such a table, `entry`. */
int entries_copy(struct workspace *workspace, size_t profile, enum compared_kind kind,
                 struct error *error);

/* Their figures in memory, those that are wanted: by ascending ids. */
enum entry_figure {
  FIGURE_CALLS,
  FIGURE_RECURSIVE_CALLS,
  FIGURE_TICKS,
  FIGURE_TOTAL_TICKS,
  FIGURE_SELF,
  FIGURE_TOTAL,
  FIGURE_SELF_UNCERTAINTY,
  FIGURE_TOTAL_UNCERTAINTY,
  ENTRY_FIGURES
};

struct entry_figures {
  int64_t *ids;
  double *of[ENTRY_FIGURES]; /* null: not wanted; NaN: not known */
  size_t count;
};

/* 0, or -1 with the reason. To be freed with entry_figures_free, also after a failure. */
int entry_figures_read(struct workspace *workspace, size_t profile, enum compared_kind kind,
                       const bool wanted[ENTRY_FIGURES], struct entry_figures *figures,
                       struct error *error);
void entry_figures_free(struct entry_figures *figures);

#endif
