/* The call sites of one function, in an order: where it is called from, or what it calls. */
#ifndef ASCRIBE_REPORT_CALL_LIST_H
#define ASCRIBE_REPORT_CALL_LIST_H

#include "attribution/call_lines.h"
#include "report/model.h"

/* A call site whose calls were counted, or a line that only stacks know to call. */
struct call {
  uint32_t site;      /* or NOTHING */
  uint32_t call_line; /* of the lines' list: its time; or NOTHING */
  uint64_t calls;
};

struct call_list {
  const struct report_model *model;
  const struct call_lines *lines;
  const struct profile_possible_call **possible; /* by site; or null */
  bool into;                                     /* calls of the function; else those it makes */
  struct call *items;
  size_t count;
  uint64_t calls;
  bool shared; /* several call sites have their time together */
};

/* `possible` (possible_calls_by_site) and `lines` stay the caller's. To be freed with
 * call_list_free. */
struct call_list call_list_make(const struct report_model *model, const struct call_lines *lines,
                                const struct profile_possible_call **possible, uint32_t function,
                                bool into);
void call_list_free(struct call_list *list);

/* The call's site, or null: only stacks know of it. */
const struct profile_site *call_site_of(const struct call_list *list, const struct call *call);
const struct profile_line *call_line_of(const struct call_list *list, const struct call *call);

/* Nothing where no tick fell. */
struct amount call_time(const struct call_list *list, const struct call *call);

/* The functions of --calls, those with most calls into them first, then most time. The array, of
 * *count, is the caller's. */
uint32_t *call_list_functions(const struct report_model *model, size_t *count);

#endif
