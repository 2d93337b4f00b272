/* Every signal is blocked when the program executes another, with a tick perhaps pending: the
 * new image gets no signal that nobody sent.
 * EXPECT levels -O2
 * EXPECT counted-levels expressions-O2
 * EXPECT record --rate 4000
 * EXPECT output second
 * EXPECT arc main before 10
 * EXPECT processes 2
 */
#include "program.h"
#include <signal.h>
#include <unistd.h>

KEEP void before(void) {
  burn(5000000);
}

int main(int argc, char **argv) {
  sigset_t all;
  sigfillset(&all);
  if (argc == 1) {
    sigprocmask(SIG_BLOCK, &all, NULL);
    for (int i = 0; i < 10; i++)
      before();
    execl("/proc/self/exe", argv[0], "second", (char *)NULL);
    return 1;
  }
  sigprocmask(SIG_UNBLOCK, &all, NULL);
  puts(argv[1]);
  return 0;
}
