/* Which objects have hooks, and what these can reach.  This program carries what an instrumented
 * object does, and is not linked with the runtime. */
#include "symbols/object_hooks.h"

#include <dlfcn.h>

#include "ascribe/inert.h"
#include "check.h"

__asm__(ASCRIBE_INERT_DEFINITIONS ASCRIBE_INERT_WAY("1"));

int main(int count, char **arguments) {
  static const uint8_t other[20];
  Dl_info libc;
  if (count < 2 || !dladdr((void *)(uintptr_t)puts, &libc)) return 2;
  CHECK_EQUAL(object_hooks_read("/proc/self/exe", NULL, 0), OBJECT_HOOKS_UNLINKED);
  CHECK_EQUAL(object_hooks_read("/proc/self/exe", other, sizeof other), OBJECT_HOOKS_NONE);
  CHECK_EQUAL(object_hooks_read(libc.dli_fname, NULL, 0), OBJECT_HOOKS_NONE);
  CHECK_EQUAL(object_hooks_read(arguments[1], NULL, 0), OBJECT_HOOKS_NONE);
  CHECK_EQUAL(object_hooks_read("/nonexistent", NULL, 0), OBJECT_HOOKS_NONE);
  CHECK_EQUAL(object_hooks_read("/dev/null", NULL, 0), OBJECT_HOOKS_NONE);
  CHECK_EQUAL(object_hooks_read("/", NULL, 0), OBJECT_HOOKS_NONE);
  return check_result();
}
