/* What is compared: functions, arcs, call sites, lines and expressions of a profile, as rows of one
 * table. */
#ifndef ASCRIBE_COMPARE_ENTRIES_H
#define ASCRIBE_COMPARE_ENTRIES_H

#include <stdbool.h>

#include "compare/workspace.h"

enum compared_kind {
  ENTRY_FUNCTIONS,
  ENTRY_ARCS,
  ENTRY_SITES,
  ENTRY_LINES,
  ENTRY_EXPRESSIONS,
  ENTRY_KINDS
};

/* "functions", "arcs", "sites", "lines", "expressions". */
extern const char *const entry_kind_names[ENTRY_KINDS];

/* False: there is no such kind. */
bool entry_kind_named(const char *name, enum compared_kind *kind);

/* Copy the entries of one kind, if that was not done before, into the table `entry`:
 *   profile, kind, id
 *   name                 of arcs and sites the callee's, of lines and expressions their function's
 *   caller_name, object, file, line
 *   caller, callee       ids of functions; of lines and expressions the function as `callee`
 *   calls                of expressions and lines how often they were executed: of a line the most
 *                        of the expressions that begin in it
 *   recursive_calls, ticks, total_ticks
 *   self, total          and self_uncertainty, total_uncertainty, in the profile's scale
 *   source_column, end_line, end_column, way ("code", "branch 0"...) of expressions
 *   code                 of call sites: build-id and offset, the same in all runs of one build
 * What is not known is NULL.  Lines that were executed, but have no time, have negative ids. */
int entries_copy(struct workspace *workspace, size_t profile, enum compared_kind kind,
                 struct error *error);

#endif
