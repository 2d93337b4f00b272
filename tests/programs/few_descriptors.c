/* Many threads under a small limit on descriptors: most are left to the program.
 * EXPECT levels -O2
 * EXPECT compile -pthread
 * EXPECT output 40 threads, 40 files
 */
#include "program.h"
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

enum { THREADS = 40, FILES = 40 };

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

int main(int count, char **arguments) {
  if (count == 1) {
    struct rlimit limit = {64, 64};
    setrlimit(RLIMIT_NOFILE, &limit);
    execl("/proc/self/exe", arguments[0], "again", NULL);
    return 1;
  }
  pthread_t threads[THREADS];
  pthread_barrier_init(&barrier, NULL, THREADS + 1);
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, thread_main, NULL) != 0) return 1;
  pthread_barrier_wait(&barrier);
  int files = 0;
  while (files < FILES && dup(1) >= 0)
    files++;
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  printf("%d threads, %d files\n", THREADS, files);
  return 0;
}
