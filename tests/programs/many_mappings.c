/* A list of mappings of several megabytes, with the libraries at its end.
 * EXPECT levels -O2
 * EXPECT record --rate 4000
 * EXPECT library many_mappings_library.c libmapped.so
 * EXPECT link -L. -lmapped
 * EXPECT output 2000
 * EXPECT calls mapped_work@libmapped.so 2000
 * EXPECT arc main mapped_work 2000
 * EXPECT sampled cut some
 */
#include "program.h"
#include <string.h>
#include <sys/mman.h>

enum { MAPPINGS = 30000 };

int mapped_work(int n);

/* mov rax, rdi; 1: dec rax; jnz 1b; ret */
static const unsigned char spin[] = {0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc3};

int main(void) {
  int sum = 0;
  for (int i = 0; i < 1000; i++)
    sum = mapped_work(sum);
  char *memory = mmap(NULL, MAPPINGS * 4096ul, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  for (long i = 0; i < MAPPINGS; i += 2)
    if (mprotect(memory + i * 4096, 4096, PROT_NONE) != 0) return 1;
  void *code =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED) return 1;
  memcpy(code, spin, sizeof spin);
  ((void (*)(unsigned long))code)(300000000);
  for (int i = 0; i < 1000; i++)
    sum = mapped_work(sum);
  printf("%d\n", sum);
  return 0;
}
