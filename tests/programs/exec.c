/* exec: the new image records too, and the old one's counts are kept.
 * EXPECT levels -O0 -O2
 * EXPECT counted-levels expressions-O2
 * EXPECT output second
 * EXPECT arc main before 3
 * EXPECT arc main after 5
 * EXPECT processes 2
 */
#include "program.h"
#include <unistd.h>

KEEP int before(int n) {
  return n + 1;
}
KEEP int after(int n) {
  return n + 1;
}

int main(int argc, char **argv) {
  if (argc == 1) {
    for (int i = 0; i < 3; i++)
      before(i);
    execl("/proc/self/exe", argv[0], "second", (char *)NULL);
    return 1;
  }
  for (int i = 0; i < 5; i++)
    after(i);
  puts(argv[1]);
  return 0;
}
