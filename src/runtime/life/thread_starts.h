/* How threads are made, where the runtime stands between the program and libc: a thread is known
 * from its first instruction on, and so is the context that made it.
 *
 * Called in place of libc's functions, with these as `create`; they return what it returns. */
#ifndef ASCRIBE_RUNTIME_THREAD_STARTS_H
#define ASCRIBE_RUNTIME_THREAD_STARTS_H

#include <pthread.h>
#include <stdbool.h>

#include "runtime/guise/libc_name.h"

typedef int pthread_creator(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int thread_starts_pthread(pthread_creator *create, pthread_t *thread,
                          const pthread_attr_t *attributes, void *(*function)(void *),
                          void *argument);

/* As in libc's <threads.h>, which our own header of that name hides. */
typedef int thrd_function(void *);
typedef int thrd_creator(pthread_t *, thrd_function *, void *);

/* Whether the program's calls come here; else it has a pthread_create or thrd_create of its own,
 * and what code with counters does in its threads may be counted wrongly: two of them count in one
 * area. */
bool thread_starts_are_seen(void);

/* Its definition, after those of the functions that stand in libc's place. */
#define THREAD_STARTS_SEEN(of_pthread, of_thrd)                                                    \
  OWN_NAME(of_pthread);                                                                            \
  OWN_NAME(of_thrd);                                                                               \
  static const void *volatile const called[][2] = {                                                \
      {(const void *)of_pthread, (const void *)own_##of_pthread},                                  \
      {(const void *)of_thrd, (const void *)own_##of_thrd},                                        \
  };                                                                                               \
  bool thread_starts_are_seen(void) {                                                              \
    return called[0][0] == called[0][1] && called[1][0] == called[1][1];                           \
  }

int thread_starts_thrd(thrd_creator *create, pthread_t *thread, thrd_function *function,
                       void *argument);

#endif
