/* AddressSanitizer wants to be the first library: ours is before it. After main it searches for
 * leaks below a destructor, and waits for a process of its own: longer on a busy machine.
 * EXPECT levels sampled
 * EXPECT compile -fsanitize=address -pthread
 * EXPECT output 1000
 * EXPECT sampled outermost main works _start
 * EXPECT sampled present work
 */
#include "program.h"
#include <pthread.h>

KEEP int work(void) {
  int sum = 0;
  for (int i = 0; i < 500; i++) {
    char *block = malloc(1 + i);
    block[i] = 1;
    sum += block[i];
    burn(100000);
    free(block);
  }
  return sum;
}

KEEP void *works(void *sum) {
  *(int *)sum = work();
  return NULL;
}

int main(void) {
  pthread_t thread;
  int sum;
  if (pthread_create(&thread, NULL, works, &sum)) return 1;
  int own = work();
  if (pthread_join(thread, NULL)) return 1;
  printf("%d\n", own + sum);
  return 0;
}
