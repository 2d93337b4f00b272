/* Code in no object file runs while the program has every descriptor in use: what cannot be read
 * anew stays as it was known.
 * EXPECT levels -O2
 * EXPECT record --rate 4000
 * EXPECT output 2000
 * EXPECT calls work 2000
 * EXPECT arc main work 2000
 * EXPECT sampled cut some
 */
#include "program.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

KEEP int work(int n) {
  return n + 1;
}

/* mov rax, rdi; 1: dec rax; jnz 1b; ret */
static const unsigned char spin[] = {0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc3};

int main(void) {
  void *code =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED) return 1;
  memcpy(code, spin, sizeof spin);
  int sum = 0;
  for (int i = 0; i < 1000; i++)
    sum = work(sum);
  while (dup(1) >= 0)
    ;
  ((void (*)(unsigned long))code)(300000000);
  for (int i = 0; i < 1000; i++)
    sum = work(sum);
  printf("%d\n", sum);
  return 0;
}
