/* libc applies the IRELATIVE relocations of a static program before it sets up thread-local
 * storage: the resolvers of ifuncs, and what they call, run with a thread pointer of 0. Code with
 * hooks looks for its cell from there, so until libc has its own the thread pointer leads to memory
 * that looks as if nothing was recorded. A static PIE is not even relocated here. */
#include <asm/prctl.h>
#include <stdint.h>
#include <sys/mman.h>

#include "runtime/registry/cell.h"
#include "runtime/registry/system.h"

#define PAGE 4096
#define STORAGE_MOST (1 << 24)

__attribute__((used)) void early_thread_pointer(void);

/* From the thread pointer, which there is none of yet; always negative. */
#define OFFSET_OF(variable)                                                                        \
  ({                                                                                               \
    int64_t offset;                                                                                \
    __asm__("movq " variable "@gottpoff(%%rip), %0" : "=r"(offset));                               \
    offset;                                                                                        \
  })

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

void early_thread_pointer(void) {
  int64_t cell = OFFSET_OF("ascribe.row");
  int64_t lowest = least(cell, least(OFFSET_OF("ascribe.counts"), OFFSET_OF("ascribe.frames")));
  int64_t below = (-lowest + PAGE - 1) / PAGE * PAGE;
  if (below > STORAGE_MOST) return;
  long memory = system_call6(SYS_mmap, 0, below + PAGE, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory < 0) return;
  uint64_t *pointer = (uint64_t *)(memory + below);
  *pointer = (uint64_t)pointer;
  *(struct ascribe_cell *)((char *)pointer + cell) =
      (struct ascribe_cell){&ascribe_inert_row, &ascribe_inert_gate};
  system_call3(SYS_arch_prctl, ARCH_SET_FS, (long)pointer, 0);
}
