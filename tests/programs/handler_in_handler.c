/* A signal interrupts the handler of another one, or of itself, and has the same handler: by a call
 * that the handler makes, and by a timer while it computes. exit() calls the function that called
 * it.
 * EXPECT output entered 4012 worked 8024
 * EXPECT calls handler 4012
 * EXPECT calls work 8024
 * EXPECT calls informed 12
 * EXPECT calls old 6
 * EXPECT calls leave 2
 * EXPECT arc leave exit_work 2
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"

static volatile int entered, worked, depth, left;

KEEP void work(void) {
  worked++;
}

KEEP void exit_work(void) {
  left++;
}

/* Ten deep each time. */
KEEP void handler(int signal_number) {
  entered++;
  work();
  if (++depth < 10) raise(signal_number == SIGUSR1 ? SIGUSR2 : SIGUSR1);
  depth--;
  work();
}

KEEP void informed(int signal_number, siginfo_t *info, void *context) {
  (void)info;
  (void)context;
  exit_work();
  if (++depth < 12) raise(signal_number);
  depth--;
}

KEEP void old() {
  exit_work();
  if (++depth < 6) raise(SIGTERM);
  depth--;
}

KEEP void leave(void) {
  exit_work();
  if (left == 19) exit(0);
}

static void handle(int signal_number, void (*function)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = function;
  action.sa_flags = SA_NODEFER;
  sigaction(signal_number, &action, NULL);
}

int main(void) {
  handle(SIGUSR1, handler);
  handle(SIGUSR2, handler);
  handle(SIGHUP, (void (*)(int))informed);
  handle(SIGTERM, (void (*)(int))old);
  for (int i = 0; i < 401; i++)
    raise(SIGUSR1);
  depth = 9;
  handler(SIGUSR1);
  handler(SIGUSR1);
  depth = 0;
  raise(SIGHUP);
  raise(SIGTERM);
  printf("entered %d worked %d\n", entered, worked);
  fflush(stdout);
  atexit(leave);
  leave();
  return 0;
}
