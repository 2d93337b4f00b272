/* For programs of `ascribe csc`: compiled Scheme tells Ascribe its contexts by these functions, on
 * top of ascribe/host.h.  The C files that CHICKEN writes include it; the extension of its compiler
 * adds the tables (ascribe_scheme_texts and others) and the calls.  All of it runs in CHICKEN's one
 * thread.
 *
 * A procedure's state is a fixnum: its own context, and the context that it puts back when it ends.
 * A call of a procedure of the same file says its site, and what the callee is to put back.  In
 * programs of `ascribe csc --counts` there are no states: one word has the running procedure. */
#ifndef ASCRIBE_CHICKEN_H
#define ASCRIBE_CHICKEN_H

#include "host.h"

struct ascribe_scheme_point {
  uint32_t kind;   /* 0: a procedure; else an ascribe_place_kind */
  uint32_t within; /* the point that a place is in, which stands before it */
  struct ascribe_range range;
  const char *file, *name;
};

/* A cost centre, (scc "label" expression). */
struct ascribe_scheme_centre {
  const char *label, *module, *file;
  uint32_t line;
};

/* The number of the site that calls a procedure of this file; 0: another one does. */
static uint32_t ascribe_scheme_site;

/* In a tail call, the state of the procedure that ends by it: the callee puts back what that one
 * would have put back.  0 in other calls. */
static C_word ascribe_scheme_replaced;

/* One for each counted point of the file. */
static volatile uint64_t *ascribe_scheme_counters;

/* The word that has the running point: ticks read it. */
static volatile ascribe_point *ascribe_scheme_running;

/* The state of what is at the top level; 0: not begun. */
static C_word ascribe_scheme_top;

#define ASCRIBE_SCHEME_STATE_BITS 31

static inline C_word ascribe_scheme_state(uint32_t own, uint64_t caller) {
  return C_fix((C_word)((uint64_t)own << ASCRIBE_SCHEME_STATE_BITS | caller));
}

static inline uint32_t ascribe_scheme_own(C_word state) {
  return (uint32_t)((uint64_t)state >> (ASCRIBE_SCHEME_STATE_BITS + C_FIXNUM_SHIFT));
}

static inline uint32_t ascribe_scheme_caller(C_word state) {
  return (uint32_t)state >> C_FIXNUM_SHIFT;
}

static inline C_word ascribe_scheme_entered(ascribe_point callee, const ascribe_point *points) {
  uint32_t own, from, site = ascribe_scheme_site;
  C_word replaced = ascribe_scheme_replaced;
  ascribe_scheme_site = 0;
  ascribe_scheme_replaced = 0;
  from = ascribe_enter_own(callee, points[site], &own);
  return ascribe_scheme_state(own, replaced ? ascribe_scheme_caller(replaced) : from);
}

/* A file calls the units that it uses before it begins itself: it has no points then. */
static inline C_word ascribe_scheme_entered_top(ascribe_point callee, const ascribe_point *points) {
  if (!ascribe_host_recorded() || !callee) return C_fix(0);
  if (!ascribe_scheme_top) return ascribe_scheme_top = ascribe_scheme_entered(callee, points);
  uint32_t from = ascribe_context(), own = ascribe_scheme_own(ascribe_scheme_top);
  ascribe_leave(own);
  return ascribe_scheme_state(own, from);
}

/* ---- what compiled code calls ---- */

#define ascribe_scheme_enter(point)                                                                \
  ascribe_scheme_entered(ascribe_scheme_points[C_unfix(point)], ascribe_scheme_points)
#define ascribe_scheme_enter_top()                                                                 \
  ascribe_scheme_entered_top(ascribe_scheme_points[1], ascribe_scheme_points)
#define ascribe_scheme_reload(state) (ascribe_leave(ascribe_scheme_own(state)), C_SCHEME_UNDEFINED)
#define ascribe_scheme_leave(state)                                                                \
  (ascribe_leave(ascribe_scheme_caller(state)), C_SCHEME_UNDEFINED)
/* Before a tail call of a procedure that may not be instrumented. */
#define ascribe_scheme_leave_charged(state)                                                        \
  (ascribe_leave(ascribe_scheme_caller(state)), ascribe_charge(ascribe_scheme_own(state)),         \
   C_SCHEME_UNDEFINED)
/* Before a call, or a tail call, of a procedure of this file. */
#define ascribe_scheme_call(site) (ascribe_scheme_site = C_unfix(site), C_SCHEME_UNDEFINED)
#define ascribe_scheme_tail_call(state, site)                                                      \
  (ascribe_scheme_site = C_unfix(site), ascribe_scheme_replaced = (state), C_SCHEME_UNDEFINED)
#define ascribe_scheme_at(point)                                                                   \
  (*ascribe_scheme_running = ascribe_scheme_points[C_unfix(point)], C_SCHEME_UNDEFINED)
#define ascribe_scheme_count(i)                                                                    \
  (ascribe_count(&ascribe_scheme_counters[C_unfix(i)]), C_SCHEME_UNDEFINED)

/* Of programs that count only: entries, calls, and the word that has the running procedure. */
#define ascribe_scheme_enter_counted(point, i)                                                     \
  (ascribe_count(&ascribe_scheme_counters[C_unfix(i)]), ascribe_scheme_at(point))
#define ascribe_scheme_count_call(i, point)                                                        \
  (ascribe_count(&ascribe_scheme_counters[C_unfix(i)]), C_SCHEME_UNDEFINED)

/* Cost centres are fixnums in what keeps them: ascribe/host.h says who calls which. */
#define ascribe_scheme_built() C_fix(ascribe_built())
#define ascribe_scheme_enter_thunk(built) C_fix(ascribe_enter_thunk((uint32_t)C_unfix(built)))
#define ascribe_scheme_scc(i) C_fix(ascribe_scc(ascribe_scheme_centres[C_unfix(i)]))
#define ascribe_scheme_restore(centre)                                                             \
  (ascribe_restore((uint32_t)C_unfix(centre)), C_SCHEME_UNDEFINED)

/* ---- when the unit begins ---- */

static inline void ascribe_scheme_define(const struct ascribe_scheme_point *texts,
                                         ascribe_point *points, uint32_t count) {
  uint32_t world = ascribe_host_world("CHICKEN"), file = 0;
  const char *path = "";
  for (uint32_t i = 1; i < count; i++) {
    const struct ascribe_scheme_point *text = &texts[i];
    if (text->kind) {
      points[i] = ascribe_host_place(points[text->within], (enum ascribe_place_kind)text->kind,
                                     text->range);
      continue;
    }
    if (*text->file && C_strcmp(path, text->file))
      file = ascribe_host_file(world, path = text->file);
    points[i] = ascribe_host_function(world, text->name, *text->file ? file : 0, text->range);
  }
}

/* A procedure is charged to its caller's centre. */
static inline void ascribe_scheme_define_centres(const struct ascribe_scheme_centre *texts,
                                                 ascribe_cost_centre *centres) {
  if (!texts->label) return;
  ascribe_host_functions(ASCRIBE_BY_CALLER);
  for (; texts->label; texts++)
    *centres++ = ascribe_host_centre(texts->label, texts->module, texts->file, texts->line);
}

/* The counters: in the recording if there is room, else where they were. */
static inline void ascribe_scheme_count_points(const uint32_t *counted, uint32_t count,
                                               const ascribe_point *points) {
  ascribe_point *those = (ascribe_point *)C_malloc(count * sizeof *those + 1);
  for (uint32_t i = 0; those && i < count; i++)
    those[i] = points[counted[i]];
  volatile uint64_t *counters = those && count ? ascribe_host_counters(those, count) : 0;
  if (counters) ascribe_scheme_counters = counters;
  C_free(those);
}

/* The core forms, where "@N" is the key of point N (src/flow/core_forms.h). */
static inline void ascribe_scheme_tell_core(const char *const *texts, const ascribe_point *points) {
  void (*core)(uint32_t, const char *) = 0;
#if ASCRIBE_HOST_HERE
  __asm__(".weak ascribe_host_core\n\t"
          "{movq ascribe_host_core@GOTPCREL(%%rip), %0|"
          "mov %0, QWORD PTR ascribe_host_core@GOTPCREL[rip]}"
          : "=r"(core));
#endif
  if (!core || !*texts) return;
  uint32_t world = ascribe_host_world("CHICKEN");
  for (; *texts; texts++) {
    char piece[960];
    size_t length = 0;
    for (const char *at = *texts; *at;) {
      if (*at != '@') {
        piece[length++] = *at++;
      } else {
        char *end;
        uint64_t key = points[strtoul(at + 1, &end, 10)] & ((1ull << 48) - 1);
        length += (size_t)snprintf(piece + length, 20, "%llu", (unsigned long long)key);
        at = end;
      }
      if (length > 900 && piece[length - 1] == ' ') {
        piece[length] = 0;
        core(world, piece);
        length = 0;
      }
    }
    piece[length] = 0;
    core(world, piece);
  }
}

/* Tells the runtime, which then watches collections, and says where the running point is kept. */
static inline C_word ascribe_scheme_announce(void) {
  volatile ascribe_point *(*begin)(void) = 0, *running;
#if ASCRIBE_HOST_HERE
  __asm__(".weak ascribe_chicken_begin\n\t"
          "{movq ascribe_chicken_begin@GOTPCREL(%%rip), %0|"
          "mov %0, QWORD PTR ascribe_chicken_begin@GOTPCREL[rip]}"
          : "=r"(begin));
#endif
  running = begin ? begin() : 0;
  if (running) ascribe_scheme_running = running;
  return C_SCHEME_TRUE;
}

#define ASCRIBE_SCHEME_LENGTH(array) (sizeof(array) / sizeof *(array))
#define ascribe_scheme_begin()                                                                     \
  (ascribe_host_begin()                                                                            \
       ? (ascribe_scheme_define(ascribe_scheme_texts, ascribe_scheme_points,                       \
                                ASCRIBE_SCHEME_LENGTH(ascribe_scheme_points)),                     \
          ascribe_scheme_define_centres(ascribe_scheme_centre_texts, ascribe_scheme_centres),      \
          ascribe_scheme_count_points(ascribe_scheme_counted,                                      \
                                      ASCRIBE_SCHEME_LENGTH(ascribe_scheme_counted) - 1,           \
                                      ascribe_scheme_points),                                      \
          ascribe_scheme_tell_core(ascribe_scheme_core, ascribe_scheme_points),                    \
          ascribe_scheme_announce())                                                               \
       : C_SCHEME_FALSE)

#define ascribe_scheme_recorded() C_mk_bool(ascribe_host_recorded())

/* ---- when a procedure is interrupted as it begins: for a signal, or for another thread ---- */

/* Returns the context and the site, and begins anew. */
static inline C_word ascribe_scheme_interrupted(void) {
  C_word state = ascribe_scheme_state(ascribe_context(), ascribe_scheme_site);
  ascribe_scheme_site = 0;
  ascribe_leave(0);
  return state;
}

static inline C_word ascribe_scheme_take_replaced(void) {
  C_word replaced = ascribe_scheme_replaced;
  ascribe_scheme_replaced = 0;
  return replaced ? replaced : C_SCHEME_FALSE;
}

/* The same of programs that count only: the running point. */
static inline C_word ascribe_scheme_interrupted_counted(void) {
  return C_fix((C_word)*ascribe_scheme_running);
}

static inline C_word ascribe_scheme_resume_counted(C_word point, C_word replaced) {
  (void)replaced;
  *ascribe_scheme_running = (ascribe_point)C_unfix(point);
  return C_SCHEME_UNDEFINED;
}

/* With what the two before returned. */
static inline C_word ascribe_scheme_resume(C_word state, C_word replaced) {
  ascribe_leave(ascribe_scheme_own(state));
  ascribe_scheme_site = ascribe_scheme_caller(state);
  ascribe_scheme_replaced = replaced == C_SCHEME_FALSE ? 0 : replaced;
  return C_SCHEME_UNDEFINED;
}

#endif
