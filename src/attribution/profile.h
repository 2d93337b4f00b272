/* A profile: what a recording says, in terms of the program's functions instead of addresses.
 *
 * All ids are indices into the arrays here.  Contexts keep their histories, so every figure
 * (whole, of one thread, under a focus) is computed from a profile alone: see costs.h.
 * A profile comes from a recording (here) or from a file (store/store.h).
 */
#ifndef ASCRIBE_ATTRIBUTION_PROFILE_H
#define ASCRIBE_ATTRIBUTION_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "recording/reader.h"

/* What was measured somewhere.  `ticks` is evidence: delivered samples.  `raw_ns` is the
 * estimate: the CPU time that they stand for, before it is scaled to that of the process (books.h).
 * Of another unit than time where the profile's origin names one. */
struct amount {
  uint64_t ticks;
  uint64_t raw_ns;
  uint64_t unseen_ns; /* raw: so much more of it may be where stacks are cut off */
};

static inline struct amount amount_sum(struct amount a, struct amount b) {
  return (struct amount){a.ticks + b.ticks, a.raw_ns + b.raw_ns, a.unseen_ns + b.unseen_ns};
}

enum function_kind {
  FUNCTION_COUNTED,  /* entered through a hook: its calls are exact */
  FUNCTION_SAMPLED,  /* code without hooks: ticks fell into it, its calls are not known */
  FUNCTION_OVERFLOW, /* stands for the calls whose function is not in the recording */
  FUNCTION_CUT,      /* stands for outer frames of sampled stacks that could not be found */
};

/* In what shapes a sampled function was seen. */
enum copy {
  COPY_OWN = 1,    /* as a function of its own */
  COPY_INLINED = 2 /* in the code of another, where the compiler put it */
};

/* One function of one object: its clones and pieces together, in all processes. */
struct profile_function {
  const char *name;    /* demangled, never null */
  const char *linkage; /* as in the symbol table; null where there is no symbol */
  const char *file;    /* of its definition, or null */
  uint32_t line;       /* 0: not known */
  uint32_t object;     /* or NOTHING */
  enum function_kind kind;
  uint32_t copies; /* enum copy bits */
};

/* Which program the counters describe (bits). */
enum counted_program {
  COUNTED_OPTIMIZED = 1, /* of the optimized program */
  COUNTED_AS_WRITTEN = 2 /* of the source, before optimization */
};

/* "optimized", "source" or "both", as the profile's files have it; null: nothing is counted. */
const char *counted_program_name(uint32_t counted);

struct profile_object {
  const char *path;
  const char *build_id;  /* hexadecimal digits, "" if none */
  const char *message;   /* what is missing in its symbols, for the user; "" if nothing is */
  const char *uncounted; /* it has hooks, but no call in it was counted: why that may be; or null */
  uint32_t counted;      /* enum counted_program bits; 0: it has no counters, or it is not known */
};

struct profile_process {
  uint32_t run; /* of profile.runs; 0 where there are none */
  uint32_t pid, parent_pid;
  uint32_t sequence; /* of its recording: several images of one process follow each other */
  const char *executable, *command, *directory, *host; /* never null */
  uint64_t started_ns, updated_ns;                     /* CLOCK_REALTIME */
  uint64_t cpu_user_ns, cpu_system_ns;
  uint64_t paused_user_ns, paused_system_ns; /* the part of them in pauses: nothing was recorded */
  uint32_t owner;                            /* user id + 1; 0: not known. Not in files */
  uint32_t end;                              /* enum process_end */
  uint32_t end_signal;                       /* PROCESS_END_SIGNAL: which; else 0 */
  uint32_t truncated;
  uint32_t ways;        /* enum way bits */
  uint32_t tick_source; /* enum tick_source */
  uint32_t tick_errno;
  uint32_t tick_flags; /* enum tick_flag bits */
  uint32_t hindrances; /* enum hindrance bits */
  uint32_t rate_hz;    /* asked */
  uint64_t period_ns;
  /* With waits (waits.h), of all threads together: from begin to end, as far as they were looked
   * at, wanting a processor, waiting for anything else. */
  uint64_t lived_ns, looked_ns, ready_ns, waited_ns;
  uint32_t unseen_errno;   /* why the kernel did not let us see where they waited, or 0 */
  uint64_t events_counted; /* by the kernel, of an origin with a unit */
  struct amount profiler;  /* ticks inside the runtime */
  double squares;          /* sum of the squares of what single ticks stand for; 0: not known */
  uint64_t handler_ns;     /* in the handlers of ticks, which no tick can fall into */
  uint64_t threads_unsampled_ns; /* of its threads */
  uint64_t recorder_ns;          /* CPU time of another process that recorded all of them */
  uint64_t
      unknown_ns; /* of processes that were killed or not recorded, all together: in no figure */
  uint64_t increments;                /* of counters, in the program's own code */
  uint64_t hook_low_ps, hook_high_ps; /* of one inline hook, or counter: between these */
  uint64_t slow_steps, rebuilds, overflow_calls, threads_started;
  uint64_t drops[DROP_KINDS];
};

struct profile_thread {
  uint32_t process;
  uint32_t tid, owners;
  uint32_t start_function; /* or NOTHING */
  uint32_t spawned_in;     /* context, or NOTHING */
  uint64_t ticks, lost, cpu_ns;
  uint64_t unsampled_ns; /* of cpu_ns, what lacks ticks by more than chance explains */
  const char *name;      /* never null */
};

/* history[i] = function << 1 | mark, outermost first; length 0: the root of its thread.  The
 * running function is last and marked; every function is marked at most once. */
struct profile_context {
  const uint32_t *history;
  uint32_t length;
  uint32_t thread;
  struct amount self;
};

/* A place that calls: the return address `offset` in `object`.  `within` is the function that
 * holds it; it is not the caller where code without hooks, which the caller called, called back. */
struct profile_site {
  uint32_t caller; /* NOTHING: spontaneous */
  uint32_t callee;
  uint32_t within; /* or NOTHING */
  uint32_t object; /* or NOTHING */
  uint64_t offset;
  const char *file; /* or null */
  uint32_t line;
  bool tail;          /* a tail call that was put back (tail_calls.h) */
  bool in_doubt;      /* others may have made some of these calls, or all: by tail calls, and who is
                         not known (tail_calls.h) */
  uint32_t expansion; /* of the code that calls, or NOTHING */
};

/* How code came to where it runs, one step outward from its source: a function's text, by a call
 * that was inlined; a macro's, where it was expanded. */
struct profile_expansion {
  uint32_t parent;        /* how what it stands in came there, earlier in the array; or NOTHING */
  uint32_t function;      /* that was inlined, or NOTHING: a macro */
  const char *macro;      /* its name, or null */
  const char *defined_in; /* the file of the macro's definition, or null */
  uint32_t defined_at;    /* its line; 0: not known */
  const char *file;       /* of the call or the expansion, or null */
  uint32_t line, column;
};

/* Calls from context `from` that led to context `to`; from == to: direct recursion. */
struct profile_transition {
  uint32_t from, to;
  uint32_t site;
  uint64_t count;
};

/* Calls at a site that were counted without their context (counters.h), in one process. */
struct profile_count {
  uint32_t process;
  uint32_t site;
  uint64_t calls;
};

/* A call that stands in the code, made or not (static_arcs.h). */
struct profile_static_arc {
  uint32_t caller, callee;
};

/* A line that ticks fell on while its function ran, or that called when they did. */
struct profile_line {
  uint32_t function;
  uint32_t line;
  const char *file; /* or null */
};

/* The lines that had called when ticks fell: this one (NOTHING in the root), below `parent`'s,
 * which come earlier in the array (NOTHING: none).  Unlike a history it is not folded but where a
 * call was active more than once: each line of a stack counts once. */
struct profile_stack {
  uint32_t parent;
  uint32_t line;
};

struct profile_tick {
  uint32_t context;
  uint32_t line;
  uint32_t stack; /* the lines that had called; NOTHING: not known, as no stack was sampled */
  struct amount amount;
};

/* An instruction that ticks fell on: `offset` in `object`, or the address itself without one. */
struct profile_instruction {
  uint32_t line;
  uint32_t column; /* 0: not known */
  uint32_t object; /* or NOTHING */
  uint64_t offset;
  struct amount self;
  uint32_t within;        /* the function whose code it is, not one inlined into it; or NOTHING */
  uint32_t expansion;     /* how its source came there, or NOTHING */
  const char *clone;      /* of `within`, or null: itself */
  uint32_t discriminator; /* of its line in the debug information: the number of its block, where
                             copies are told apart by blocks; 0: none */
};

enum expression_kind {
  EXPRESSION_CODE,   /* a range of source that was executed as a whole */
  EXPRESSION_BRANCH, /* one way that a condition there may go */
  EXPRESSION_GAP,    /* the space before code: lines that begin in it are executed so often */
  EXPRESSION_LOOP,   /* way 0: how often a loop with this condition was entered, 1: its trips */
  EXPRESSION_MACRO,  /* text of a macro, or of one's arguments: an expansion has its own code */
  EXPRESSION_LINE,   /* a line of a function that has these: its ranges say nothing of lines then */
  EXPRESSION_GONE,   /* source of which optimisation left no code, in an object file at least */
  EXPRESSION_SKIPPED, /* no code, in the midst of some: comments, what #if leaves out */
  EXPRESSION_CASE     /* one way that a `switch` there may go */
};

/* A range of source text and how often it was executed, in one function's code: in its own, or in
 * that of another which it was inlined into.  Ranges of one function lie in each other or apart. */
struct profile_expression {
  uint32_t function;
  const char *file;              /* never null */
  uint32_t line, column;         /* where it begins, from 1; column 0: somewhere in the line */
  uint32_t end_line, end_column; /* where it ends, behind its last character; 0: not known */
  uint32_t way;                  /* of the branches of one range: which, from 0; where several
                                    conditions have the range, two for each. Of a case: of which
                                    switch, from 0, where several have the range */
  const char *label;   /* of a case: its values ("case 1, 3 ... 5"), or null: executions of
                          the switch of which it is not known which way they went */
  uint32_t label_line; /* where that stands in the file; 0: not known */
  enum expression_kind kind;
  uint64_t count;
};

/* What is known of a line in one function. */
enum line_state {
  LINE_COUNTED, /* it has code, executed so often */
  LINE_UNSURE,  /* it has code whose count is 0, but ticks met it: it stands for more */
  LINE_MACRO, /* no code begins in it, but the text of macros that were expanded in the function */
  LINE_GONE,  /* it had code, of which optimisation left nothing */
};

#define LINE_NO_SHARE UINT64_MAX

/* How often the part of a line that is one function's was executed (line_counts.h). */
struct profile_line_count {
  const char *file; /* never null */
  uint32_t line;    /* never 0 */
  uint32_t function;
  enum line_state state;
  uint32_t counted; /* COUNTED_OPTIMIZED or COUNTED_AS_WRITTEN; 0: of an import, or it is gone */
  uint64_t count;   /* 0 of what is unsure or gone */
  uint64_t share;   /* those of all functions sum to the line's executions; LINE_NO_SHARE: it has
                       none, as the code of another function tells of the line */
};

/* A block of a function's code, where optimisation made copies within the function: what was seen
 * of it there. */
struct profile_block {
  uint32_t within;
  const char *clone;     /* as of a copy */
  uint32_t number;       /* in the code of these, from 1 */
  uint32_t loop;         /* the innermost loop around it, from 1; 0: none */
  const char *loop_file; /* or null: not known where it stands */
  uint32_t loop_line;
  const char *vectors; /* how many elements the vectors there have ("4", "2, 4"), or null: none */
  const char *by;      /* the optimisations that copied code there, or null: it was not copied */
  const char *where;   /* a condition that held, and not for all copies ("flag == 0"), or null */
};

/* The part of an expression's count that one copy of it has: in one function's code, come there in
 * one way.  Those of an expression sum to its count. */
struct profile_copy {
  uint32_t expression;
  uint32_t within;    /* the function */
  uint32_t expansion; /* or NOTHING: it is that function's own */
  const char *clone;  /* the suffix of its linkage name (".constprop.0"), or null: itself */
  uint32_t block;     /* or NOTHING: optimisation made no copies of it in that function */
  uint64_t count;
};

/* A call site whose calls follow from the equations of the call graph (possible_calls.h): it was
 * executed so often.  The first one is all code that has no counts, together. */
struct profile_call_place {
  uint64_t least, most; /* most UINT64_MAX: not known */
};

#define NOT_FIXED UINT64_MAX

/* A function that may have been called there, and how often. */
struct profile_possible_call {
  uint32_t place;
  uint32_t site;  /* who called whom, and where; NOTHING: a function that has no counts */
  uint64_t fixed; /* how often, as the user says; NOT_FIXED: he does not */
  uint64_t least, most, estimate; /* as in struct call_arc; equal: exact */
};

/* What the figures of a profile rest on. */
enum evidence {
  EVIDENCE_TICKS,   /* sampled: ticks are independent, and their number gives the uncertainty */
  EVIDENCE_COUNTED, /* counted: exact */
  EVIDENCE_UNKNOWN, /* sampled, but nobody knows in how many samples: uncertainty unknown */
};

/* Where a profile comes from and what its amounts are.  All zeros: a recording of Ascribe, time.
 * With a unit only: a recording of another event than time. */
struct profile_origin {
  const char *format; /* that it was imported from, in words: "perf script"; or null */
  const char *event;  /* what was measured, as the file or the kernel names it; null: time */
  const char *unit;   /* of all amounts: "instructions", "bytes"; null: nanoseconds */
  const char *note;   /* what the file has and the profile has not, for the user; or null */
  enum evidence evidence;
};

/* What the threads of a process delivered and counted. */
struct process_sum {
  struct amount delivered;
  uint64_t calls; /* direct recursion included */
};

/* One of the runs that were merged: what a profile of it alone says of the whole. */
struct profile_run {
  const char *version, *command, *directory, *host, *hooks, *clock; /* never null */
  uint64_t started_ns, ended_ns;                                    /* CLOCK_REALTIME */
  uint64_t rate_hz, ticks, lost_ticks;
  uint64_t user_ns, system_ns, sampled_ns, kernel_ns, unsampled_ns, whole_ns, paused_ns;
  uint64_t charged_low_ns, charged_high_ns, hooks_low_ns, hooks_high_ns;
  uint64_t profiler_ns, handlers_ns, recorder_ns, dropped_ns; /* as in struct books */
  uint64_t calls;
  uint64_t drops[DROP_KINDS];
};

/* What a function cost in one of the runs; functions that cost nothing have none. */
struct profile_run_cost {
  uint32_t run, function;
  bool total_known;
  uint64_t calls; /* direct recursion included */
  uint64_t self_ns, self_uncertainty_ns, total_ns, total_uncertainty_ns; /* as in struct estimate */
};

struct costs;

/* Ticks and instructions like those of the profile, but of threads that waited (waits.h). */
struct profile_waits {
  struct profile_tick *ticks;
  size_t tick_count;
  struct profile_instruction *instructions;
  size_t instruction_count;
};

struct profile {
  struct pool *pool; /* owns every string and history */
  const char *version;
  struct profile_object *objects;
  struct profile_function *functions;
  struct profile_process *processes;
  struct profile_thread *threads;
  struct profile_context *contexts; /* from a recording: by length */
  struct profile_site *sites;
  struct profile_transition *transitions;
  struct profile_count *counts;
  struct profile_static_arc *static_arcs; /* not in files: static_arcs_find */
  struct profile_line *lines;
  struct profile_stack *stacks;
  struct profile_tick *ticks;
  struct profile_instruction *instructions;
  struct profile_expression *expressions;
  struct profile_line_count *line_counts; /* by file, line, function (line_counts_compare) */
  struct profile_copy *copies;
  struct profile_expansion *expansions;
  struct profile_block *blocks;
  size_t expression_count, line_count_count, copy_count, expansion_count, block_count;
  struct profile_call_place *call_places;
  struct profile_possible_call *possible_calls;
  size_t call_place_count, possible_call_count;
  size_t object_count, function_count, process_count, thread_count, context_count, site_count,
      transition_count, count_count, line_count, stack_count, tick_count, instruction_count;
  size_t static_arc_count;
  struct profile_origin origin;
  struct profile_waits waits;
  bool is_waits;       /* a view (waits.h): amounts are of waiting, not of CPU time */
  struct costs *given; /* costs.h, as a file gave them that has no contexts; null: computed */
  struct process_sum *process_sums; /* by process; null: the sums of contexts (books.h) */
  struct profile_run *runs; /* that were merged, at least two; none: the profile is one run */
  struct profile_run_cost *run_costs; /* by run, of each by function */
  size_t run_count, run_cost_count;
};

/* Make a profile of a recording, which may be closed afterwards.  Reads the symbols of the
 * objects in it.  Fails only when symbols cannot be read at all.  The profile is the caller's, to
 * be freed with profile_free. */
int profile_from_recording(const struct recording *recording, struct profile **profile,
                           struct error *error);
/* An empty one, made by this version. */
struct profile *profile_create(void);
void profile_free(struct profile *profile);

/* Whether the stacks of all ticks were sampled, so that calls of code without hooks are known. */
bool profile_stacks_known(const struct profile *profile);

/* In whose code a site's calls were made: not that of what was inlined there. NOTHING: spontaneous.
 */
static inline uint32_t site_compiled_caller(const struct profile_site *site) {
  return site->expansion != NOTHING && site->within != NOTHING ? site->within : site->caller;
}

/* The function that runs in a context, or NOTHING in a root. */
static inline uint32_t context_running(const struct profile_context *context) {
  return context->length ? context->history[context->length - 1] >> 1 : NOTHING;
}

#endif
