/* Threads begin in their maker's centre; entries are exact with many at once, and in children that
 * were forked, whose entries are their own. What a thread captured that is gone holds, in a child,
 * too; after an exec it changes nothing.
 * EXPECT link -pthread
 * EXPECT output 400000 done
 * EXPECT entries work 400010
 * EXPECT entries maker 1
 * EXPECT entries child 20
 * EXPECT inside maker work 400000
 * EXPECT inside parent child 20
 * EXPECT inside parent work 10
 * EXPECT inside maker captures resumed 1
 * EXPECT inside maker captures child_resumed 1
 * EXPECT inside - executed 1
 * EXPECT processes 3
 */
#include "program.h"

#include <ascribe/ascribe.h>
#include <pthread.h>
#include <stdlib.h>
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

static void *captures(void *captured) {
  ASCRIBE_SCOPE("captures");
  *(struct ascribe_captured *)captured = ascribe_capture();
  return NULL;
}

static void resume(struct ascribe_captured captured) {
  ASCRIBE_RESUME(captured);
  ASCRIBE_SCOPE("resumed");
  counts[0]++;
}

static void resume_in_child(struct ascribe_captured captured) {
  ASCRIBE_RESUME(captured);
  ASCRIBE_SCOPE("child_resumed");
  counts[0]++;
}

/* Hands the token over as words; does not return. */
static void execute(struct ascribe_captured captured) {
  char centre[20], check[20];
  snprintf(centre, sizeof centre, "%u", captured.centre);
  snprintf(check, sizeof check, "%u", captured.check);
  execl("/proc/self/exe", "executed", centre, check, NULL);
  _exit(1);
}

static int executed(char **words) {
  const struct ascribe_captured captured = {strtoul(words[1], NULL, 10),
                                            strtoul(words[2], NULL, 10)};
  ASCRIBE_RESUME(captured);
  ASCRIBE_SCOPE("executed");
  counts[0]++;
  return 0;
}

int main(int count, char **words) {
  if (count == 3) return executed(words);
  pthread_t threads[THREADS];
  long sum = 0;
  struct ascribe_captured captured = {0};
  {
    ASCRIBE_SCOPE("maker");
    pthread_t gone;
    pthread_create(&gone, NULL, captures, &captured);
    pthread_join(gone, NULL);
    for (int i = 0; i < THREADS; i++)
      pthread_create(&threads[i], NULL, work, (void *)&counts[i]);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    sum += counts[i];
  }
  resume(captured);
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
    resume_in_child(captured);
    execute(captured);
  }
  wait(NULL);
  printf("%ld done\n", sum - 10);
  return 0;
}
