/* pthread_create and thrd_create are answered on their way to libc, in dynamically linked programs.
 */
#include <stddef.h>

#include "runtime/libc_name.h"
#include "runtime/next_function.h"
#include "runtime/thread_starts.h"

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

OWN_NAME(pthread_create);
OWN_NAME(thrd_create);

static const void *volatile const called[][2] = {
    {(const void *)pthread_create, (const void *)own_pthread_create},
    {(const void *)thrd_create, (const void *)own_thrd_create},
};

bool thread_starts_are_seen(void) {
  return called[0][0] == called[0][1] && called[1][0] == called[1][1];
}
