/* Profile your language: what its runtime tells Ascribe.  Copy this file; there is nothing to link.
 *
 * A *world* is what the runtime runs: a script, a heap of closures.  Its *points* are functions and
 * places in them, such as calls.  They may be defined at any time before they are used, by any
 * thread.
 *
 *     if (ascribe_host_begin()) {                            once, before anything else
 *       uint32_t world = ascribe_host_world("queens.scm");
 *       uint32_t file = ascribe_host_file(world, "/home/me/queens.scm");
 *       fib = ascribe_host_function(world, "fib", file, ascribe_range_of(1, 1, 3, 34));
 *       call = ascribe_host_place(fib, ASCRIBE_CALL, ascribe_range_of(3, 10, 3, 23));
 *     }
 *
 * The *context* of a thread says which functions of the host's program are active.  It is a number,
 * 0 in none, that the runtime keeps where it keeps the frame of the function:
 *
 *     frame.caller = ascribe_enter(callee, site);            counts the call
 *     frame.own = ascribe_context();
 *     ...
 *     ascribe_leave(frame.caller);                           before it returns
 *
 * After a jump into a function (a continuation, an error handler, a coroutine that goes on),
 * ascribe_leave(frame.own) puts the function's own context back.  A context stays valid as long as
 * the process lives, in any thread of it and in forked children.
 *
 * A tail call either leaves first, as the stack has it, or does not: then the caller stays active
 * while its callee runs.  Both are right, and cycles come to an end either way.
 *
 * A lazy program's costs belong to its *cost centres*: which thunk belongs to which, and when one
 * is current, the calls at the end say.  They are apart from contexts; a host may use either or
 * both.
 *
 * Nothing here fails: what has no room, or makes no sense, is not recorded, and the report says so.
 * All of it may be called in signal handlers, where nothing says otherwise.  In a program that is
 * not recorded, entering and leaving are a load and a branch each.
 *
 * C99 and C++11, gcc and clang, Linux on x86-64; elsewhere nothing is recorded.  docs/HOSTS.md. */
#ifndef ASCRIBE_HOST_H
#define ASCRIBE_HOST_H

#include <stdint.h>

/* A function or place; 0: none. */
typedef uint64_t ascribe_point;

/* A part of a source file.  Lines and columns count from 1; 0: not known.  The end is behind the
 * last character. */
struct ascribe_range {
  uint32_t line, column;
  uint32_t end_line, end_column;
};

/* Kinds of places.  A branch has two places, one for each way, both with the range of its
 * condition; a loop has two as well. */
enum ascribe_place_kind {
  ASCRIBE_CALL = 1,         /* a call */
  ASCRIBE_EXPRESSION = 2,   /* source that is executed as a whole */
  ASCRIBE_BRANCH_TRUE = 3,  /* where a condition goes if it holds */
  ASCRIBE_BRANCH_FALSE = 4, /* and if not */
  ASCRIBE_LOOP_ENTRY = 5,   /* into a loop from outside */
  ASCRIBE_LOOP_TRIP = 6     /* a round of it */
};

/* A part of a lazy program, which its source names (`scc "parse" e`); 0: none. */
typedef uint64_t ascribe_cost_centre;

/* Which centre pays for the call of a function. */
enum ascribe_function_rule {
  ASCRIBE_BY_CALLER = 1, /* to its caller's centre: Sansom and Peyton Jones 1992, rule 2 */
  ASCRIBE_LEXICAL = 2    /* to the centre that it was built in: GHC since 1995 */
};

/* Closures of one kind, description and size; 0: none. */
typedef uint64_t ascribe_closure;

/* Kinds of closures (section 5.1 of the paper, see below). */
enum ascribe_closure_kind {
  ASCRIBE_CONSTRUCTOR = 1,         /* evaluated data, described by its constructor */
  ASCRIBE_FUNCTION = 2,            /* with arguments, described by its name */
  ASCRIBE_PARTIAL_APPLICATION = 3, /* of a function, described by "PAP" */
  ASCRIBE_THUNK = 4                /* unevaluated, described by the function that it applies */
};

/* See ascribe_host_stack. */
typedef int (*ascribe_stack)(ascribe_point *points, int room, void *data);
#define ASCRIBE_STACK_NONE 0
#define ASCRIBE_STACK_LATER (-1)

/* ---- the contract with the runtime ---- */

#define ASCRIBE_HOST_VERSION 4
#define ASCRIBE_HOST_NOT_RECORDED 0
#define ASCRIBE_HOST_BY_CALLS 1                /* every change of context is to be a call */
#define ASCRIBE_CLOSURE_IN_CENSUS (1ull << 40) /* added to a closure: it counts in a census */

/* One for each executable and library: zeros but for the version until the runtime fills it.
 * Places are in bytes from the thread pointer. */
struct ascribe_host {
  uint32_t version; /* ASCRIBE_HOST_VERSION */
  uint32_t reserved;
  int64_t context; /* of the thread's context: uint32_t; below 0. Or one of the following. Behind
                      it is the context that ticks are charged to, or 0: that one */
  int64_t gate;    /* of the pointer to the thread's struct ascribe_gate (ascribe/hook.h) */
  uint32_t (*enter)(ascribe_point callee, ascribe_point site);
  uint32_t (*go_on)(ascribe_point callee);
  void (*leave)(uint32_t context);
  uint32_t (*current)(void);
  uint32_t (*world)(const char *name);
  uint32_t (*file)(uint32_t world, const char *path);
  ascribe_point (*function)(uint32_t world, const char *name, uint32_t file,
                            struct ascribe_range range);
  ascribe_point (*place)(ascribe_point within, uint32_t kind, struct ascribe_range range);
  void (*forget)(const ascribe_point *points, uint32_t count);
  volatile uint64_t *(*counters)(const ascribe_point *points, uint32_t count);
  void (*running)(const volatile ascribe_point *word);
  void (*own_code)(const void *start, const void *end);
  void (*stack)(ascribe_stack callback, void *data);
  void (*stack_now)(const ascribe_point *points, uint32_t count);
  uint32_t (*copy)(void *to, const void *from, uint32_t bytes);
  void (*clock)(const volatile uint64_t *counter, const char *unit);
  void (*thread_clock)(const volatile uint64_t *counter, const char *unit);
  int64_t centre; /* of the thread's centre: uint32_t. As `context` */
  ascribe_cost_centre (*define_centre)(const char *label, const char *module, const char *path,
                                       uint32_t line);
  uint32_t (*enter_centre)(ascribe_cost_centre centre);
  uint32_t (*current_centre)(void);
  void (*put_centre)(uint32_t centre);
  void (*function_rule)(uint32_t rule);
  uint32_t rule; /* enum ascribe_function_rule that this part of the program chose; or 0 */
  ascribe_closure (*define_closure)(uint32_t kind, const char *description, uint64_t bytes);
  uint32_t (*allocated)(ascribe_closure closure);
  void (*census_begin)(void);
  void (*census_add)(ascribe_closure closure, uint32_t centre);
  void (*census_end)(void);
};

/* As struct ascribe_slot of ascribe/hook.h. */
struct ascribe_host_slot {
  uint32_t from, to;
  ascribe_point callee, site;
  uint64_t count;
};

/* A host may keep where it found slots in memory of each thread's own, whose address it writes into
 * the thread's gate (`spare`) once that has a table.  A line is 32 bytes; the first 8 are what it
 * is found by, 0 in an empty one.  The runtime empties all lines when the thread's calls are to be
 * counted elsewhere, as in a pause; the slots remain.  A forked child finds zeros there
 * (MADV_WIPEONFORK), and its gate has no address.  Not for hosts that forget points. */
struct ascribe_host_line {
  uint64_t key;
  uint64_t words[3];
};
struct ascribe_host_lines {
  uint64_t empty;   /* 0 */
  uint64_t count;   /* of lines from here; each has a block of further lines */
  uint64_t further; /* bytes from here to the first block */
  uint64_t used;    /* bytes from here to a byte for each block: 0 if all its lines are empty */
};
#define ASCRIBE_HOST_FURTHER_LINES 256

#ifndef ASCRIBE_RUNTIME

#define ASCRIBE_HOST_INLINE                                                                        \
  static __inline__ __attribute__((always_inline, unused, no_instrument_function))

#if defined(__x86_64__) && defined(__LP64__) && defined(__linux__) && defined(__GNUC__)
#define ASCRIBE_HOST_HERE 1
#else
#define ASCRIBE_HOST_HERE 0
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Parts of a program may have headers of different versions. */
#define ascribe_host_here ascribe_host_here_4
extern struct ascribe_host ascribe_host_here;
__attribute__((weak, visibility("hidden"))) struct ascribe_host ascribe_host_here = {
    ASCRIBE_HOST_VERSION,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0};

/* Whether this process is recorded; if not, nothing needs to be defined.  Once in each executable
 * or library with this header.  The runtime is there or not: a weak reference, by the GOT, since
 * linkers resolve any other in an executable that is not position-independent. */
ASCRIBE_HOST_INLINE int ascribe_host_begin(void) {
#if ASCRIBE_HOST_HERE
  void (*loaded)(struct ascribe_host *);
  __asm__(".weak ascribe_host_loaded\n\t"
          "{movq ascribe_host_loaded@GOTPCREL(%%rip), %0|"
          "mov %0, QWORD PTR ascribe_host_loaded@GOTPCREL[rip]}"
          : "=r"(loaded));
  if (loaded) loaded(&ascribe_host_here);
#endif
  return ascribe_host_here.context != ASCRIBE_HOST_NOT_RECORDED;
}

ASCRIBE_HOST_INLINE int ascribe_host_recorded(void) {
  return ASCRIBE_HOST_HERE && ascribe_host_here.context != ASCRIBE_HOST_NOT_RECORDED;
}

/* ---- definitions ----
 *
 * Names and paths are copied; of each, 1000 bytes count. 0 where nothing is recorded. */

/* A world, by a name that a user knows: 1 to 60 of them.  The same name is the same world. */
ASCRIBE_HOST_INLINE uint32_t ascribe_host_world(const char *name) {
  return ascribe_host_recorded() ? ascribe_host_here.world(name) : 0;
}

/* A source file, by its absolute path. */
ASCRIBE_HOST_INLINE uint32_t ascribe_host_file(uint32_t world, const char *path) {
  return ascribe_host_recorded() ? ascribe_host_here.file(world, path) : 0;
}

/* From the first character to behind the last; 0 for what is not known. */
ASCRIBE_HOST_INLINE struct ascribe_range ascribe_range_of(uint32_t line, uint32_t column,
                                                          uint32_t end_line, uint32_t end_column) {
  struct ascribe_range range = {line, column, end_line, end_column};
  return range;
}

/* One of which only the beginning is known. */
ASCRIBE_HOST_INLINE struct ascribe_range ascribe_range_at(uint32_t line, uint32_t column) {
  return ascribe_range_of(line, column, 0, 0);
}

/* A function; "" if it has no name.  Its range is from its first character to behind its last. */
ASCRIBE_HOST_INLINE ascribe_point ascribe_host_function(uint32_t world, const char *name,
                                                        uint32_t file, struct ascribe_range range) {
  return ascribe_host_recorded() ? ascribe_host_here.function(world, name, file, range) : 0;
}

/* A place in a function or in a larger place, of the same file. */
ASCRIBE_HOST_INLINE ascribe_point ascribe_host_place(ascribe_point within,
                                                     enum ascribe_place_kind kind,
                                                     struct ascribe_range range) {
  return ascribe_host_recorded() ? ascribe_host_here.place(within, (uint32_t)kind, range) : 0;
}

/* The code of functions or places is gone; those in them go with a function.  Their numbers are not
 * used again.  What was counted stays, and so does a function that is active: its contexts are
 * valid, and so are counters that are there.  What else still uses one is left out and counted.
 * Takes the longer the more transitions there are: points that were defined one after the other, in
 * one call, cost as much as one. */
ASCRIBE_HOST_INLINE void ascribe_host_forget(const ascribe_point *points, uint32_t count) {
  if (ascribe_host_recorded()) ascribe_host_here.forget(points, count);
}

/* ---- executions ---- */

/* Counters in the recording, all 0: add 1 to word i each time that points[i] is executed, or called
 * if it is a function.  Null if nothing is recorded, or if there is no room.  Each thread asks for
 * its own: where two threads add to one word, counts get lost.  Sets of several threads add up, as
 * do several sets with one point.  They stay where they are as long as the process lives; a forked
 * child finds counters of its own there.  A point with a counter that is 0 never ran; of one
 * without nobody knows.  Functions that are entered (below) are counted by that. */
ASCRIBE_HOST_INLINE volatile uint64_t *ascribe_host_counters(const ascribe_point *points,
                                                             uint32_t count) {
  return ascribe_host_recorded() ? ascribe_host_here.counters(points, count) : 0;
}

/* One instruction: a signal may interrupt. */
ASCRIBE_HOST_INLINE void ascribe_count(volatile uint64_t *counter) {
#if ASCRIBE_HOST_HERE
  __asm__ volatile("{incq (%0)|inc QWORD PTR [%0]}" : : "r"(counter) : "memory");
#else
  (void)counter;
#endif
}

/* ---- contexts ---- */

#if ASCRIBE_HOST_HERE
/* A word of the calling thread's: `place` is its offset from the thread pointer. */
ASCRIBE_HOST_INLINE uint32_t ascribe_thread_word(int64_t place) {
  uint32_t word;
  __asm__ volatile("{movl %%fs:(%1), %0|mov %0, DWORD PTR fs:[%1]}" : "=r"(word) : "r"(place));
  return word;
}

ASCRIBE_HOST_INLINE uint32_t ascribe_context_read(void) {
  return ascribe_thread_word(ascribe_host_here.context);
}

ASCRIBE_HOST_INLINE void ascribe_context_write(uint32_t context) {
  __asm__ volatile("{movq %0, %%fs:(%1)|mov QWORD PTR fs:[%1], %0}"
                   :
                   : "r"((uint64_t)context), "r"(ascribe_host_here.context));
}

ASCRIBE_HOST_INLINE char *ascribe_context_gate(void) {
  char *gate;
  __asm__ volatile("{movq %%fs:(%1), %0|mov %0, QWORD PTR fs:[%1]}"
                   : "=r"(gate)
                   : "r"(ascribe_host_here.gate));
  return gate;
}
#endif

/* The thread's context. */
ASCRIBE_HOST_INLINE uint32_t ascribe_context(void) {
#if ASCRIBE_HOST_HERE
  if (ascribe_host_here.context < 0) return ascribe_context_read();
  if (ascribe_host_recorded()) return ascribe_host_here.current();
#endif
  return 0;
}

/* As ascribe_enter, which follows; `own` is then the context that it enters.  The mask is read
 * before the table, for a handler may replace both in between: see ascribe/hook.h. */
ASCRIBE_HOST_INLINE uint32_t ascribe_enter_own(ascribe_point callee, ascribe_point site,
                                               uint32_t *own) {
#if ASCRIBE_HOST_HERE
  if (ascribe_host_here.context < 0) {
    uint32_t from = ascribe_context_read();
    char *gate = ascribe_context_gate();
    uint64_t mask = ((const volatile uint64_t *)gate)[0];
    uint64_t table = ((const volatile uint64_t *)gate)[1];
    uint64_t hash = (site + 2 * callee) * 0x1E3779B1u + (uint64_t)from * 8;
    struct ascribe_host_slot *slot =
        (struct ascribe_host_slot *)((uintptr_t)gate + table + (hash & mask));
    if (__builtin_expect(
            slot->callee != callee || slot->from != from || slot->site != site || !callee, 0)) {
      ascribe_host_here.enter(callee, site);
      *own = ascribe_context_read();
      return from;
    }
    /* One instruction: a signal may interrupt. */
    __asm__ volatile("{incq (%0)|inc QWORD PTR [%0]}" : : "r"(&slot->count) : "memory");
    *own = slot->to;
    ascribe_context_write(*own);
    return from;
  }
  if (ascribe_host_recorded()) {
    uint32_t from = ascribe_host_here.enter(callee, site);
    *own = ascribe_host_here.current();
    return from;
  }
#endif
  (void)callee, (void)site;
  return *own = 0;
}

/* The function is called at the site (0: nobody knows).  Returns the caller's context. */
ASCRIBE_HOST_INLINE uint32_t ascribe_enter(ascribe_point callee, ascribe_point site) {
  uint32_t own;
  return ascribe_enter_own(callee, site, &own);
}

/* As ascribe_enter, of a generator that goes on where it was left: no call is counted. */
ASCRIBE_HOST_INLINE uint32_t ascribe_go_on(ascribe_point callee) {
  return ascribe_host_recorded() ? ascribe_host_here.go_on(callee) : 0;
}

/* Put a context back. */
ASCRIBE_HOST_INLINE void ascribe_leave(uint32_t context) {
#if ASCRIBE_HOST_HERE
  if (ascribe_host_here.context < 0)
    ascribe_context_write(context);
  else if (ascribe_host_recorded())
    ascribe_host_here.leave(context);
#else
  (void)context;
#endif
}

/* ---- lazy programs ----
 *
 * Cost centres by the rules of Sansom and Peyton Jones, "Profiling Lazy Functional Languages"
 * (1992), Appendix A; their numbers are in brackets.  A centre's number, 0 in none, is kept in
 * closures and frames:
 *
 *     closure->centre = ascribe_built();                       a closure is built (3)
 *     frame->demander = ascribe_enter_thunk(thunk->centre);    a thunk is entered (15, 15')
 *     frame->demander = ascribe_scc(centre);                   `scc` is evaluated
 *     thunk->centre = ascribe_update(frame->demander);         its value is there (16, 17a)
 *     ascribe_restore(frame->demander);                        or there is nothing to update:
 *                                                              of `scc` and single-entry thunks
 *                                                              (16', 17a')
 *
 * Entering a closure that is evaluated calls nothing (2); but for functions see ascribe_call_built.
 * They take the calling thread's centre, which ascribe/ascribe.h has, too: scopes in C code that
 * the program calls are inside of its centres.
 *
 * A number stays valid as long as the process lives, in any thread and in forked children.  A thunk
 * that two threads enter at once is charged to its builder in both.  Where
 * frames are skipped (an exception, longjmp), ascribe_restore with the demander of the outermost
 * frame that was skipped is enough.  A number that was never given out is in no centre; if `scc` is
 * evaluated there, the report says so.  Each call is two or three instructions, and one more for an
 * `scc` that was not evaluated from there before. */

/* A centre: its label, as in the source; its module, in which labels are one centre if they are
 * equal; and where it stands first.  The texts are copied; of each, 1000 bytes count.  Any thread,
 * signal handlers too.  0: nothing is recorded, or there is no room. */
ASCRIBE_HOST_INLINE ascribe_cost_centre ascribe_host_centre(const char *label, const char *module,
                                                            const char *path, uint32_t line) {
  return ascribe_host_recorded() ? ascribe_host_here.define_centre(label, module, path, line) : 0;
}

/* Chooses the rule for functions of this executable or library, before its program runs; the
 * profile names it.  Without it, functions are charged to their callers, and no rule is named. */
ASCRIBE_HOST_INLINE void ascribe_host_functions(enum ascribe_function_rule rule) {
  if (!ascribe_host_recorded()) return;
  ascribe_host_here.rule = (uint32_t)rule;
  ascribe_host_here.function_rule((uint32_t)rule);
}

#if ASCRIBE_HOST_HERE
ASCRIBE_HOST_INLINE uint32_t ascribe_host_centre_read(void) {
  return ascribe_thread_word(ascribe_host_here.centre);
}

ASCRIBE_HOST_INLINE void ascribe_host_centre_write(uint32_t centre) {
  __asm__ volatile("{movl %0, %%fs:(%1)|mov DWORD PTR fs:[%1], %0}"
                   :
                   : "r"(centre), "r"(ascribe_host_here.centre));
}
#endif

/* A closure is built: the centre that it keeps (3). */
ASCRIBE_HOST_INLINE uint32_t ascribe_built(void) {
#if ASCRIBE_HOST_HERE
  if (ascribe_host_here.centre < 0) return ascribe_host_centre_read();
  if (ascribe_host_here.centre) return ascribe_host_here.current_centre();
#endif
  return 0;
}

/* An evaluation is over that updates nothing: its demander is charged again (16', 17a').  It may be
 * called again with what is current. */
ASCRIBE_HOST_INLINE void ascribe_restore(uint32_t demander) {
#if ASCRIBE_HOST_HERE
  if (ascribe_host_here.centre < 0)
    ascribe_host_centre_write(demander);
  else if (ascribe_host_here.centre)
    ascribe_host_here.put_centre(demander);
#else
  (void)demander;
#endif
}

/* A thunk is entered: whoever built it is charged. Returns its demander (15, 15').  No entry is
 * counted: entries are evaluations of `scc` (section 5.2). */
ASCRIBE_HOST_INLINE uint32_t ascribe_enter_thunk(uint32_t built) {
  uint32_t demander = ascribe_built();
  ascribe_restore(built);
  return demander;
}

/* A thunk has its value: its demander is charged again.  Returns the centre that evaluated it,
 * which the value gets (16, 17a).  In a row of updates of one value, that is what the first
 * returned. */
ASCRIBE_HOST_INLINE uint32_t ascribe_update(uint32_t demander) {
  uint32_t evaluated = ascribe_built();
  ascribe_restore(demander);
  return evaluated;
}

/* `scc` is evaluated, which is counted. Returns whom to restore, as of a thunk. */
ASCRIBE_HOST_INLINE uint32_t ascribe_scc(ascribe_cost_centre centre) {
#if ASCRIBE_HOST_HERE
  if (ascribe_host_here.centre < 0) {
    uint32_t from = ascribe_host_centre_read();
    char *gate = ascribe_context_gate();
    uint64_t mask = ((const volatile uint64_t *)gate)[0];
    uint64_t table = ((const volatile uint64_t *)gate)[1];
    uint64_t hash = 2 * centre * 0x1E3779B1u + (uint64_t)from * 8;
    struct ascribe_host_slot *slot =
        (struct ascribe_host_slot *)((uintptr_t)gate + table + (hash & mask));
    if (__builtin_expect(slot->callee != centre || slot->from != from || !centre, 0))
      return ascribe_host_here.enter_centre(centre);
    /* One instruction: a signal may interrupt. */
    __asm__ volatile("{incq (%0)|inc QWORD PTR [%0]}" : : "r"(&slot->count) : "memory");
    ascribe_host_centre_write(slot->to);
    return from;
  }
  if (ascribe_host_here.centre) return ascribe_host_here.enter_centre(centre);
#endif
  (void)centre;
  return 0;
}

/* A function or partial application that was built at run time gets its arguments: by the lexical
 * rule the centre that it was built in is charged, by the other nothing changes.  Returns the
 * caller's centre: by the lexical rule, code that goes on after the call (a `case`, further
 * arguments) is to restore it; by the other, that changes nothing.  Functions of the top level are
 * charged to their callers by either rule: do not call this. */
ASCRIBE_HOST_INLINE uint32_t ascribe_call_built(uint32_t built) {
  uint32_t caller = ascribe_built();
  if (ascribe_host_here.rule == ASCRIBE_LEXICAL) ascribe_restore(built);
  return caller;
}

/* ---- allocation and live memory of lazy programs ----
 *
 * Allocation is counted by centre, kind and description (section 5 of the paper). The host's
 * collector tells what is live:
 *
 *     closure->centre = ascribe_allocated(cons);               in place of ascribe_built
 *
 *     ascribe_census_begin();                                  for each closure that is live:
 *     ascribe_census_add(cons, closure->centre);
 *     ascribe_census_end();
 *
 * A census is one moment of the profile's series, and the last one is what is live at the end.  The
 * collector may take one each time that so many bytes were allocated: then runs repeat exactly.
 * Its own time it charges to a centre of its own: ascribe_built, ascribe_restore(0), ascribe_scc,
 * and ascribe_restore with what was built.  Where an updated thunk stays in memory as an
 * indirection until the next collection, that is nobody's: it is not added. */

/* Defines a sort of closures; the description "" is shown as unknown.  The text is copied, up to
 * 1000 bytes.  A process has room for a million: define each once.  Any thread, signal handlers
 * too.  Returns 0 if nothing is recorded, or if there is no room. */
ASCRIBE_HOST_INLINE ascribe_closure ascribe_host_closure(enum ascribe_closure_kind kind,
                                                         const char *description, uint64_t bytes) {
  return ascribe_host_recorded()
             ? ascribe_host_here.define_closure((uint32_t)kind, description, bytes)
             : 0;
}

#if ASCRIBE_HOST_HERE
/* Counts in the slot of the closure and the centre; 0: there is none yet. */
ASCRIBE_HOST_INLINE int ascribe_host_count_closure(ascribe_closure closure, uint32_t centre) {
  char *gate = ascribe_context_gate();
  uint64_t mask = ((const volatile uint64_t *)gate)[0];
  uint64_t table = ((const volatile uint64_t *)gate)[1];
  uint64_t hash = 2 * closure * 0x1E3779B1u + (uint64_t)centre * 8;
  struct ascribe_host_slot *slot =
      (struct ascribe_host_slot *)((uintptr_t)gate + table + (hash & mask));
  if (__builtin_expect(slot->callee != closure || slot->from != centre || !closure, 0)) return 0;
  /* One instruction: a signal may interrupt. */
  __asm__ volatile("{incq (%0)|inc QWORD PTR [%0]}" : : "r"(&slot->count) : "memory");
  return 1;
}
#endif

/* One such closure is built: the centre that it keeps (3). 2 ns, and the first in a centre some 100
 * ns. */
ASCRIBE_HOST_INLINE uint32_t ascribe_allocated(ascribe_closure closure) {
#if ASCRIBE_HOST_HERE
  if (ascribe_host_here.centre < 0) {
    uint32_t centre = ascribe_host_centre_read();
    if (!ascribe_host_count_closure(closure, centre)) ascribe_host_here.allocated(closure);
    return centre;
  }
  if (ascribe_host_here.centre) return ascribe_host_here.allocated(closure);
#endif
  (void)closure;
  return 0;
}

/* A census of the heap begins and ends, in one thread, and not in a signal handler.  Threads with
 * heaps of their own take censuses of their own, which add up.  One that begins anew before it has
 * ended, never ends, or is interrupted by a pause of the recording does not count, and the report
 * says so. */
ASCRIBE_HOST_INLINE void ascribe_census_begin(void) {
  if (ascribe_host_recorded()) ascribe_host_here.census_begin();
}

ASCRIBE_HOST_INLINE void ascribe_census_end(void) {
  if (ascribe_host_recorded()) ascribe_host_here.census_end();
}

/* One more such closure is live, which belongs to that centre. */
ASCRIBE_HOST_INLINE void ascribe_census_add(ascribe_closure closure, uint32_t centre) {
#if ASCRIBE_HOST_HERE
  if (ascribe_host_here.centre < 0) {
    if (!ascribe_host_count_closure(closure | ASCRIBE_CLOSURE_IN_CENSUS, centre))
      ascribe_host_here.census_add(closure, centre);
  } else if (ascribe_host_here.centre) {
    ascribe_host_here.census_add(closure, centre);
  }
#else
  (void)closure, (void)centre;
#endif
}

/* ---- time ---- */

/* Until the thread's context changes next, ticks are charged to this one.  So a function that has
 * put its caller's context back, before a tail call of code that nobody instrumented, is charged
 * with what that takes. */
ASCRIBE_HOST_INLINE void ascribe_charge(uint32_t context) {
#if ASCRIBE_HOST_HERE
  if (ascribe_host_here.context < 0)
    __asm__ volatile("{movl %0, %%fs:4(%1)|mov DWORD PTR fs:[%1+4], %0}"
                     :
                     : "r"(context), "r"(ascribe_host_here.context));
#else
  (void)context;
#endif
}

/* A word of the calling thread's that has the point which runs, or 0. It is read in the handler of
 * ticks, until the thread ends or names another; null: none.  It may have the point shifted left by
 * 3, as runtimes with tagged integers keep it. */
ASCRIBE_HOST_INLINE void ascribe_host_running(const volatile ascribe_point *word) {
  if (ascribe_host_recorded()) ascribe_host_here.running(word);
}

/* Code that runs the host's program: the loop of an interpreter, code that the host made.  A tick
 * there is the running function's own time, and shown where the running point is.  A tick in other
 * native code is charged to that native function, as a callee of the running one.  Two null
 * pointers name all code outside of object files, such as a JIT's.  Up to 16 ranges. */
ASCRIBE_HOST_INLINE void ascribe_host_own_code(const void *start, const void *end) {
  if (ascribe_host_recorded()) ascribe_host_here.own_code(start, end);
}

/* For a host that does not enter functions: who asks its calling thread for the stack of its
 * program, in ticks that find the thread in no context; null: nobody, as before the callback's code
 * or data goes.  One for each thread: the last.
 *
 * It puts the running point and then, innermost first, the calls that have not returned into
 * `points`, and returns how many; more than `room`: there are more.  ASCRIBE_STACK_NONE: no program
 * of the host's runs.  ASCRIBE_STACK_LATER: it cannot be told now; the host calls
 * ascribe_host_stack_now at its next safe point.
 *
 * It runs in a signal handler, with all signals blocked, on a stack of 64 KB, at any instruction:
 * also where a frame is half made.  It may allocate nothing, lock nothing, leave errno as it was,
 * and must return: only SIGKILL ends a loop without end.  Memory that may not be there it reads by
 * ascribe_host_copy.  A fault in it is one of the program. */
ASCRIBE_HOST_INLINE void ascribe_host_stack(ascribe_stack callback, void *data) {
  if (ascribe_host_recorded()) ascribe_host_here.stack(callback, data);
}

/* The stack, as above, to which the ticks belong that were put off.  Not for signal handlers. */
ASCRIBE_HOST_INLINE void ascribe_host_stack_now(const ascribe_point *points, uint32_t count) {
  if (ascribe_host_recorded()) ascribe_host_here.stack_now(points, count);
}

/* Copies memory of the process, which may not be there; how many bytes were.  A system call.  In
 * one call of the callback only the first 65536 copy anything: frames may lead back to themselves.
 */
ASCRIBE_HOST_INLINE uint32_t ascribe_host_copy(void *to, const void *from, uint32_t bytes) {
  return ascribe_host_recorded() ? ascribe_host_here.copy(to, from, bytes) : 0;
}

/* A counter that only rises (after a step back it counts on from there, and the report says so),
 * for `ascribe record --clock host`: it is read at each change of context, and its counts are then
 * the metric, in this unit ("instructions"), in place of CPU time. There is one for the process: a
 * thread is charged with what all threads counted since the last reading.  Pass null before the
 * counter's memory goes, as with a library that is unloaded. */
ASCRIBE_HOST_INLINE void ascribe_host_clock(const volatile uint64_t *counter, const char *unit) {
  if (ascribe_host_recorded()) ascribe_host_here.clock(counter, unit);
}

/* The same, of the calling thread alone: it is charged with what this one counted. */
ASCRIBE_HOST_INLINE void ascribe_host_thread_clock(const volatile uint64_t *counter,
                                                   const char *unit) {
  if (ascribe_host_recorded()) ascribe_host_here.thread_clock(counter, unit);
}

#ifdef __cplusplus
}
#endif

#endif /* ASCRIBE_RUNTIME */
#endif
