/* pthread_create and thrd_create are answered on their way to libc, in dynamically linked programs.
 */
#include <stddef.h>

#include "runtime/guise/next_function.h"
#include "runtime/life/thread_starts.h"

enum creator { PTHREAD_CREATE, THRD_CREATE };
static struct next_function creators[] = {
    [PTHREAD_CREATE] = {"pthread_create", NULL},
    [THRD_CREATE] = {"thrd_create", NULL},
};
NEXT_FUNCTIONS_FOUND_EARLY(creators);

LIBC_NAME int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                             void *(*function)(void *), void *restrict argument) {
  pthread_creator *create = (pthread_creator *)next_function(&creators[PTHREAD_CREATE]);
  return thread_starts_pthread(create, thread, attributes, function, argument);
}

LIBC_NAME int thrd_create(pthread_t *thread, thrd_function *function, void *argument);
LIBC_NAME int thrd_create(pthread_t *thread, thrd_function *function, void *argument) {
  thrd_creator *create = (thrd_creator *)next_function(&creators[THRD_CREATE]);
  return thread_starts_thrd(create, thread, function, argument);
}

THREAD_STARTS_SEEN(pthread_create, thrd_create)
