/* A report as text: columns, names and colours, as there is room for on a terminal. */
#ifndef ASCRIBE_REPORT_LISTING_H
#define ASCRIBE_REPORT_LISTING_H

#include "report/model.h"
#include "report/quantity.h"
#include "report/terminal.h"
#include "report/text.h"

/* Which columns there are, and how wide figures are (columns.h). */
struct columns {
  int figure, uncertain; /* of a time, and of an uncertainty */
  int count;             /* of calls */
  bool uncertainty, ticks, calls, rates /* time per call */;
  bool room_for_ticks; /* where instructions have them in any case */
  bool cost;           /* of the flat profile and the call graph: else nothing is known but calls */
};

/* Behind the other end of calls that others may have made (profile_site.in_doubt). */
#define IN_DOUBT " (in doubt: tail calls)"

struct listing {
  struct report_model *model;
  struct terminal terminal;
  FILE *out;
  struct time_unit unit;
  struct columns columns;
  struct name_part *telling; /* by number in by_total: what tells its name from others'; or null */
};

/* What it is given is used until it is closed. */
void listing_open(struct listing *listing, const struct profile *profile,
                  const struct report_options *options, const struct terminal *terminal, FILE *out);
void listing_close(struct listing *listing);

/* The name, with the object's where the name alone is not enough. */
void listing_name(const struct listing *listing, uint32_t function, size_t width);

/* The piece of its name that tells it from others' when it is shortened (symbols/name_telling.h);
 * empty: there is none, or names are not shortened. */
struct name_part listing_telling(const struct listing *listing, uint32_t function);

/* The same, where there is room for it beside the name in what `used` columns leave; else "". */
const char *listing_inlined_beside(const struct listing *listing, uint32_t function, size_t used);

/* A function in the list of all: its name behind `used` columns, " [INDEX]", " inlined" where the
 * name has room beside that, and the end of the line. */
void listing_entry_name(const struct listing *listing, uint32_t function, size_t used);

/* Columns left for a name after `used` of them; 0: no limit. */
size_t listing_name_width(const struct listing *listing, size_t used);

/* A line of source with its function, behind `used` columns, to the end of the line. */
void listing_line(const struct listing *listing, const struct profile_line *line, size_t used);

/* A path, below the directory of the run as from there. */
void listing_path(const struct listing *listing, const char *path, size_t width);

/* " (hooks: 20 to 80 % of self)" behind a function where that may be more than a tenth, so that
 * nobody takes it for the program's; else "". */
enum { HOOKS_BYTES = 48 };
const char *listing_hooks_text(const struct listing *listing, uint32_t function,
                               char text[HOOKS_BYTES]);

/* " inlined" behind a function that was met inlined only, " partly inlined" behind one that was
 * met both ways, else "". */
const char *listing_inlined(const struct listing *listing, uint32_t function);

/* The title of a part: its name, and what its figures are worth. */
void listing_title(const struct listing *listing, const char *name);
const char *listing_worth(const struct listing *listing); /* of its figures: "counted" */
void listing_title_of_both(const struct listing *listing, const char *name); /* CPU and waiting */
void listing_title_by_calls(const struct listing *listing, const char *name);

/* The same with the name of a function behind `what`, which a terminal may have no room for. */
void listing_title_of(const struct listing *listing, const char *what, const char *name);

/* Terminal attributes; nothing without colour. */
void listing_bold(const struct listing *listing);
void listing_dim(const struct listing *listing);
void listing_plain(const struct listing *listing);

/* The colour of a place with these costs: red from 5 % of `whole` on as its own, yellow from 0.5 %
 * on, or from 5 % on as its total; dim without any. */
void listing_heat(const struct listing *listing, struct amount whole, struct amount self,
                  struct amount total);

/* The parts. */
void listing_head(const struct listing *listing);
void listing_label(const struct listing *listing, const char *name); /* of a line of the head */
/* What was dropped, with these words before the first of it; false: nothing. */
bool listing_drops(const struct listing *listing, const char *before);
void listing_symbol_notes(const struct listing *listing);
void listing_coverage(const struct listing *listing);      /* a line of the head */
void listing_other_metrics(const struct listing *listing); /* lines of the head */
void listing_imported_head(const struct listing *listing);
/* How many possible calls are exact, of a profile whose callers follow from equations. */
void listing_equations(const struct listing *listing);
void listing_merged_head(const struct listing *listing); /* behind a label */
void listing_selection(const struct listing *listing);   /* behind a label */
void listing_processes(const struct listing *listing);
void listing_programs(const struct listing *listing); /* of several processes: one line */
void listing_threads(const struct listing *listing);
void listing_flat(const struct listing *listing);
void listing_wall(const struct listing *listing); /* the flat profile of CPU time and waiting */
void listing_side_by_side(const struct listing *listing); /* of several metrics */
void listing_table(const struct listing *listing);
void listing_graph(const struct listing *listing);
void listing_contexts(const struct listing *listing);
void listing_centres(const struct listing *listing);
void listing_heap(const struct listing *listing);
void listing_leaks(const struct listing *listing);
void listing_peak(const struct listing *listing);
void listing_series(const struct listing *listing);
/* A line or more of what was allocated and freed in all; nothing where that was not recorded. */
void listing_heap_sums(const struct profile *profile, FILE *out);
void listing_cycles(const struct listing *listing);
void listing_misled(const struct listing *listing);
void listing_lines(const struct listing *listing);
void listing_runs(const struct listing *listing);
void listing_ranks(const struct listing *listing);
void listing_source(const struct listing *listing);
void listing_calls(const struct listing *listing);
void listing_asm(const struct listing *listing);

#endif
