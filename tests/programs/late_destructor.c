/* A destructor of thread-specific data that is called in every round there is, after all others.
 * EXPECT levels -O2
 * EXPECT compile -pthread
 * EXPECT output 200 threads, no descriptors
 */
#include "program.h"
#include <dirent.h>
#include <pthread.h>

static pthread_key_t key;

KEEP int work(int n) {
  return n + 1;
}

KEEP void destructor(void *value) {
  work(1);
  pthread_setspecific(key, value);
}

KEEP void *thread_main(void *argument) {
  pthread_setspecific(key, &key);
  return argument;
}

static int descriptors(void) {
  int count = 0;
  DIR *directory = opendir("/proc/self/fd");
  if (!directory) exit(1);
  while (readdir(directory))
    count++;
  closedir(directory);
  return count;
}

int main(void) {
  pthread_key_create(&key, destructor);
  int before = descriptors(), started = 0;
  for (int i = 0; i < 200; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, thread_main, NULL) != 0) return 1;
    pthread_join(thread, NULL);
    started++;
  }
  int more = descriptors() - before;
  printf("%d threads, %s descriptors\n", started, more ? "more" : "no");
  return 0;
}
