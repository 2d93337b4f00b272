/* Calls until it is stopped and notes each call in a shared file before it makes it: counts_calls
 * FILE [handle].  The file holds the process id and the number of calls.  With "handle" SIGINT ends
 * it in an orderly way. */
#include "program.h"
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

KEEP void work(void) {
  burn(100);
}

static void on_interrupt(int number) {
  (void)number;
  handled++;
}

int main(int count, char **arguments) {
  if (count < 2) return 1;
  int file = open(arguments[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || ftruncate(file, 16) != 0) return 1;
  volatile uint64_t *noted = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (noted == MAP_FAILED) return 1;
  if (count > 2) signal(SIGINT, on_interrupt);
  noted[0] = (uint64_t)getpid();
  alarm(120); /* should the test lose it */
  while (!handled) {
    noted[1]++;
    work();
  }
  usleep(200000); /* for a second one */
  printf("handled %d\n", (int)handled);
  return 6;
}
