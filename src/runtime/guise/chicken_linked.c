/* In programs that have CHICKEN's own code linked into them the linker sends calls of C_trace here
 * (--wrap).  Weak: other programs have no C_trace. */
#include "runtime/guise/chicken_points.h"

extern __attribute__((weak, visibility("default"))) trace_function __real_C_trace;
__attribute__((visibility("default"))) trace_function __wrap_C_trace;
__attribute__((visibility("default"))) volatile uint64_t *ascribe_chicken_begin(void);

/* The linker keeps the order of its files: the program's, this one, CHICKEN's.  link-runtime.sh
 * leaves this section's name. */
__attribute__((section(".text.chicken"))) static void end_of_code(void) {}

void __wrap_C_trace(char *name) {
  chicken_trace(name, __real_C_trace, (const void *)end_of_code);
}

volatile uint64_t *ascribe_chicken_begin(void) {
  return chicken_begin(__builtin_return_address(0), (const void *)end_of_code);
}
