#include "program.h"
#include <pthread.h>
#include <setjmp.h>

int jumped;
static jmp_buf back;

KEEP void jumps(void) {
  jumped++;
  longjmp(back, 1);
}

KEEP void *thread_main(void *argument) {
  for (volatile int i = 0; i < 5; i++)
    if (setjmp(back) == 0) jumps();
  return argument;
}

__attribute__((constructor)) static void start(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, thread_main, NULL) == 0) pthread_join(thread, NULL);
}
