#include "program.h"

int __real_wrapped(void);
int __wrap_wrapped(void);

KEEP int inner(void) {
  return 0;
}

KEEP int real(void) {
  return inner() + 2;
}

int alias(void) __attribute__((weak, alias("real")));

KEEP int wrapped(void) {
  return 0;
}

KEEP int __wrap_wrapped(void) {
  return __real_wrapped() + 1;
}
