/* The frame of the function that asks, to unwind from; and what else lies where it runs. */
#ifndef ASCRIBE_RUNTIME_FRAME_HERE_H
#define ASCRIBE_RUNTIME_FRAME_HERE_H

#include <stdint.h>

#include "unwind/frame.h"

/* The registers that a call preserves, and the program counter. */
static inline __attribute__((always_inline)) void frame_here(struct unwind_frame *frame) {
  __asm__ volatile("movq %%rbx, 8*3(%0)\n\t"
                   "movq %%rbp, 8*6(%0)\n\t"
                   "movq %%rsp, 8*7(%0)\n\t"
                   "movq %%r12, 8*12(%0)\n\t"
                   "movq %%r13, 8*13(%0)\n\t"
                   "movq %%r14, 8*14(%0)\n\t"
                   "movq %%r15, 8*15(%0)\n\t"
                   "leaq 0f(%%rip), %%rax\n"
                   "0:\tmovq %%rax, 8*16(%0)"
                   :
                   : "r"(frame->registers)
                   : "rax", "memory");
  frame->known = 1u << UNWIND_RBX | 1u << UNWIND_RBP | 1u << UNWIND_RSP | 0xfu << UNWIND_R12 |
                 1u << UNWIND_RIP;
  frame->exact = true;
}

/* The thread pointer, which in libc's threads lies above their stack. */
static inline uint64_t thread_pointer(void) {
  uint64_t pointer;
  __asm__("movq %%fs:0, %0" : "=r"(pointer));
  return pointer;
}

/* Valgrind's own way to be asked: a request that is four rotations to anybody else. */
static inline uint64_t valgrind_answer(const volatile uint64_t request[6]) {
  uint64_t answer = 0;
  __asm__ volatile(
      "rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
      : "+d"(answer)
      : "a"(request)
      : "cc", "memory", "rdi");
  return answer;
}

#endif
