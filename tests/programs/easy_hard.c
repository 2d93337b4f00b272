/* The liar: work(n) is called once cheaply and once expensively; gprof says half and half.
 * EXPECT levels -O0 -O2
 * EXPECT record --rate 2000
 * EXPECT output done
 * EXPECT calls work 2
 * EXPECT arc easy work 1
 * EXPECT arc hard work 1
 * EXPECT share easy measured
 * EXPECT share hard measured
 * EXPECT share main 1.0
 */
#define BRIEF_UNLESS_RECORDED
#include "program.h"

KEEP void work(long n) {
  for (long i = 0; i < n; i++)
    burn(1000);
}

KEEP void easy(void) {
  work(100000);
  NOT_A_TAIL();
}

KEEP void hard(void) {
  work(900000);
  NOT_A_TAIL();
}

int main(void) {
  long long easy_ns = 0, hard_ns = 0;
  MEASURE(easy_ns, easy());
  MEASURE(hard_ns, hard());
  expect_share("easy", easy_ns);
  expect_share("hard", hard_ns);
  puts("done");
  return 0;
}
