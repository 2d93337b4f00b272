/* Many threads under a small limit on descriptors, which cannot be raised: all of them are left to
 * the program, and it sees none but its own.
 * EXPECT levels -O2
 * EXPECT compile -pthread
 * EXPECT output 40 threads, all files, none of others
 */
#include "program.h"
#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { THREADS = 40, LIMIT = 64 };

static pthread_barrier_t barrier;

KEEP int work(int n) {
  return n + 1;
}

KEEP void *thread_main(void *argument) {
  work(1);
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  return argument;
}

static int files_left_now(void) {
  int files[LIMIT], count = 0;
  while (count < LIMIT && (files[count] = dup(1)) >= 0)
    count++;
  for (int i = 0; i < count; i++)
    close(files[i]);
  return count;
}

/* How many more it may open. A tick in another thread may read /proc/self/maps at the moment. */
static int files_left(void) {
  int most = 0;
  for (int i = 0; i < 20; i++) {
    int left = files_left_now();
    if (left > most) most = left;
  }
  return most;
}

static int files_seen_now(void) {
  DIR *directory = opendir("/proc/self/fd");
  int count = 0;
  while (directory && readdir(directory))
    count++;
  if (directory) closedir(directory);
  return count;
}

/* For the same reason the fewest. */
static int files_seen(void) {
  int least = files_seen_now();
  for (int i = 0; i < 20; i++) {
    int seen = files_seen_now();
    if (seen < least) least = seen;
  }
  return least;
}

int main(int count, char **arguments) {
  if (count == 1) {
    struct rlimit limit = {LIMIT, LIMIT};
    setrlimit(RLIMIT_NOFILE, &limit);
    execl("/proc/self/exe", arguments[0], "again", NULL);
    return 1;
  }
  pthread_t threads[THREADS];
  pthread_barrier_init(&barrier, NULL, THREADS + 1);
  int left = files_left();
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, thread_main, NULL) != 0) return 1;
  pthread_barrier_wait(&barrier);
  int all = files_left() == left;
  int seen = files_seen(), before = LIMIT - left + 3; /* ".", ".." and the directory's own */
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  printf("%d threads, %s files, %s of others\n", THREADS, all ? "all" : "fewer",
         seen == before ? "none" : "some");
  return 0;
}
