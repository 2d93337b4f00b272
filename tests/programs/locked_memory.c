/* mlockall: what the recording has not claimed takes no memory.
 * EXPECT levels -O2
 * EXPECT output 1000, little memory
 * EXPECT calls work 1000
 */
#include "program.h"
#include <sys/mman.h>

KEEP int work(int n) {
  return n + 1;
}

int main(void) {
  mlockall(MCL_CURRENT | MCL_FUTURE); /* refused to most users, who lose nothing by it */
  int sum = 0;
  for (int i = 0; i < 1000; i++)
    sum = work(sum);
  long size = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &size, &resident) != 2) return 1;
  printf("%d, %s memory\n", sum, resident < 16384 ? "little" : "much");
  return 0;
}
