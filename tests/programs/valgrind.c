/* Under valgrind, which cannot pass on the samples of perf_event: counts are exact all the same.
 * (Where there is no valgrind the program runs without.)
 * EXPECT levels -O2
 * EXPECT output 3000000
 * EXPECT calls work 3000000
 * EXPECT arc main work 3000000
 */
#include "program.h"
#include <unistd.h>

KEEP int work(int n) {
  return n + 1;
}

int main(int count, char **arguments) {
  if (count == 1) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) return 1;
    path[length] = 0;
    execlp("valgrind", "valgrind", "-q", "--tool=none", path, "again", NULL);
    execl(path, arguments[0], "again", NULL);
    return 1;
  }
  int sum = 0;
  for (int i = 0; i < 3000000; i++)
    sum = work(sum);
  printf("%d\n", sum);
  return 0;
}
