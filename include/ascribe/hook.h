/* The contract between instrumented code and the runtime.
 *
 * ---- Contexts ----
 *
 * Instrumented code keeps one thing per thread: the *cell*, which points to the *row* of the
 * running context.  A row belongs to one function in one context and has a slot for each call site
 * of that function: which row the callee runs in, and how often it was called.  A call therefore is
 * a load at a constant place, a test, an increment and a store.  The caller puts its own row back
 * when the call has returned.  The C text below is the meaning of what the GCC plugin emits inline;
 * both must stay equal to it.
 *
 * At the entry of a function that may be entered by code without hooks:
 *
 *     own = cell.row;                                      volatile
 *     if (own->function != NUMBER) {                       no hooked call led here
 *         if (own->function == ASCRIBE_ROW_STANDBY)
 *             own &= ~ASCRIBE_ROW_TAG;
 *         else
 *             own = ascribe_row_enter(&function, frame address);
 *     }
 *
 * Functions whose callers are all known to have hooks only load the cell.
 *
 * At a call of a function that may have hooks (slot: next, count):
 *
 *     next = own->slot.next;
 *     if (next)
 *         own->slot.count += 1;                            one instruction: a signal may interrupt
 *     else
 *         next = ascribe_row_call(own, site);              counts the call; on standby: own
 *     cell.row = next;                                     volatile
 *     ...call...
 *     cell.row = own;                                      volatile; not after a tail call, nor
 *                                                          where the cell is soon written anyway
 *
 * At a call through a pointer (slot: next, count, callee) the test is `slot.callee == callee`, and
 * the rare way is ascribe_row_call_pointer.  Before a jump they are ascribe_row_jump and
 * ascribe_row_jump_pointer. A call of a leaf of the same unit that has no hooks is an
 * increment of a count below the row.
 *
 * At a call of a function that is taken to have no hooks and may call back:
 *
 *     cell.row = own | ASCRIBE_ROW_TAG;
 *     ...call...
 *     cell.row = own;
 *
 * A function that may be a signal handler, by its type, stores `own | ASCRIBE_ROW_TAG` in place of
 * `own` everywhere, also at its entry: a signal may interrupt it and enter it anew.
 *
 * Through a tagged pointer a callee reads `beside` in place of `function`. No function has such a
 * number, so a function that is called back always takes the slow way.
 *
 * Before each return of a function that tests its entry, and where an exception leaves it:
 *
 *     cell.row = own->outer;                               volatile
 *
 * `outer` is the row itself after a hooked call. After a call by code without hooks it is the value
 * that the cell had then.  The function stores its own row again wherever control may come back by
 * other ways: a second return of setjmp, a landing pad, a non-local label.
 *
 * A row on standby (nothing is recorded) has room for the slots of any function.  The runtime gives
 * each thread one whose slots lead back to it, so that hooks take their usual way; what they count
 * there is for nobody.  `next` is at a multiple of 16 bytes in every slot, counts are between.
 *
 * Source: Spivey, "Fast, accurate call graph profiling"; docs/design/contexts.md.
 */
#ifndef ASCRIBE_HOOK_H
#define ASCRIBE_HOOK_H

#include <stdint.h>

/* The function of a row: its number, odd and at least 3, or one of these. */
#define ASCRIBE_ROW_STANDBY 0u
#define ASCRIBE_ROW_OTHER 1u /* of no function that tests it */

/* A row begins 8 bytes before the counts of its leaves, with `struct ascribe_row_start`; then come
 * those counts, this header, aligned to 32, and its slots. */
struct ascribe_row {
  uint32_t function; /* number of the function, a hash of its name */
  uint32_t context;  /* its context in the recording */
  uint64_t outer;    /* see above */
  uint32_t beside;   /* even and not 0: twice the id of another row of the context, or all ones
                        but the last; 0 in a row on standby */
  uint32_t sites;    /* the function's sites in the recording (struct recorded_sites) */
  struct ascribe_function *code; /* null: no code with rows */
};

struct ascribe_row_start {
  uint32_t bytes;  /* of the row, this included; multiple of 32 */
  uint32_t leaves; /* and ASCRIBE_ROW_IN_PAUSE, in a pause in which the row was made */
};
#define ASCRIBE_ROW_IN_PAUSE 0x80000000u

static inline uint32_t ascribe_row_leaves(const struct ascribe_row_start *start) {
  return start->leaves & ~ASCRIBE_ROW_IN_PAUSE;
}

/* Bytes before the header. What is at 16 modulo 32 has its header at a multiple of 32. */
static inline uint64_t ascribe_row_below(uint32_t leaves) {
  return (sizeof(struct ascribe_row_start) + 8ull * leaves + 16 + 31) / 32 * 32 - 16;
}
#define ASCRIBE_ROW_FIRST 16u /* where a block's first row is, behind the block's header */

struct ascribe_slot_direct {
  uint64_t next; /* a row, or the row itself, tagged: a callee without hooks */
  uint64_t count;
};
struct ascribe_slot_pointer {
  uint64_t next;
  uint64_t count;
  uint64_t callee; /* written last */
  uint64_t spare;
};

#define ASCRIBE_ROW_TAG 16u /* this bit of a pointer to a row; rows are aligned to 32 */

/* Room on either side of a row on standby: what has more sites than this shares slots. */
#define ASCRIBE_ROW_BELOW 4096u
#define ASCRIBE_ROW_ABOVE 32768u

enum ascribe_site_kind {
  ASCRIBE_SITE_LEAF = 1,
  ASCRIBE_SITE_DIRECT = 2,
  ASCRIBE_SITE_POINTER = 3,
  ASCRIBE_SITE_CONTINUES = 4, /* the function goes on in a piece of its own: no call */
  ASCRIBE_SITE_KINDS = 7,
  ASCRIBE_SITE_TAIL = 8 /* added: it is a jump */
};

/* A call site, for the runtime. The compiler names the callee if no other unit can; otherwise the
 * runtime learns it from the first call. */
struct ascribe_site {
  uint64_t learned; /* a struct ascribe_function, or ASCRIBE_CALLEE_*; 0: not called yet */
  int32_t callee;   /* bytes from here to the callee's struct ascribe_function; 0: not known */
  int16_t place;    /* of its slot, in 8 bytes from the row; 0: the runtime counts each call */
  uint8_t kind;
  uint8_t arguments; /* stack that its arguments may take, in 16 bytes */
};
#define ASCRIBE_CALLEE_UNHOOKED 1u
#define ASCRIBE_CALLEE_TRIED 2u

/* An address in the code of a site. A site that the optimizer copied has several. */
struct ascribe_place {
  int32_t code; /* bytes from here to the code */
  uint32_t site;
  int32_t callee; /* bytes from here to the function it calls, or to a PLT entry of it; 0: a
                     pointer, or known to ascribe_site */
};

/* A function with rows; in the data of its object. */
struct ascribe_function {
  int32_t code; /* bytes from here to the function */
  uint32_t number;
  uint32_t bytes; /* of its rows from the header on; multiple of 16 */
  uint32_t leaves;
  uint32_t site_count;
  int32_t places;      /* bytes from here to the first place */
  int32_t places_end;  /* bytes from here to their end */
  uint32_t id;         /* the runtime's: of the function in the recording, plus 1 */
  uint32_t recorded;   /* the runtime's: its struct recorded_sites */
  uint32_t keeps_cell; /* 1: at its entry the cell stays as it is: it restores none, or stores a
                          tagged row itself */
  struct ascribe_site sites[];
};

/* The thread's state, for the runtime. It lies in a page of its own that a forked child sees as
 * zeros (MADV_WIPEONFORK). */
struct ascribe_gate {
  uint64_t mask;  /* (slots - 1) * 32 of the table of calls that have no slot in a row */
  uint64_t table; /* bytes from this gate to the table */
  uint64_t owner; /* the runtime's own thread state; 0 in a child that was just forked, and
                     before a thread's first call; ASCRIBE_STANDBY: the process does not record */
  uint64_t spare; /* in a thread's own: its struct ascribe_host_lines (ascribe/host.h), or 0 */
};

#define ASCRIBE_STANDBY 1u

/* Thread-local. */
struct ascribe_cell {
  struct ascribe_row *row;   /* running, may be tagged; written by the hooks */
  struct ascribe_gate *gate; /* never null: the inert gate until the thread is known */
};

/* One transition of the table: 32 bytes, aligned to 32, one cache line.  There the runtime counts
 * calls that have no slot in a row: of functions that code without hooks entered or that called
 * hooks enter, of further callees of a pointer, of code that counts (below). */
struct ascribe_slot {
  uint32_t from;   /* context or row id; 0: the thread's root; may have ASCRIBE_TAGGED set */
  uint32_t to;     /* context or row id */
  uint64_t callee; /* address of the function's own symbol; 0: the slot is empty */
  uint64_t site;   /* return address of the call, or the place of its site */
  uint64_t count;
};

/* In `from`: the row was tagged. No id has this bit. */
#define ASCRIBE_TAGGED 0x80000000u

/* Byte offset of the home slot before masking.  All arithmetic is modulo 2^64. */
#define ASCRIBE_HASH_SITE 0x1E3779B1u
#define ASCRIBE_HASH_CONTEXT 8u /* ids are several units apart: neighbours get their own slots */
#define ASCRIBE_HASH(context, callee, site)                                                        \
  (((uint64_t)(site) + 2 * (uint64_t)(callee)) * ASCRIBE_HASH_SITE +                               \
   (uint64_t)(context)*ASCRIBE_HASH_CONTEXT)

/* ---- Counts ----
 *
 * Code with counters does not keep a context. Its counters lie in the section `ascribe_counts` of
 * its object. Each unit has an entry in the section `ascribe_units` that says where the unit's
 * counters are. Code of executables counts with
 *
 *     incq %gs:counter(%rip)        one instruction: a signal may interrupt
 *     incq %gs:distance(register)   where that holds the address of one near it
 *
 * The base of %gs is 0 unless it is set, so without a recording the program counts in the section.
 * The runtime keeps one area per thread in the recording, with room for the counters of all
 * objects. All areas have the same layout. The base of %gs is the distance from the section to the
 * thread's area. Programs that use %gs themselves (--without-gs) have a thread-local word instead.
 * It holds the distance from the first area, to which the units point, to the thread's area:
 *
 *     counters = unit.counters + ascribe.counts;
 *     counters[i] += 1;                                    one instruction, too
 *
 * The section .debug.ascribe says what each counter counts (ascribe/counter_points.h). The unit's
 * first counter is not used for counting: in the first area the runtime writes the unit's checksum
 * there, so that readers can tell whether they have the description of the code that ran.
 *
 * A library may be loaded while threads count already, and its code may run before the runtime
 * knows of it, or before it is relocated. So code for shared libraries has no thread-local symbol.
 * The runtime first tells the object where the thread's word is, then opens the unit:
 *
 *     mask = unit.mask;                                    first (volatile),
 *     word = ascribe_counting.word;                        then this,
 *     counters = unit.counters + (mask & *(thread pointer + word));  then these
 *
 * While the mask is 0, the word has no effect. `word` is 0 then, and the load reads the thread
 * pointer itself, which is always there.
 *
 * A call through a pointer has two counters. The first, the cell, holds the address of the function
 * that was called there first (in the unit's counters, for all threads); the second counts the
 * calls of that function. Any other callee is counted in a transition, as above: its caller is 0,
 * its callee has the bit ASCRIBE_CALL_INDIRECT, and no context is stored. Executables leave that to
 * ascribe_count_callee, and the site is the address of the cell in the section; in libraries it is
 * the address of the function plus the number of the call in it. Code that counts by %gs
 * leaves all of that to ascribe_count_call where a call is rarer than its function. */
#define ASCRIBE_CALL_INDIRECT (1ull << 61)

struct ascribe_unit {
  uint64_t counters; /* address of the unit's counters: the section's, or in the first area */
  uint64_t mask;     /* 0 until it is taken over, then all ones; of executables no mask, but (in
                        the lower half) one of the following */
  uint64_t checksum; /* of what is counted in it (counter_unit_checksum); never 0 */
  uint64_t reserved; /* 0 */
};
#define ASCRIBE_UNIT_DIRECT 1  /* adds ascribe.counts by its name */
#define ASCRIBE_UNIT_SEGMENT 2 /* counts by %gs */

/* One for each object with code for shared libraries (hidden): zeros until it is taken over. Where
 * the thread's word and the pointer to its gate are, in bytes from the thread pointer. */
struct ascribe_counting {
  uint64_t word, gate;
  uint64_t enter_slow; /* as ascribe_enter_slow */
  uint64_t unloaded;   /* void (struct ascribe_unit *first), or 0: called by a destructor of the
                          object, after its others */
};

/* Symbols that instrumented objects refer to.  Every instrumented object carries weak inert
 * definitions (one COMDAT group `ascribe_inert_v4`), so that it links and runs without the
 * runtime; the runtime's strong definitions override them. The contexts way has its own names:
 * objects of different ways may meet in one program.  The thread-local ones are no C identifiers:
 * libtool declares every symbol that nm shows and that could be one as a plain `char` and links
 * that, which the linker refuses for thread-local storage.
 *
 *   ascribe.row          TLS, struct ascribe_cell, initialised { &ascribe_inert_row,
 *                        &ascribe_inert_gate }
 *   ascribe_inert_row    a row on standby, whose slots are empty and whose `outer` is itself; the
 *                        runtime's own is ASCRIBE_ROW_OTHER, so that each thread is met
 *   ascribe_inert_gate   struct ascribe_gate, { 0, 0, ASCRIBE_STANDBY, 0 }
 *   ascribe_row_enter    x86-64, from the rare ways of the hooks, as are the next four: rax =
 *                        function; the canonical frame address was pushed and is taken off again;
 *                        returns the own row in rax; keeps every other register but the flags
 *   ascribe_row_call     rax = own row; the site's number was pushed; returns the row to call in
 *   ascribe_row_call_pointer  the same; before that the callee was pushed
 *   ascribe_row_jump, ascribe_row_jump_pointer  the same before a jump; first the canonical frame
 *                        address was pushed
 *   ascribe_enter        rax = callee, [rsp + 8] = site, left there: for hooks that know no rows;
 *                        returns the row that stands for the own context
 *   ascribe.frames       TLS, pointer to the stack of frames that only the hooks of
 *                        -finstrument-functions use (ascribe/hooks_inline.h); inert: null
 *   ascribe_frames_grow  gives the thread one where it can; keeps every register but the flags;
 *                        inert one: returns.
 *   ascribe_read_clock   x86-64, in code compiled with --clock=tsc: called just before every write
 *                        of cell.row; charges the cycles since the last call to the context
 *                        that is being left; keeps every register but the flags; inert: returns.
 *   ascribe_object_loaded  void (void): called by a constructor of every instrumented shared
 *                        library, before its other constructors; inert one: returns.
 *   ascribe.counts       TLS, see above; inert: 0; of code for executables only
 *   ascribe_count_callee  of executables: a call through a pointer has another callee than its
 *                        cell. rax = address of the cell in the section, [rsp + 8] at its entry =
 *                        callee (pushed as ascribe_enter_slow's site); takes a free cell; keeps
 *                        every register but rax and the flags; inert: returns.
 *   ascribe_count_call, ascribe_count_call_below  of executables: rax = callee, r11 = address of
 *                        the cell in the section; counts by %gs, or as the last one does; keeps
 *                        every register but r11 and the flags; inert: returns. The second is called
 *                        128 bytes below the caller's stack pointer, where the caller may keep
 *                        variables in those.
 *   ascribe_counts_loaded  void (struct ascribe_unit *first, struct ascribe_unit *end,
 *                        uint64_t *counters, uint64_t *counters_end, const void *code,
 *                        struct ascribe_counting *counting): called by a constructor of every
 *                        object with code for shared libraries and counters, before its other
 *                        constructors; `code` is an address in its text. No inert one: a weak
 *                        reference, the only one of such code, so that no linker can bind a part of
 *                        the hooks elsewhere than the rest.
 */
#endif
