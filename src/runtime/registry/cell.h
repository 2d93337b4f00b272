/* What instrumented objects refer to by these names (include/ascribe/hook.h), and the runtime's
 * assembly: the calling thread's cell and word of counters, the inert row and gate. */
#ifndef ASCRIBE_RUNTIME_CELL_H
#define ASCRIBE_RUNTIME_CELL_H

#include <stdbool.h>

#include "ascribe/hook.h"

extern __attribute__((visibility("default"))) struct ascribe_gate ascribe_inert_gate;
extern __attribute__((visibility("default"))) struct ascribe_row ascribe_inert_row;
extern __attribute__((visibility("default"))) __thread struct ascribe_cell
    ascribe_cell __asm__("ascribe.row");

extern __attribute__((visibility("default"))) __thread uint64_t
    ascribe_counts __asm__("ascribe.counts");

/* The context of cost centres that the calling thread is in (ascribe/ascribe.h); 0: in none. */
extern __attribute__((visibility("hidden"))) __thread uint32_t ascribe_centre;

/* The context of the language host's program that the calling thread is in (ascribe/host.h), 0: in
 * none; and the one that its ticks are charged to, 0: that one. The program writes them: they may
 * be no contexts. */
struct host_context {
  uint32_t context, charged;
};
extern __attribute__((visibility("hidden"))) __thread struct host_context ascribe_host_context;

/* Where it says which point runs; or null. */
extern __attribute__((visibility("hidden"))) __thread const volatile uint64_t *ascribe_host_word;

/* Whom a tick asks for the stack of the host's program. */
struct host_callback {
  int (*call)(uint64_t *points, int room, void *data); /* null: nobody */
  void *data;
  uint32_t unloads; /* of process_unloads, when its code was there */
  uint32_t seen;    /* objects_see of it */
  bool is_called;   /* it runs */
  uint32_t copies;  /* of memory that it had made so far */
};
extern __attribute__((visibility("hidden"))) __thread struct host_callback ascribe_host_callback;

/* For count_callee.S: from the counters of the object that the runtime is linked to, as its code
 * has them, to where its units lead. */
extern __attribute__((visibility("hidden"))) uint64_t ascribe_counters_lead;

/* For enter_slow.S: whether changes of context read the clock (--clock=tsc). */
extern __attribute__((visibility("hidden"))) int ascribe_cycles_in_use;

#endif
