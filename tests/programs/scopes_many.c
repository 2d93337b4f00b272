/* Many stacks of centres: entries are exact however full the table gets.
 * EXPECT levels -O2
 * EXPECT output 160000
 * EXPECT entries c0 192000
 * EXPECT entries c1 32000
 * EXPECT entries c19 32000
 */
#include "program.h"

#include <ascribe/ascribe.h>

#define LABELS 20
#define CASE(i)                                                                                    \
  case i: {                                                                                        \
    ASCRIBE_SCOPE("c" #i);                                                                         \
    go(path / LABELS, depth - 1);                                                                  \
  } break

static int ends;

KEEP static void go(int path, int depth) {
  if (!depth) {
    ends++;
    return;
  }
  switch (path % LABELS) {
    CASE(0);
    CASE(1);
    CASE(2);
    CASE(3);
    CASE(4);
    CASE(5);
    CASE(6);
    CASE(7);
    CASE(8);
    CASE(9);
    CASE(10);
    CASE(11);
    CASE(12);
    CASE(13);
    CASE(14);
    CASE(15);
    CASE(16);
    CASE(17);
    CASE(18);
    CASE(19);
  }
}

int main(void) {
  for (int i = 0; i < LABELS * LABELS * LABELS * LABELS; i++)
    go(i, 5);
  printf("%d\n", ends);
  return 0;
}
