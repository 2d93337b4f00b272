/* Handlers that need more room than an alternate stack of ours has: with SA_ONSTACK, but without an
 * alternate stack, in all threads and then in one that did not choose any; of the signals that
 * sampling uses. In a forked child, too, nobody sees that there is one. Ticks
 * that were held back while a handler ran have a gap in their stacks.
 * EXPECT levels -O0 -O2
 * EXPECT compile -pthread
 * EXPECT output 4 disabled 4 disabled 8 disabled
 * EXPECT calls handler 8
 * EXPECT processes 2
 * EXPECT sampled cut any
 */
#include "program.h"
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOM = 512 * 1024 };

static const int numbers[] = {SIGUSR1, SIGTRAP, SIGPROF};
static volatile int handled;

KEEP void handler(int number) {
  volatile char room[ROOM];
  for (size_t i = 0; i < sizeof room; i += 1024)
    room[i] = (char)number;
  handled += room[1024] == number;
}

static void *raise_all(void *argument) {
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    raise(numbers[i]);
  return argument;
}

static void show(void) {
  stack_t now;
  struct sigaction action;
  sigaltstack(NULL, &now);
  sigaction(SIGUSR1, NULL, &action);
  bool same = action.sa_flags & SA_ONSTACK && action.sa_handler == handler;
  printf("%d %s ", handled, same && now.ss_flags & SS_DISABLE && !now.ss_sp ? "disabled" : "wrong");
  fflush(stdout);
}

static void *in_thread(void *argument) {
  raise_all(NULL);
  show();
  return argument;
}

static void start_thread(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, in_thread, NULL) != 0) _exit(1);
  pthread_join(thread, NULL);
}

int main(void) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    sigaction(numbers[i], &action, NULL);
  raise(SIGUSR1);
  start_thread();
  pid_t child = fork();
  if (!child) {
    show();
    _exit(0);
  }
  waitpid(child, NULL, 0);
  stack_t stack = {.ss_size = 2 * ROOM};
  stack.ss_sp =
      mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  sigaltstack(&stack, NULL);
  raise(SIGUSR1);
  start_thread();
  return 0;
}
