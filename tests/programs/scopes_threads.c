/* Threads begin in their maker's centre; entries are exact with many at once, and in children that
 * were forked, whose entries are their own.
 * EXPECT link -pthread
 * EXPECT output 400000 done
 * EXPECT entries work 400010
 * EXPECT entries maker 1
 * EXPECT entries child 20
 * EXPECT inside maker work 400000
 * EXPECT inside parent child 20
 * EXPECT inside parent work 10
 * EXPECT processes 2
 */
#include "program.h"

#include <ascribe/ascribe.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 100000 };
static volatile long counts[THREADS];

static void *work(void *at) {
  volatile long *count = at;
  for (int i = 0; i < ROUNDS; i++) {
    ASCRIBE_SCOPE("work");
    ++*count;
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  long sum = 0;
  {
    ASCRIBE_SCOPE("maker");
    for (int i = 0; i < THREADS; i++)
      pthread_create(&threads[i], NULL, work, (void *)&counts[i]);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    sum += counts[i];
  }
  ASCRIBE_SCOPE("parent");
  for (int i = 0; i < 10; i++) {
    ASCRIBE_SCOPE("work");
    sum++;
  }
  if (fork() == 0) {
    for (int i = 0; i < 20; i++) {
      ASCRIBE_SCOPE("child");
      sum++;
    }
    _exit(0);
  }
  wait(NULL);
  printf("%ld done\n", sum - 10);
  return 0;
}
