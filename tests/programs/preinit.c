/* .preinit_array runs before every constructor, in the executable only.
 * EXPECT levels -O2
 * EXPECT counted-levels expressions-O2
 * EXPECT output 1
 * EXPECT calls work 1
 */
#include "program.h"

static int worked;

KEEP void work(void) {
  worked++;
}

KEEP void before_everything(int argc, char **argv, char **environment) {
  (void)argc, (void)argv, (void)environment;
  work();
  NOT_A_TAIL();
}

__attribute__((section(".preinit_array"),
               used)) static void (*const first)(int, char **, char **) = before_everything;

int main(void) {
  printf("%d\n", worked);
  return 0;
}
