/* What is compared: functions, arcs, call sites and lines of a profile, as rows of one table. */
#ifndef ASCRIBE_COMPARE_ENTRIES_H
#define ASCRIBE_COMPARE_ENTRIES_H

#include "compare/workspace.h"

enum compared_kind { ENTRY_FUNCTIONS, ENTRY_ARCS, ENTRY_SITES, ENTRY_LINES, ENTRY_KINDS };

/* "functions", "arcs", "sites", "lines". */
extern const char *const entry_kind_names[ENTRY_KINDS];

/* Copy the entries of one kind, if that was not done before, into the table `entry`: profile,
 * kind, id, name (of arcs and sites the callee's), caller_name, object, file, line, caller and
 * callee (ids of functions; of lines the function as `callee`), calls, recursive_calls, ticks,
 * total_ticks, and self, total and their uncertainties in the profile's scale.  What is not known
 * is NULL. */
int entries_copy(struct workspace *workspace, size_t profile, enum compared_kind kind,
                 struct error *error);

#endif
