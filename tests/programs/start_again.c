/* main, and the first function of a thread, are called again by what they called: all of it is
 * part of the program, and the recursion is seen.
 * EXPECT levels sampled
 * EXPECT link -pthread
 * EXPECT output done
 * EXPECT share again 0.5
 * EXPECT share in_main 0.5
 * EXPECT share pong 0.5
 * EXPECT share in_thread 0.5
 */
#include "program.h"
#include <pthread.h>

KEEP void in_main(void) {
  burn(60000000);
  NOT_A_TAIL();
}

KEEP void in_thread(void) {
  burn(60000000);
  NOT_A_TAIL();
}

KEEP void pong(long depth);

KEEP void *ping(void *argument) {
  long depth = (long)argument;
  if (depth)
    pong(depth - 1);
  else
    in_thread();
  NOT_A_TAIL();
  return NULL;
}

KEEP void pong(long depth) {
  ping((void *)depth);
  NOT_A_TAIL();
}

int main(int count, char **arguments);

KEEP void again(char **arguments) {
  main(-1, arguments);
  NOT_A_TAIL();
}

int main(int count, char **arguments) {
  if (count < 0) {
    in_main();
    return 0;
  }
  pthread_t thread;
  again(arguments);
  if (pthread_create(&thread, NULL, ping, (void *)1l) != 0) return 1;
  pthread_join(thread, NULL);
  puts("done");
  return 0;
}
