/* Two linked libraries export one name: the first is called by both, as the linker has it.
 * EXPECT levels -O2
 * EXPECT counted-levels expressions-O2
 * EXPECT library same_name_other.c libone.so -DENTRY=one
 * EXPECT library same_name_other.c libtwo.so -DENTRY=two
 * EXPECT link -Wl,--no-as-needed -L. -lone -ltwo
 * EXPECT output 8
 * EXPECT calls shared 8
 * EXPECT calls shared@libone.so 8
 * EXPECT arc two shared 4
 */
#include "program.h"

int one(void);
int two(void);

int main(void) {
  printf("%d\n", one() + two());
  return 0;
}
