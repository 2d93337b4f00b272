/* Code that was made at run time, with frame pointers, and calls more of its kind: what it calls
 * and what called it are told; the code itself has no name.
 * EXPECT levels sampled
 * EXPECT output done
 * EXPECT share work 1
 * EXPECT share caller 1
 * EXPECT sampled outermost main
 */
#include "program.h"
#include <string.h>
#include <sys/mman.h>

/* push rbp; mov rbp, rsp; call rdi; pop rbp; ret
 * The same with a call of that. */
static const unsigned char inner[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
static const unsigned char outer[] = {0x55, 0x48, 0x89, 0xe5, 0xe8, 0xef,
                                      0xff, 0xff, 0xff, 0x5d, 0xc3};

KEEP void work(void) {
  burn(300000000);
  NOT_A_TAIL();
}

KEEP void caller(void (*code)(void (*)(void))) {
  code(work);
  NOT_A_TAIL();
}

int main(void) {
  void *code =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED) return 1;
  memcpy(code, inner, sizeof inner);
  memcpy((char *)code + sizeof inner, outer, sizeof outer);
  caller((void (*)(void (*)(void)))((char *)code + sizeof inner));
  puts("done");
  return 0;
}
