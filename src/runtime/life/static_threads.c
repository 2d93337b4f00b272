/* In static programs the linker sends references to pthread_create and thrd_create here (--wrap).
 * The real ones are weak: programs without threads are to link without them, and the wrapper asks
 * the linker for them by their names (-u), which none of the archives need have. */
#include "runtime/guise/hand_over.h"
#include "runtime/life/thread_starts.h"

extern __attribute__((weak)) pthread_creator __real_pthread_create;
extern __attribute__((weak)) thrd_creator __real_thrd_create;
LIBC_NAME pthread_creator __wrap_pthread_create;
LIBC_NAME thrd_creator __wrap_thrd_create;

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument) {
  return thread_starts_pthread(__real_pthread_create, thread, attributes, function, argument);
}

int __wrap_thrd_create(pthread_t *thread, thrd_function *function, void *argument) {
  return thread_starts_thrd(__real_thrd_create, thread, function, argument);
}

THREAD_STARTS_SEEN(__wrap_pthread_create, __wrap_thrd_create)

bool hand_over_is_called(void) {
  return false;
}
