/* A handler of SIGTRAP executes another program, which takes its mask over, and lets the signal in:
 * no tick is pending then.
 * EXPECT levels -O2
 * EXPECT record --rate 4000
 * EXPECT output second
 * EXPECT processes 2
 */
#include "program.h"
#include <signal.h>
#include <unistd.h>

static char *name;

KEEP void handler(int number) {
  (void)number;
  burn(50000000);
  execl("/proc/self/exe", name, "second", (char *)NULL);
}

int main(int argc, char **argv) {
  sigset_t none;
  name = argv[0];
  if (argc == 1) {
    signal(SIGTRAP, handler);
    raise(SIGTRAP);
    return 1;
  }
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  burn(10000000);
  puts(argv[1]);
  return 0;
}
