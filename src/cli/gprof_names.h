/* Names on gprof's command line, looked up in an executable. */
#ifndef ASCRIBE_CLI_GPROF_NAMES_H
#define ASCRIBE_CLI_GPROF_NAMES_H

#include "cli/gprof_options.h"
#include "exchange/gmon_graph.h"
#include "exchange/gmon_places.h"

/* By place. All zeros: everything. */
struct named_choice {
  struct graph_choice choice;
  bool *included, *excluded; /* what `choice` points to */
};

/* True if a name has a file in it, which is known with debug information only. */
bool names_have_file(const struct gprof_names *names);
bool names_want_lines(const struct gprof_choice *names);

/* Names that no place has are said on standard error. */
void names_choose(const struct gprof_choice *names, const struct gmon_places *places,
                  struct named_choice *chosen);

/* What counts calls (mcount) is excluded too, as GNU gprof does, unless it is included by name. */
void names_exclude_counters(const struct gmon_places *places, struct named_choice *chosen);

/* Where none of the included names is known, as if there were none. */
void names_include_all_for_none(const struct gmon_places *places, struct named_choice *chosen);

void named_choice_free(struct named_choice *chosen);

/* The names of "FROM/TO"; to be given to names_free_arcs. Unknown ones are said likewise. */
struct gmon_arc_name *names_of_arcs(const struct gprof_names *names,
                                    const struct gmon_places *places);
void names_free_arcs(struct gmon_arc_name *arcs, size_t count);

#endif
