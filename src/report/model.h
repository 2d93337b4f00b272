/* What a report says, before it is printed: costs, books, and the orders of functions and arcs. Its
 * printers are text for a terminal (listing.h) and JSON. */
#ifndef ASCRIBE_REPORT_MODEL_H
#define ASCRIBE_REPORT_MODEL_H

#include "attribution/books.h"
#include "attribution/run.h"
#include "attribution/unattributed.h"
#include "report/report.h"

struct report_model {
  const struct profile *profile;
  const struct report_options *options;
  struct costs *costs;
  struct books books;
  struct costs *wait_costs; /* of the waiting that was seen besides CPU time; or null */
  struct books wait_books;
  struct run run;
  uint32_t *by_total; /* functions that cost or were called, most first: the index */
  size_t function_count;
  size_t listed_count;  /* of them, those to be listed: of --mine fewer */
  uint32_t *index;      /* by function: its number in by_total, from 1; 0: not there */
  uint32_t *callers;    /* arcs, grouped by callee, most expensive last as gprof has them */
  uint32_t *callees;    /* arcs, grouped by caller, most expensive first */
  size_t *first_caller; /* by function: start of its group in `callers`; one more at the end */
  size_t *first_callee; /* by function + 1; function 0 there is the spontaneous caller */
  bool *ambiguous;      /* by function: another one has its name */
  double *by_ratio;     /* by function, raw ns: see model_total_by_ratio; or null */
};

/* Both are used until it is closed. */
struct report_model *model_open(const struct profile *profile,
                                const struct report_options *options);
void model_close(struct report_model *model);

/* The functions of by_total that are to be listed, listed_count of them, in the order that was
 * asked for, `fallback` without one.  The array is the caller's. */
uint32_t *model_sorted(const struct report_model *model, enum report_sort fallback);

/* False for what --mine leaves out. */
bool model_lists(const struct report_model *model, uint32_t function);

/* True unless the selection is everything. */
bool model_is_part(const struct report_model *model);

/* What no function has; of a selection that is not known: 0. */
struct unattributed model_unattributed(const struct report_model *model,
                                       enum unattributed_kind kind);

struct estimate model_estimate(const struct report_model *model, struct amount amount);

/* What figures of CPU time and waiting together are shares of, where there is waiting; else, of CPU
 * time (books_whole_ns). */
uint64_t model_whole_ns(const struct report_model *model);

/* True if the function's total is known: not for code without hooks, whose own callees and
 * callbacks cannot be told from its callers'. */
bool model_has_total(const struct report_model *model, uint32_t function);

/* The function's total; if that is not known, its self time. */
struct amount model_time(const struct report_model *model, uint32_t function);

/* For qsort_r of functions, with the model: most time first. */
int model_compare_times(const void *left, const void *right, void *model);

/* Where equations found the calls of a language host's program, which say nothing of time: the
 * total that follows if each call of a function takes as long as any other.  Recursion is merged
 * where control enters it. False: it is measured, or unknown. Source: attribution/average_time.h.
 */
bool model_total_by_ratio(const struct report_model *model, uint32_t function, uint64_t *ns);

/* What hooks took of a function's self time; both 0: nothing. */
struct range model_hooks(const struct report_model *model, uint32_t function);

/* The unit of the metric; null: time. */
const char *model_unit(const struct report_model *model);

/* What figures are shares of: "time" or, of another unit, "cost". */
const char *model_share(const struct report_model *model);

bool model_is_of_waiting(const struct report_model *model);

/* A path, below the directory of the run as from there. */
const char *model_relative(const struct report_model *model, const char *path);

/* How model_open orders functions and arcs, and finds names that several have (model_order.c). */
void model_order(struct report_model *model);

#endif
