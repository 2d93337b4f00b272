/* Calls of libc's that the runtime answers first, in dynamically linked programs: the real one is
 * what the dynamic linker finds next.
 *
 * setjmp and longjmp: code without hooks that catches a longjmp goes on in the context in which it
 * called setjmp. (Code with hooks puts its own context back after setjmp returns.)  Where they keep
 * the signal mask, what the program believes of it is kept with it; so in getcontext and its kin.
 * dlopen and dlclose: the next tick looks at what is mapped. */
#include <link.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "runtime/guise/libc_name.h"
#include "runtime/guise/next_function.h"
#include "runtime/guise/signal_masks.h"
#include "runtime/objects/objects.h"
#include "runtime/registry/cell.h"
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
};
static struct next_function real[] = {
    [SETJMP] = {"setjmp", NULL},           [SETJMP_PLAIN] = {"_setjmp", NULL},
    [SIGSETJMP] = {"__sigsetjmp", NULL},   [DLOPEN] = {"dlopen", NULL},
    [GETCONTEXT] = {"getcontext", NULL},   [SETCONTEXT] = {"setcontext", NULL},
    [SWAPCONTEXT] = {"swapcontext", NULL}, [DLCLOSE] = {"dlclose", NULL},
    [LONGJMP] = {"longjmp", NULL},         [LONGJMP_PLAIN] = {"_longjmp", NULL},
    [SIGLONGJMP] = {"siglongjmp", NULL},   [LONGJMP_CHECKED] = {"__longjmp_chk", NULL},
};
NEXT_FUNCTIONS_FOUND_EARLY(real);

static struct jump_record *jump_record(struct thread_state *thread, const void *buffer) {
  return &thread->jumps[(uint64_t)buffer / 16 % JUMP_RECORDS];
}

/* From interpose_jumps.S, before the real function, which it returns. */
void *ascribe_setjmp_entered(struct __jmp_buf_tag *buffer, enum interposed which, int keeps_mask);
void *ascribe_setjmp_entered(struct __jmp_buf_tag *buffer, enum interposed which, int keeps_mask) {
  if (which == SETJMP || (which == SIGSETJMP && keeps_mask))
    signal_masks_note((sigset_t *)&buffer->__saved_mask);
  struct thread_state *thread = threads_current();
  if (thread) *jump_record(thread, buffer) = (struct jump_record){buffer, ascribe_cell.row};
  return next_function(&real[which]);
}

static void restore_context(const void *buffer) {
  struct thread_state *thread = threads_current();
  if (!thread) return;
  const struct jump_record *record = jump_record(thread, buffer);
  if (record->buffer == buffer) ascribe_cell.row = record->row;
}

typedef void jump_function(void *, int);

#define DEFINE_LONGJMP(name, which)                                                                \
  LIBC_NAME __attribute__((noreturn)) void ascribe_##name(void *buffer, int value) __asm__(#name); \
  void ascribe_##name(void *buffer, int value) {                                                   \
    struct __jmp_buf_tag *tag = buffer;                                                            \
    signal_masks_leave_wait();                                                                     \
    if (tag->__mask_was_saved) signal_masks_recall((sigset_t *)&tag->__saved_mask);                \
    jump_function *jump = (jump_function *)next_function(&real[which]);                            \
    restore_context(buffer);                                                                       \
    jump(buffer, value);                                                                           \
    __builtin_unreachable();                                                                       \
  }
DEFINE_LONGJMP(longjmp, LONGJMP)
DEFINE_LONGJMP(_longjmp, LONGJMP_PLAIN)
DEFINE_LONGJMP(siglongjmp, SIGLONGJMP)
DEFINE_LONGJMP(__longjmp_chk, LONGJMP_CHECKED)

/* ---- getcontext, setcontext, swapcontext ---- */

/* From interpose_jumps.S, as above. */
void *ascribe_getcontext_entered(ucontext_t *context, enum interposed which);
void *ascribe_getcontext_entered(ucontext_t *context, enum interposed which) {
  signal_masks_note(&context->uc_sigmask);
  return next_function(&real[which]);
}

void *ascribe_setcontext_entered(ucontext_t *context, enum interposed which);
void *ascribe_setcontext_entered(ucontext_t *context, enum interposed which) {
  signal_masks_recall(&context->uc_sigmask);
  return next_function(&real[which]);
}

/* libc itself goes back to what it keeps here, at the end of a context that is linked to it: it
 * has to keep a whole mask. */
void *ascribe_swapcontext_entered(ucontext_t *left, enum interposed which, ucontext_t *entered);
void *ascribe_swapcontext_entered(ucontext_t *left, enum interposed which, ucontext_t *entered) {
  signal_masks_note(&left->uc_sigmask);
  signal_masks_give();
  signal_masks_recall(&entered->uc_sigmask);
  return next_function(&real[which]);
}

/* ---- dlopen, dlclose ---- */

/* From interpose_jumps.S, as above: dlopen looks at its return address for who calls. */
void *ascribe_dlopen_entered(const void *path, enum interposed which);
void *ascribe_dlopen_entered(const void *path, enum interposed which) {
  objects_expect_load();
  return next_function(&real[which]);
}

static int take_unloaded(struct dl_phdr_info *info, size_t bytes, void *unloaded) {
  *(uint64_t *)unloaded = info->dlpi_subs;
  return 1;
}

LIBC_NAME int dlclose(void *handle) {
  static uint64_t known; /* atomic: how many objects were ever unloaded */
  uint64_t unloaded = 0;
  int status = ((int (*)(void *))next_function(&real[DLCLOSE]))(handle);
  dl_iterate_phdr(take_unloaded, &unloaded);
  if (__atomic_exchange_n(&known, unloaded, __ATOMIC_ACQ_REL) != unloaded) objects_expect_unload();
  return status;
}
