/* What programs/fortran.f90 asks. */
#include "fixture.h"

int check_calls(const void *address, long calls);
int check_calls(const void *address, long calls) {
  fixture_expect_calls("function", address, (unsigned long)calls);
  return fixture_faults();
}
