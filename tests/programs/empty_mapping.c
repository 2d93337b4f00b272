/* An executable mapping of an empty file, which nobody may touch.
 * EXPECT levels -O2
 * EXPECT compile -D_GNU_SOURCE
 * EXPECT record --rate 4000
 * EXPECT output 1000
 * EXPECT calls work 1000
 * EXPECT sampled cut any
 */
#include "program.h"
#include <string.h>
#include <sys/mman.h>

KEEP int work(int n) {
  return n + 1;
}

/* mov rax, rdi; 1: dec rax; jnz 1b; ret */
static const unsigned char spin[] = {0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc3};

int main(void) {
  int file = memfd_create("empty", 0);
  if (file < 0 || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0) == MAP_FAILED)
    return 1;
  void *code =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED) return 1;
  memcpy(code, spin, sizeof spin);
  ((void (*)(unsigned long))code)(300000000); /* ticks in no known object: all are listed anew */
  int sum = 0;
  for (int i = 0; i < 1000; i++)
    sum = work(sum);
  printf("%d\n", sum);
  return 0;
}
