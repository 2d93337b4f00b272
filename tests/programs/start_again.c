/* main, and the first function of a thread, are called again by what they called: all of it is
 * part of the program, and the recursion is seen.
 * EXPECT levels sampled
 * EXPECT link -pthread
 * EXPECT output done
 * EXPECT share again measured
 * EXPECT share in_main measured
 * EXPECT share pong measured
 * EXPECT share in_thread measured
 */
#include "program.h"
#include <pthread.h>

static long long again_ns, in_main_ns, pong_ns, in_thread_ns;

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
    MEASURE(pong_ns, pong(depth - 1));
  else
    MEASURE(in_thread_ns, in_thread());
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
    MEASURE(in_main_ns, in_main());
    return 0;
  }
  pthread_t thread;
  MEASURE(again_ns, again(arguments));
  if (pthread_create(&thread, NULL, ping, (void *)1l) != 0) return 1;
  pthread_join(thread, NULL);
  expect_share("again", again_ns);
  expect_share("in_main", in_main_ns);
  expect_share("pong", pong_ns);
  expect_share("in_thread", in_thread_ns);
  puts("done");
  return 0;
}
