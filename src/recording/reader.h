/* Reads a recording, of a program that has ended or of one that still runs.  Trusts nothing in
 * the file: every id, length and offset that comes out of here has been checked.
 *
 * Ids in the file are sparse; here everything is dense: contexts, functions and threads are
 * indices into the arrays of their process.  Contexts and functions that a forked child shares
 * with its parent are copied into the child's arrays, so each process stands by itself.
 */
#ifndef ASCRIBE_RECORDING_READER_H
#define ASCRIBE_RECORDING_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "recording/layout.h"

#define NOTHING UINT32_MAX

/* What an entry of a history is. */
enum entry_kind {
  ENTRY_FUNCTION, /* entered at least once */
  ENTRY_CALL,     /* in contexts of sampled stacks: a call that has not returned */
  ENTRY_CUT       /* there: frames that could not be found */
};

struct function_entry {
  uint64_t address; /* of the function's first byte in the process; the return address of a call;
                       of either in a world, with IN_WORLD */
  uint64_t epoch;
  enum entry_kind kind;
  uint32_t object; /* index into objects, or NOTHING */
};

/* A piece of an ELF file, or a world of a language host: IN_WORLD is in its addresses then, and
 * behind `start` they are its keys. */
struct object_entry {
  uint64_t start, end, offset;
  uint64_t loaded, unloaded; /* unloaded: UINT64_MAX if it never was */
  uint8_t build_id[20];
  uint32_t build_id_bytes; /* 0: none */
  const char *path;        /* of a world its name */
  uint64_t reach;          /* highest end of the objects up to this one; for recording_object_at */
  const struct world *world; /* null: a file */
};

/* What a key of a world means. */
struct key_definition {
  const char *name;   /* of a function or a cost centre; "": it has none */
  const char *module; /* of a cost centre; or null */
  uint64_t within;    /* key of what a place is in; 0: it is a function itself */
  const char *file;   /* or null */
  uint32_t line, column;
  uint32_t end_line, end_column; /* behind its last character; 0: not known */
  uint32_t place;                /* of a place: enum ascribe_place_kind (ascribe/host.h) */
  uint64_t bytes;                /* of a closure, whose `place` is an enum ascribe_closure_kind */
};

/* Whether cost centres are what the context is made of.  Entries of them are transitions. */
struct process_recording;
bool context_is_of_centres(const struct process_recording *process, uint32_t context);

/* Returns false, and leaves *definition alone, where the recording does not define the key. */
bool world_find(const struct world *world, uint64_t key, struct key_definition *definition);

/* The core forms of the world's program (flow/core_forms.h), as its host wrote them: `*bytes` of
 * them, which the recording owns; null and 0: none. */
const char *world_core(const struct world *world, size_t *bytes);

/* The key of the function itself, or of the one around a place; 0 where none is defined. */
uint64_t world_function(const struct world *world, uint64_t key);

/* history[i] = function index << 1 | mark, outermost first; the running function is last and
 * marked.  length 0: a root, or (overflow) the context of calls that had no room.  There may be
 * several roots: one per thread, and one for each context that a forked child shares with a
 * parent whose file is missing. */
struct context_entry {
  const uint32_t *history;
  uint32_t length;
  uint32_t thread;
  uint32_t flags; /* enum context_flag; CONTEXT_STACK: see recording/layout.h */
};

/* Calls of the running function of `to` (of an unknown one if `to` has no history), made from
 * context `from` at return address `site`.
 * from == to: a direct recursion (rule A1).  Each (from, to, site) stands once. */
struct transition_entry {
  uint32_t from, to;
  uint64_t site;
  uint64_t count;
  bool indirect; /* CALL_INDIRECT: `from` is a root and stands for nothing, `site` is as there */
};

/* Entries of a cost centre in a slice, of the transition between these contexts. */
struct entries_part {
  uint32_t from, to;
  uint32_t slice;
  uint64_t entries;
};

/* The counters of an object, of which there may be several if it was loaded again: process->counts
 * from `first` on, `count` of them; those that would follow are 0. */
struct counters_entry {
  uint64_t start;       /* address of the first in the process */
  uint64_t code, epoch; /* as in struct recorded_counters */
  size_t first, count;
};

/* How often a point of a host's was executed, as its counters say. Each address, with IN_WORLD,
 * stands once. */
struct point_entry {
  uint64_t address;
  uint64_t count;
};

/* Calls of a function from return address `site`, counted without their contexts (CALL_COUNTED).
 * Each (function, site) stands once. */
struct call_entry {
  uint32_t function; /* index; its address is some instruction of it */
  uint64_t site;
  uint64_t count;
};

/* Each (measure, context, cost centres, stack, pc, slice) stands once. */
struct tick_entry {
  uint32_t context;
  uint32_t stack;  /* context index of the sampled stack, or NOTHING */
  uint32_t centre; /* context index of the cost centres, or NOTHING */
  uint64_t pc;
  uint64_t epoch; /* as in recording_object_at */
  uint64_t ticks;
  uint64_t weight;
  uint32_t measure; /* of process->measures */
  uint32_t slice;   /* of process->slices; from their number on: nobody knows when */
};

/* What was allocated, and what was freed of that.  In a damaged file the numbers may be anything.
 */
struct heap_sums {
  uint64_t allocations, allocated, frees, freed; /* blocks, bytes */
  uint64_t temporary;
  uint64_t at_peak;          /* bytes that were live at the process's peak */
  uint64_t live, live_bytes; /* HEAP_OF_CLOSURES: in the last census, where frees are not known */
};

static inline void heap_sums_add(struct heap_sums *to, const struct heap_sums *part) {
  to->allocations += part->allocations;
  to->allocated += part->allocated;
  to->frees += part->frees;
  to->freed += part->freed;
  to->temporary += part->temporary;
  to->at_peak += part->at_peak;
  to->live += part->live;
  to->live_bytes += part->live_bytes;
}

/* Calls of MPI from return address `site` (0: not known), by all threads: see struct
 * recorded_message. Each (site, call, peer, context, centre) stands once. In a damaged file sums
 * may be anything. */
struct message_entry {
  uint64_t site;
  uint32_t call;    /* enum mpi_call (mpi_calls.h), a number that it has */
  uint32_t peer;    /* plus 1; 0: none, or not known */
  uint32_t context; /* of the stack; the thread's root: not known */
  uint32_t centre;  /* context of cost centres; NOTHING: in none */
  uint64_t calls, sent, sent_bytes, received, received_bytes;
  uint64_t cycles, least_cycles;
};

/* As struct recorded_message_end, of the process's messages alone: without ends that are not
 * written, or that do not count because others are missing. */
struct message_end {
  uint64_t posted;
  uint64_t wait_begin, wait_end; /* posted <= wait_begin <= wait_end; or 0: not completed */
  uint64_t site, wait_site;
  uint32_t communicator, peer;
  int32_t tag;
  uint32_t bytes;
  uint32_t call, wait_call; /* enum mpi_call; wait_call is 0 if it was not completed */
  uint32_t flags;           /* END_KEPT of enum message_end_flag */
};

/* With a stack in a cost centre, of one kind, by all threads. */
struct heap_entry {
  uint32_t context; /* CONTEXT_STACK */
  uint32_t centre;  /* context index of the cost centres, or NOTHING */
  uint32_t kind;    /* HEAP_KIND; of mappings its name is an enum mapping_change; of closures
                       their number: recording_closure */
  uint32_t area;    /* enum heap_area */
  struct heap_sums sums;
  struct heap_sums variances; /* of samples, in the units of struct recorded_heap; else zeros */
};

/* What of an entry was in one slice: what it became more by there, in one thread. */
struct heap_part {
  uint32_t entry; /* of process->heap_entries */
  uint32_t slice; /* of process->slices; from their number on: nobody knows when */
  struct heap_sums sums, variances; /* without at_peak; `live` may become less, as numbers without
                                       a sign have it */
};

struct thread_entry {
  uint32_t index; /* in the recording */
  uint32_t tid;
  uint32_t owners;
  uint32_t start_function; /* index or NOTHING */
  uint32_t spawned_in;     /* context index or NOTHING */
  uint64_t ticks, lost, cpu_ns, cpu_system_ns, cpu_ticked_ns, ticked_ns;
  uint64_t lived_ns;  /* from begin to end, of all its owners */
  uint64_t ready_ns;  /* of seen_waits: without a processor that it wanted */
  uint64_t unseen_ns; /* of seen_waits: waiting that no look stands for */
  char name[17];
};

/* What its ticks are of: CPU time, or events in the order in which they were asked for. */
struct measure_entry {
  const char *event; /* TICK_EVENT: its name; or null */
  uint64_t counted;  /* TICK_EVENT: by the kernel, without pauses */
  double squares;    /* sum of the squares of all single ticks' weights; 0: not known */
};

struct seen_waits;

/* One process image (one file). */
enum process_end {
  PROCESS_END_UNKNOWN, /* it was killed, still runs, or went on as a program without the runtime */
  PROCESS_END_EXIT,    /* exit, _exit or a return from main */
  PROCESS_END_EXEC,    /* it went on as another program */
  PROCESS_END_SIGNAL,
  PROCESS_END_RUNNING, /* it still ran when the recording was read */
};

struct process_recording {
  struct recording_header header;
  enum process_end end;   /* as far as the recording tells, or process_ends.h */
  int end_signal;         /* PROCESS_END_SIGNAL: which; else 0 */
  bool gone_on;           /* PROCESS_END_UNKNOWN: it was not killed, and runs no longer */
  uint32_t sequence;      /* N of PID.N.recording */
  const char *executable; /* never null; "" when unknown */
  const char *command;    /* arguments joined with blanks */
  const char *directory;
  const char *host;
  uint64_t unknown_ns; /* CPU time in no figure, of processes that were killed or not recorded; of
                        * all of them, in the first of the recording */
  uint64_t ticked_since_ns; /* of its CPU time, what is known by ticks only (process_ends.h) */
  uint64_t slow_steps;      /* calls that missed their home slot, of all threads */
  int truncated; /* 1: the file ends early, a part was not readable, or the file of the process it
                  * was forked from is missing; the rest is here */
  struct object_entry *objects; /* by start, then by load */
  const struct world *centres;  /* the one of cost centres and closures; null: there are none */
  size_t object_count;
  struct function_entry *functions; /* sorted by nothing; index 0 .. */
  size_t function_count;
  struct context_entry *contexts;
  size_t context_count;
  struct transition_entry *transitions;
  size_t transition_count;
  struct entries_part *entries; /* in any order; what is in none came last */
  size_t entry_count;
  struct counters_entry *counters;
  size_t counters_count;
  uint64_t *counts; /* of all threads together */
  size_t count_count;
  struct point_entry *points; /* in any order */
  size_t point_count;
  struct call_entry *calls;
  size_t call_count;
  struct tick_entry *ticks;
  size_t tick_count;
  struct recorded_slice *slices; /* in order; of damaged files, at any times */
  size_t slice_count;
  struct measure_entry measures[EVENTS_MOST];
  size_t measure_count; /* at least 1 */
  struct thread_entry *threads;
  size_t thread_count;
  const struct seen_waits *waits; /* null: nobody looked */
  struct message_entry *messages;
  size_t message_count;
  struct message_end *message_ends; /* as they were posted; at one moment, as the thread did it */
  size_t message_end_count;
  bool heap_recorded;
  struct recorded_heap heap; /* if so: what belongs to no stack */
  struct heap_entry *heap_entries;
  size_t heap_count;
  struct heap_part *heap_parts;
  size_t heap_part_count;
  const char **heap_names; /* by the number in a kind; null: none of that number */
  size_t heap_name_count;
};

/* What was seen from outside of the threads of a process while they waited. */
struct seen_waits {
  /* Its contexts, ticks and what these refer to; `weight` of ticks is in nanoseconds.  Threads are
   * those of the process with the same `index`. */
  struct process_recording seen;
  /* Nanoseconds of all threads together: between the first and the last look, on a processor, and
   * waiting for one. Without pauses. */
  uint64_t looked_ns, ran_ns, ready_ns;
  bool paused; /* there were pauses */
  int refused; /* errno: the kernel did not let us see where threads waited; or 0 */
};

struct recording {
  struct process_recording *processes; /* in order of their start */
  size_t process_count;
};

/* Open the recording at `path`: a directory, or one file of it (its neighbours are looked into
 * for what a forked process shares with its parent).  Files that are foreign, of a
 * newer version or damaged beyond reading fail; a directory fails only if no file in it can be
 * read, and `*skipped` (may be null) counts the others.  On success *recording is the caller's,
 * to be freed with recording_close. */
int recording_open(const char *path, struct recording **recording, size_t *skipped,
                   struct error *error);
void recording_close(struct recording *recording);

/* What the closures of this number are (struct heap_entry). Returns false where the recording does
 * not say. */
bool recording_closure(const struct process_recording *process, uint32_t number,
                       struct key_definition *definition);

/* Order the objects of a process, and find those that its functions are in: for who makes a
 * recording in another way than by reading a file. */
void recording_resolve_objects(struct process_recording *process);

/* The object in which `address` lay at `epoch`, or NOTHING.  UINT64_MAX: the one that is there at
 * the end, else the one that went last. */
uint32_t recording_object_at(const struct process_recording *process, uint64_t address,
                             uint64_t epoch);

#endif
