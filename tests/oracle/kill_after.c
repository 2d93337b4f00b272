/* Linked into a program, without hooks: SIGKILL after KILL_AFTER microseconds. */
#include <signal.h>
#include <stdlib.h>
#include <time.h>

__attribute__((constructor)) static void set_timer(void) {
  const char *text = getenv("KILL_AFTER");
  long after = text ? strtol(text, NULL, 10) : 0;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
  struct itimerspec when = {.it_value = {after / 1000000, after % 1000000 * 1000}};
  timer_t timer;
  if (after && !timer_create(CLOCK_MONOTONIC, &event, &timer)) timer_settime(timer, 0, &when, NULL);
}
