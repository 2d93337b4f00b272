/* More threads than a small recording has room for: the others run at full speed and cost nothing.
 * EXPECT levels -O2
 * EXPECT compile -pthread
 * EXPECT output 100 threads, little memory
 */
#include "program.h"
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

enum { THREADS = 100, CALLS = 20000 };

KEEP int work(int n) {
  return n + 1;
}

KEEP void *thread_main(void *argument) {
  for (int i = 0; i < CALLS; i++)
    work(i);
  return argument;
}

static long resident_pages(void) {
  long size = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &size, &resident) != 2) exit(1);
  fclose(file);
  return resident;
}

int main(int count, char **arguments) {
  struct rlimit limit = {1 << 20, 1 << 20};
  if (count == 1) { /* the recording of the next image is as small as one can be */
    setrlimit(RLIMIT_FSIZE, &limit);
    execl("/proc/self/exe", arguments[0], "again", NULL);
    return 1;
  }
  long before = resident_pages();
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, thread_main, NULL) != 0) return 1;
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  long grown = resident_pages() - before;
  printf("%d threads, %s memory\n", THREADS, grown < 8192 ? "little" : "much");
  return 0;
}
