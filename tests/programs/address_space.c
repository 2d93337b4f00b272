/* Under a limit on address space most of it is the program's.
 * EXPECT levels -O2
 * EXPECT output 400 MiB
 * EXPECT calls take 400
 */
#include "program.h"
#include <sys/resource.h>
#include <unistd.h>

KEEP int take(void) {
  return malloc(1 << 20) != NULL;
}

int main(int count, char **arguments) {
  if (count == 1) {
    struct rlimit limit = {512 << 20, 512 << 20};
    setrlimit(RLIMIT_AS, &limit);
    execl("/proc/self/exe", arguments[0], "again", NULL);
    return 1;
  }
  int taken = 0;
  for (int i = 0; i < 400; i++)
    taken += take();
  printf("%d MiB\n", taken);
  return 0;
}
