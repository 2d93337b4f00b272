/* Constructors of every priority, before and after the runtime's own.
 * EXPECT levels -O0 -O2
 * EXPECT output 4
 * EXPECT calls work() 4
 * EXPECT arc earliest() work() 1
 * EXPECT arc late() work() 1
 * EXPECT arc Global::Global() work() 1
 * EXPECT arc main work() 1
 */
#include "program.h"

static int worked;

KEEP void work() {
  worked++;
}

__attribute__((constructor(101))) KEEP void earliest() {
  work();
  NOT_A_TAIL();
}

__attribute__((constructor)) KEEP void late() {
  work();
  NOT_A_TAIL();
}

struct Global {
  KEEP Global() {
    work();
    NOT_A_TAIL();
  }
};

static Global global;

int main() {
  work();
  printf("%d\n", worked);
  return 0;
}
