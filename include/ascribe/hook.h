/* The contract between instrumented code and the runtime.
 *
 * Instrumented code keeps one thing per thread: the *cell*.  At function entry it looks the
 * transition (context, callee, call site) up in the thread's table and steps; before every way
 * out it puts its caller's context back.  The C text below is the meaning of what the GCC plugin
 * and the hook header emit inline; both must stay equal to it.
 *
 *     saved = cell.context;
 *     site  = __builtin_return_address(0);
 *     gate  = cell.gate;
 *     mask  = gate->mask;                                  first (volatile),
 *     table = gate->table;                                 then this (volatile): see below
 *     slot  = (char *)gate + table + (ASCRIBE_HASH(saved, callee, site) & mask);
 *     if (slot->from == saved && slot->callee == callee && slot->site == site) {
 *         slot->count += 1;                                one instruction: a signal may interrupt
 *         own = slot->to;
 *     } else if (cell.gate->owner == ASCRIBE_STANDBY)
 *         own = saved;                                     nothing is recorded
 *     else
 *         own = ascribe_enter_slow(callee, site);
 *     cell.context = own;                                  volatile
 *     ...body...
 *     cell.context = saved;                                volatile; before return and tail call
 *
 * GCC may move a part of a function out of line (`f.part.0`). The function then enters that part by
 * a call or a jump that is not a call in the source, and says so by a bit in the context:
 *
 *     cell.context = own | ASCRIBE_CONTINUES;              saved | ASCRIBE_CONTINUES before a jump
 *
 * The part looks its transition up with the bit set, so this transition differs from that of a
 * function that really calls the part; as `saved` it keeps the context without the bit. A signal
 * may arrive while the bit is set. The handler's hooks then look up, and restore, a context with
 * the bit. Readers therefore ignore the bit unless the callee is such a part.
 *
 * `callee` is a local symbol of the function's own object, so that two libraries that export one
 * name stay two functions.  A table only ever grows, and the runtime writes `table` before
 * `mask`: code that was interrupted between its two loads holds a mask that fits either table.
 *
 * Sources: Spivey, "Fast, accurate call graph profiling", "Data structures for fast profiling"
 * (steps B1 to B3); docs/design/contexts.md for the key and the gate.
 */
#ifndef ASCRIBE_HOOK_H
#define ASCRIBE_HOOK_H

#include <stdint.h>

/* One transition of the finite-state machine: 32 bytes, aligned to 32, one cache line. */
struct ascribe_slot {
  uint32_t from;   /* context id; 0: the thread's root; may have ASCRIBE_CONTINUES set */
  uint32_t to;     /* context id */
  uint64_t callee; /* address of the function's own symbol; 0: the slot is empty */
  uint64_t site;   /* return address of the call */
  uint64_t count;  /* calls, incremented inline */
};

/* What the hook reads of a thread's table.  It lies in a page of its own that a forked child
 * sees as zeros (MADV_WIPEONFORK): mask 0 and table 0 make the gate itself the slot, which
 * matches no callee, and the slow path finds out. */
struct ascribe_gate {
  uint64_t mask;  /* (slots - 1) * 32 */
  uint64_t table; /* bytes from this gate to the table */
  uint64_t owner; /* the runtime's own thread state; 0 in a child that was just forked, and
                     before a thread's first call; ASCRIBE_STANDBY: the process does not record */
  uint64_t spare;
};

#define ASCRIBE_STANDBY 1u

/* In a context: no id has this bit. */
#define ASCRIBE_CONTINUES 0x80000000u

/* Thread-local: the running context (docs/design/contexts.md), written by the hooks. */
struct ascribe_cell {
  uint32_t context;          /* 0: the thread's root; may have ASCRIBE_CONTINUES set */
  uint32_t spare;            /* 0 */
  struct ascribe_gate *gate; /* never null: the inert gate until the thread is known */
};

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
 * definitions (one COMDAT group `ascribe_inert_v1`), so that it links and runs without the
 * runtime; the runtime's strong definitions override them. The contexts way has its own names:
 * objects of different ways may meet in one program.  The thread-local ones are no C identifiers:
 * libtool declares every symbol that nm shows and that could be one as a plain `char` and links
 * that, which the linker refuses for thread-local storage.
 *
 *   ascribe.cell         TLS, struct ascribe_cell, initialised { 0, 0, &ascribe_inert_gate }
 *   ascribe_inert_gate   struct ascribe_gate, { 0, 0, ASCRIBE_STANDBY, 0 }
 *   ascribe_enter_slow   x86-64: rax = callee, [rsp + 8] at its entry = site (pushed by the
 *                        caller, who takes it off again and steps over the red zone);
 *                        returns own context in eax; keeps every other register but the flags.
 *   ascribe.frames       TLS, pointer to the stack of frames that only the hooks of
 *                        -finstrument-functions use (ascribe/hooks_inline.h); inert: null
 *   ascribe_frames_grow  gives the thread one where it can; keeps every register but the flags;
 *                        inert one: returns.
 *   ascribe_read_clock   x86-64, in code compiled with --clock=tsc: called just before every write
 *                        of cell.context; charges the cycles since the last call to the context
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
