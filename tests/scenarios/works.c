/* Works for as many milliseconds of CPU time as its first argument says, then becomes the program
 * that the other arguments name, or ends. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double cpu_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

__attribute__((noipa)) void work(double ms) {
  double end = cpu_ms() + ms;
  while (cpu_ms() < end)
    for (int i = 0; i < 20000; i++)
      __asm__ volatile("");
}

int main(int count, char **arguments) {
  work(count > 1 ? atof(arguments[1]) : 100);
  puts("worked");
  fflush(stdout);
  if (count < 3) return 0;
  execvp(arguments[2], arguments + 2);
  perror(arguments[2]);
  return 127;
}
