/* Calls of libc's that the runtime answers first, in dynamically linked programs: the real one is
 * what the dynamic linker finds next.
 *
 * setjmp and longjmp: code without hooks that catches a longjmp goes on in the context in which it
 * called setjmp (code with hooks puts its own context back after setjmp returns), and any code in
 * the cost centre in which it did.  Where they keep the signal mask, what the program believes of
 * it is kept with it; so in getcontext and its kin. dlopen and dlclose: the next tick looks at what
 * is mapped. */
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "runtime/guise/chicken_points.h"
#include "runtime/guise/libc_name.h"
#include "runtime/guise/next_function.h"
#include "runtime/guise/object_counts.h"
#include "runtime/guise/signal_masks.h"
#include "runtime/objects/objects.h"
#include "runtime/registry/cell.h"
#include "runtime/registry/process_state.h"
#include "runtime/registry/threads.h"

/* ---- setjmp, longjmp ---- */

/* The first seven are known by number to interpose_jumps.S. */
enum interposed {
  SETJMP,
  SETJMP_PLAIN,
  SIGSETJMP,
  DLOPEN,
  GETCONTEXT,
  SETCONTEXT,
  SWAPCONTEXT,
  DLCLOSE,
  LONGJMP,
  LONGJMP_PLAIN,
  SIGLONGJMP,
  LONGJMP_CHECKED,
  ITERATE,
};
static struct next_function real[] = {
    [SETJMP] = {"setjmp", NULL},           [SETJMP_PLAIN] = {"_setjmp", NULL},
    [SIGSETJMP] = {"__sigsetjmp", NULL},   [DLOPEN] = {"dlopen", NULL},
    [GETCONTEXT] = {"getcontext", NULL},   [SETCONTEXT] = {"setcontext", NULL},
    [SWAPCONTEXT] = {"swapcontext", NULL}, [DLCLOSE] = {"dlclose", NULL},
    [LONGJMP] = {"longjmp", NULL},         [LONGJMP_PLAIN] = {"_longjmp", NULL},
    [SIGLONGJMP] = {"siglongjmp", NULL},   [LONGJMP_CHECKED] = {"__longjmp_chk", NULL},
    [ITERATE] = {"dl_iterate_phdr", NULL},
};
NEXT_FUNCTIONS_FOUND_EARLY(real);

static struct jump_record *jump_record(struct thread_state *thread, const void *buffer) {
  return &thread->jumps[(uint64_t)buffer / 16 % JUMP_RECORDS];
}

static void note_contexts(const void *buffer) {
  struct thread_state *thread = threads_current();
  if (!thread) return;
  *jump_record(thread, buffer) = (struct jump_record){buffer, ascribe_cell.row, ascribe_centre};
}

static const struct jump_record *noted_contexts(const void *buffer) {
  struct thread_state *thread = threads_current();
  const struct jump_record *record = thread ? jump_record(thread, buffer) : NULL;
  return record && record->buffer == buffer ? record : NULL;
}

/* From interpose_jumps.S, before the real function, which it returns. */
void *ascribe_setjmp_entered(struct __jmp_buf_tag *buffer, enum interposed which, int keeps_mask);
void *ascribe_setjmp_entered(struct __jmp_buf_tag *buffer, enum interposed which, int keeps_mask) {
  if (which == SETJMP || (which == SIGSETJMP && keeps_mask))
    signal_masks_note((sigset_t *)&buffer->__saved_mask);
  note_contexts(buffer);
  return next_function(&real[which]);
}

static void restore_contexts(const void *buffer) {
  const struct jump_record *record = noted_contexts(buffer);
  if (!record) return;
  ascribe_cell.row = record->row;
  if (!chicken_restarts(buffer)) ascribe_centre = record->centre;
}

typedef void jump_function(void *, int);

#define DEFINE_LONGJMP(name, which)                                                                \
  LIBC_NAME __attribute__((noreturn)) void ascribe_##name(void *buffer, int value) __asm__(#name); \
  void ascribe_##name(void *buffer, int value) {                                                   \
    struct __jmp_buf_tag *tag = buffer;                                                            \
    signal_masks_leave_wait();                                                                     \
    if (tag->__mask_was_saved) signal_masks_recall((sigset_t *)&tag->__saved_mask);                \
    jump_function *jump = (jump_function *)next_function(&real[which]);                            \
    restore_contexts(buffer);                                                                      \
    jump(buffer, value);                                                                           \
    __builtin_unreachable();                                                                       \
  }
DEFINE_LONGJMP(longjmp, LONGJMP)
DEFINE_LONGJMP(_longjmp, LONGJMP_PLAIN)
DEFINE_LONGJMP(siglongjmp, SIGLONGJMP)
DEFINE_LONGJMP(__longjmp_chk, LONGJMP_CHECKED)

/* ---- getcontext, setcontext, swapcontext ---- */

/* The cost centre in which each ucontext_t was left. Code with hooks restores its own context, but
 * a scope does nothing where control comes back. Any thread may enter what another has left:
 * `check` is the key combined with the centre, so halves of two stores match no key. */
static struct left_context { uint64_t check, centre; } left_contexts[1024];

static struct left_context *left_context(const void *context) {
  enum { CONTEXTS = sizeof left_contexts / sizeof *left_contexts };
  return &left_contexts[((uint64_t)context * 0x9e3779b97f4a7c15u >> 40) % CONTEXTS];
}

static void note_centre(const void *context) {
  struct left_context *left = left_context(context);
  if (!threads_current()) return;
  __atomic_store_n(&left->centre, ascribe_centre, __ATOMIC_RELAXED);
  __atomic_store_n(&left->check, (uint64_t)context ^ ascribe_centre, __ATOMIC_RELAXED);
}

static void restore_centre(const void *context) {
  const struct left_context *left = left_context(context);
  uint64_t centre = __atomic_load_n(&left->centre, __ATOMIC_RELAXED);
  bool known = __atomic_load_n(&left->check, __ATOMIC_RELAXED) == ((uint64_t)context ^ centre);
  if (known && threads_current()) ascribe_centre = (uint32_t)centre;
}

/* From interpose_jumps.S, as above. */
void *ascribe_getcontext_entered(ucontext_t *context, enum interposed which);
void *ascribe_getcontext_entered(ucontext_t *context, enum interposed which) {
  signal_masks_note(&context->uc_sigmask);
  note_centre(context);
  return next_function(&real[which]);
}

void *ascribe_setcontext_entered(ucontext_t *context, enum interposed which);
void *ascribe_setcontext_entered(ucontext_t *context, enum interposed which) {
  signal_masks_recall(&context->uc_sigmask);
  restore_centre(context);
  return next_function(&real[which]);
}

/* libc itself goes back to what it keeps here, at the end of a context that is linked to it: it
 * has to keep a whole mask. */
void *ascribe_swapcontext_entered(ucontext_t *left, enum interposed which, ucontext_t *entered);
void *ascribe_swapcontext_entered(ucontext_t *left, enum interposed which, ucontext_t *entered) {
  signal_masks_note(&left->uc_sigmask);
  signal_masks_give();
  signal_masks_recall(&entered->uc_sigmask);
  note_centre(left);
  restore_centre(entered);
  return next_function(&real[which]);
}

/* ---- dlopen, dlclose ---- */

/* From interpose_jumps.S, as above: dlopen looks at its return address for who calls. */
void *ascribe_dlopen_entered(const void *path, enum interposed which);
void *ascribe_dlopen_entered(const void *path, enum interposed which) {
  objects_expect_load();
  return next_function(&real[which]);
}

/* Clang links ThreadSanitizer's dl_iterate_phdr into the executable, where it calls a null pointer
 * until the sanitizer has started: after the runtime. */
struct object_counts object_counts_read(void) {
  typedef int iterate_function(int (*)(struct dl_phdr_info *, size_t, void *), void *);
  struct object_counts counts = {0};
  ((iterate_function *)next_function(&real[ITERATE]))(object_counts_take, &counts);
  return counts;
}

LIBC_NAME int dlclose(void *handle) {
  static uint64_t known; /* atomic: how many objects were ever unloaded */
  int status = ((int (*)(void *))next_function(&real[DLCLOSE]))(handle);
  uint64_t unloaded = object_counts_read().unloaded;
  if (__atomic_exchange_n(&known, unloaded, __ATOMIC_ACQ_REL) != unloaded) process_note_unload();
  return status;
}
