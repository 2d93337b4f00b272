/* In a static program an ifunc's resolver runs before there is thread-local storage; it calls
 * another file's function, which has hooks.
 * EXPECT levels -O0 -O2
 * EXPECT compile -static
 * EXPECT also resolver_other.c
 * EXPECT output 42
 * EXPECT calls work 3
 * EXPECT unsampled nothing can be loaded into it
 */
#include "program.h"

int other_choice(int (**choices[])(void), int count);

KEEP int work(void) {
  return 14;
}

static int (*resolve(void))(void) {
  int (*choice)(void) = work;
  int (**choices[])(void) = {&choice};
  return other_choice(choices, 1) ? choice : 0;
}

int chosen(void) __attribute__((ifunc("resolve")));

int main(void) {
  printf("%d\n", chosen() + chosen() + chosen());
  return 0;
}
