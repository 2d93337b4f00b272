/* Is in the kernel nearly all the time, and ends as it is told: in_kernel READS ENDING [BYTES].
 * Says before how much CPU time it has used, in nanoseconds. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t bytes = 65536; /* of a read; few: much of the time is in user code */

static void read_much(int reads) {
  static char data[65536];
  int random = open("/dev/urandom", O_RDONLY);
  for (int i = 0; i < reads; i++)
    if (read(random, data, bytes) < 0) exit(1);
  close(random);
}

static long long used(int who) {
  struct rusage usage;
  getrusage(who, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000ll +
         (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000ll;
}

static void end(const char *how, char **arguments) {
  if (strcmp(how, "_exit") == 0) _exit(0);
  if (strcmp(how, "quick_exit") == 0) quick_exit(0);
  if (strcmp(how, "kill") == 0) raise(SIGKILL);
  if (strcmp(how, "exec") == 0) execv(arguments[0], arguments);
  exit(0);
}

int main(int count, char **arguments) {
  if (count < 3) return 1;
  if (count > 3) bytes = (size_t)atoi(arguments[3]) % 65537;
  if (strcmp(arguments[2], "two") == 0) { /* and no figure tells which of them was how long */
    for (int i = 0; i < 2; i++)
      if (fork() == 0) {
        read_much(atoi(arguments[1]));
        raise(SIGKILL);
      }
    while (wait(NULL) > 0)
      ;
    printf("%lld\n", used(RUSAGE_CHILDREN));
    return 0;
  }
  read_much(atoi(arguments[1]));
  printf("%lld\n", used(RUSAGE_SELF));
  fflush(stdout);
  char *again[] = {arguments[0], "0", "exit", NULL};
  end(arguments[2], again);
}
