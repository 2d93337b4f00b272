/* Hooks for a gcc that the plugin was not built for: compile with
 *     -finstrument-functions -include ascribe/hooks_inline.h
 * gcc then inlines these definitions wherever it instruments. The runtime finds the row in which
 * the function runs (ascribe/hook.h); since enter and exit share no variable, the caller's waits on
 * a per-thread stack of frames.
 *
 * A frame is known by the address of its caller's frame (the canonical frame address).  Frames
 * that were left by longjmp are found dead, and dropped, by the next enter or exit at their
 * address or above it.  Not known here: several stacks per thread (coroutines); use the plugin.
 *
 * This header is included before everything else, so it includes nothing of libc's and says
 * nothing outside the reserved and ascribe_ names.  The types repeat ascribe/hook.h.
 */
#if !defined ASCRIBE_HOOKS_INLINE_H && !defined __ASSEMBLER__ && defined __x86_64__ &&             \
    defined __LP64__
#define ASCRIBE_HOOKS_INLINE_H
#pragma GCC system_header

#include "inert.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef ASCRIBE_HOOKS_CALLED /* the runtime itself, which has ascribe/hook.h */
#define __ascribe_gate ascribe_gate
#define __ascribe_row ascribe_row
#define __ascribe_cell ascribe_cell
#else
struct __ascribe_row;
struct __ascribe_gate {
  unsigned long mask, table, owner, spare;
};
struct __ascribe_cell {
  struct __ascribe_row *row;
  struct __ascribe_gate *gate;
};
#endif

/* An instrumented function that was entered and not left. */
struct ascribe_frame {
  unsigned long address; /* canonical frame address; ~0: not in use, or the bottom */
  unsigned long callee, site;
  void *row; /* the cell's before */
};
struct ascribe_frames {
  struct ascribe_frame *top; /* one above the newest; the bottom entry is never removed */
  struct ascribe_frame *limit;
};

#if defined __PIC__ && !defined __PIE__
#define __ASCRIBE_THREAD __thread __attribute__((__tls_model__("initial-exec")))
#else
#define __ASCRIBE_THREAD __thread __attribute__((__tls_model__("local-exec")))
#endif
#ifndef ASCRIBE_HOOKS_CALLED
extern __ASCRIBE_THREAD struct __ascribe_cell ascribe_cell __asm__("ascribe.row")
    __attribute__((__visibility__("default")));
extern __ASCRIBE_THREAD struct ascribe_frames *ascribe_frames __asm__("ascribe.frames")
    __attribute__((__visibility__("default")));
#endif
#define __ASCRIBE_CELL (*(struct __ascribe_cell volatile *)&ascribe_cell)

#define __ASCRIBE_INLINE                                                                           \
  __inline__ __attribute__((__always_inline__, __no_instrument_function__, __artificial__))

/* Frames further below than this are on another stack (a signal handler's). */
#define __ASCRIBE_NEAR (8ul << 20)

/* Remove the newest frame. Its place must not look like a frame to a signal handler. */
static __ASCRIBE_INLINE void __ascribe_pop(struct ascribe_frames volatile *frames,
                                           struct ascribe_frame volatile *frame) {
  __ASCRIBE_CELL.row = (struct __ascribe_row *)frame->row;
  frame->address = ~0ul;
  frames->top = (struct ascribe_frame *)frame;
}

/* Drop the frames that cannot be below a function entered now with this frame address.  At the
 * same address lie only the functions inlined into one another: they share the call site. */
static __ASCRIBE_INLINE void __ascribe_drop_dead(unsigned long callee, unsigned long site,
                                                 unsigned long address) {
  struct ascribe_frames volatile *frames = ascribe_frames;
  if (!frames) return;
  for (;;) {
    struct ascribe_frame volatile *frame = frames->top - 1;
    unsigned long below = address - frame->address;
    if (__builtin_expect(below >= __ASCRIBE_NEAR, 1)) return;
    if (below == 0 && frame->site == site && frame->callee != callee) return;
    __ascribe_pop(frames, frame);
  }
}

#ifndef __ASCRIBE_COUNT
#define __ASCRIBE_COUNT __ascribe_count
/* The row in which the callee runs. */
static __ASCRIBE_INLINE void *__ascribe_count(unsigned long callee, unsigned long site) {
  void *own;
  __asm__ volatile("lea{q}\t{-128(%%rsp), %%rsp|rsp, [rsp-128]}\n\t"
                   "push{q}\t%2\n\t"
                   "call\t{*ascribe_enter@GOTPCREL(%%rip)"
                   "|[QWORD PTR ascribe_enter@GOTPCREL[rip]]}\n\t"
                   "lea{q}\t{136(%%rsp), %%rsp|rsp, [rsp+136]}"
                   : "=a"(own)
                   : "0"(callee), "r"(site)
                   : "cc");
  return own;
}
#endif

/* Makes room for another frame where possible; keeps all registers, as ascribe_enter does. */
static __ASCRIBE_INLINE void __ascribe_frames_grow(void) {
  __asm__ volatile("lea{q}\t{-128(%%rsp), %%rsp|rsp, [rsp-128]}\n\t"
                   "call\t{*ascribe_frames_grow@GOTPCREL(%%rip)"
                   "|[QWORD PTR ascribe_frames_grow@GOTPCREL[rip]]}\n\t"
                   "lea{q}\t{128(%%rsp), %%rsp|rsp, [rsp+128]}"
                   :
                   :
                   : "cc", "memory");
}

static __ASCRIBE_INLINE void __ascribe_push(unsigned long callee, unsigned long site,
                                            unsigned long address, void *row) {
  struct ascribe_frames volatile *frames = ascribe_frames;
  if (__builtin_expect(!frames || frames->top == frames->limit, 0)) {
    __ascribe_frames_grow();
    frames = ascribe_frames;
    if (!frames || frames->top == frames->limit) return;
  }
  struct ascribe_frame volatile *frame = frames->top;
  frames->top = (struct ascribe_frame *)frame + 1; /* first, so that a signal leaves it alone */
  frame->address = address;
  frame->callee = callee;
  frame->site = site;
  frame->row = row;
}

static __ASCRIBE_INLINE void __ascribe_enter(unsigned long callee, unsigned long site,
                                             unsigned long address) {
  struct __ascribe_gate volatile *gate = __ASCRIBE_CELL.gate;
  void *caller;
  if (__builtin_expect(!gate, 0)) return; /* while the loader relocates: an ifunc's resolver */
  __ascribe_drop_dead(callee, site, address);
  if (gate->owner == 1) return; /* nothing is recorded */
  caller = __ASCRIBE_CELL.row;
  __ASCRIBE_CELL.row = (struct __ascribe_row *)__ASCRIBE_COUNT(callee, site);
  __ascribe_push(callee, site, address, caller);
}

static __ASCRIBE_INLINE void __ascribe_exit(unsigned long callee, unsigned long address) {
  struct ascribe_frames volatile *frames = ascribe_frames;
  if (!frames) return;
  for (;;) {
    struct ascribe_frame volatile *frame = frames->top - 1;
    unsigned long below = address - frame->address;
    int found = below == 0 && frame->callee == callee;
    if (__builtin_expect(below >= __ASCRIBE_NEAR, 0)) return;
    __ascribe_pop(frames, frame);
    if (__builtin_expect(found, 1)) return;
  }
}

#ifndef ASCRIBE_HOOKS_CALLED
__asm__(ASCRIBE_INERT_DEFINITIONS ASCRIBE_INERT_FRAMES ASCRIBE_INERT_WAY("2"));
#if defined __PIC__ && !defined __PIE__
__asm__(ASCRIBE_INERT_LIBRARY);
#endif

extern __ASCRIBE_INLINE __attribute__((__gnu_inline__)) void
__cyg_profile_func_enter(void *__callee, void *__site) {
  __ascribe_enter((unsigned long)__callee, (unsigned long)__site,
                  (unsigned long)__builtin_dwarf_cfa());
}

extern __ASCRIBE_INLINE __attribute__((__gnu_inline__)) void __cyg_profile_func_exit(void *__callee,
                                                                                     void *__site) {
  (void)__site;
  __ascribe_exit((unsigned long)__callee, (unsigned long)__builtin_dwarf_cfa());
}
#endif

#ifdef __cplusplus
}
#endif
#endif
