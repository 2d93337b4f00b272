/* What every part of a report needs: costs, the order of functions, the arcs of each. */
#ifndef ASCRIBE_REPORT_LISTING_H
#define ASCRIBE_REPORT_LISTING_H

#include "attribution/books.h"
#include "attribution/run.h"
#include "report/quantity.h"
#include "report/report.h"
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
  const struct profile *profile;
  const struct report_options *options;
  FILE *out;
  struct costs *costs;
  struct books books;
  struct costs *wait_costs; /* of the waiting that was seen besides CPU time; or null */
  struct books wait_books;
  struct run run;
  struct time_unit unit;
  struct columns columns;
  uint32_t *by_total; /* functions that cost or were called, most first: the index */
  size_t function_count;
  size_t listed_count;       /* of them, those to be listed: of --mine fewer */
  uint32_t *index;           /* by function: its number in by_total, from 1; 0: not there */
  uint32_t *callers;         /* arcs, grouped by callee, most expensive last as gprof has them */
  uint32_t *callees;         /* arcs, grouped by caller, most expensive first */
  size_t *first_caller;      /* by function: start of its group in `callers`; one more at the end */
  size_t *first_callee;      /* by function + 1; function 0 there is the spontaneous caller */
  bool *ambiguous;           /* by function: another one has its name */
  struct name_part *telling; /* by number in by_total: what tells its name from others; or null */
};

void listing_open(struct listing *listing, const struct profile *profile,
                  const struct report_options *options, FILE *out);
void listing_close(struct listing *listing);

/* The functions of by_total that are to be listed, listed_count of them, in the order that was
 * asked for, `fallback` without one.  The array is the caller's. */
uint32_t *listing_sorted(const struct listing *listing, enum report_sort fallback);

struct estimate listing_estimate(const struct listing *listing, struct amount amount);

/* What figures of CPU time and waiting together are shares of, where there is waiting; else, of CPU
 * time (books_whole_ns). */
uint64_t listing_whole_ns(const struct listing *listing);

/* False for what --mine leaves out. */
bool listing_lists(const struct listing *listing, uint32_t function);

/* True if the function's total is known: not for code without hooks, whose own callees and
 * callbacks cannot be told from its callers'. */
bool listing_has_total(const struct listing *listing, uint32_t function);

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

/* True unless the selection is everything. */
bool selection_is_part(const struct listing *listing);

/* A path, below the directory of the run as from there. */
const char *listing_relative(const struct listing *listing, const char *path);
void listing_path(const struct listing *listing, const char *path, size_t width);

/* What hooks took of a function's self time; both 0: nothing. */
struct range listing_hooks(const struct listing *listing, uint32_t function);

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
void listing_title_of_both(const struct listing *listing, const char *name); /* CPU and waiting */
void listing_title_by_calls(const struct listing *listing, const char *name);

/* The same with the name of a function behind `what`, which a terminal may have no room for. */
void listing_title_of(const struct listing *listing, const char *what, const char *name);

/* What figures are shares of: "time" or, of another unit, "cost". */
const char *listing_share(const struct listing *listing);

/* The unit of the metric; null: time. */
const char *listing_unit(const struct listing *listing);

bool listing_is_of_waiting(const struct listing *listing);

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
void listing_coverage(const struct listing *listing); /* a line of the head */
void listing_imported_head(const struct listing *listing);
void listing_merged_head(const struct listing *listing); /* behind a label */
void listing_selection(const struct listing *listing);   /* behind a label */
void listing_processes(const struct listing *listing);
void listing_programs(const struct listing *listing); /* of several processes: one line */
void listing_threads(const struct listing *listing);
void listing_flat(const struct listing *listing);
void listing_wall(const struct listing *listing); /* the flat profile of CPU time and waiting */
void listing_side_by_side(const struct listing *listing); /* of several metrics */
void listing_graph(const struct listing *listing);
void listing_contexts(const struct listing *listing);
void listing_cycles(const struct listing *listing);
void listing_misled(const struct listing *listing);
void listing_lines(const struct listing *listing);
void listing_runs(const struct listing *listing);
void listing_source(const struct listing *listing);
void listing_calls(const struct listing *listing);
void listing_asm(const struct listing *listing);

#endif
