/* 64 threads at once; their roots are their start function.
 * EXPECT levels -O2
 * EXPECT counted-levels expressions-O2
 * EXPECT compile -pthread
 * EXPECT output 64
 * EXPECT calls work 1280000
 * EXPECT arc thread_main work 1280000
 * EXPECT calls thread_main 64
 * EXPECT never main work
 * EXPECT threads 65
 */
#include "parts/maze.h"
#include <pthread.h>

static long maze_total;

KEEP int work(int n) {
  return n + 1;
}

KEEP void *thread_main(void *argument) {
  for (int i = 0; i < 20000; i++) {
    work(i);
    if (i % 1000 == 0) maze[i / 1000](20, (unsigned)(long)argument * 77u);
  }
  __atomic_add_fetch(&maze_total, maze_calls, __ATOMIC_RELAXED);
  return NULL;
}

int main(void) {
  pthread_t threads[64];
  for (long i = 0; i < 64; i++)
    if (pthread_create(&threads[i], NULL, thread_main, (void *)i) != 0) return 1;
  int joined = 0;
  for (int i = 0; i < 64; i++)
    joined += pthread_join(threads[i], NULL) == 0;
  printf("%d\n", joined);
  expect("calls-like maze_%% %ld", maze_total);
  return 0;
}
