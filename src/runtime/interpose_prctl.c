/* prctl on its way to the kernel: what the program forbids to itself, ticks do without. */
#include <errno.h>
#include <stdarg.h>
#include <sys/prctl.h>

#include "runtime/system.h"
#include "runtime/time_stamp.h"

__attribute__((visibility("default"))) int prctl(int option, ...) {
  va_list list;
  long arguments[4];
  va_start(list, option);
  for (int i = 0; i < 4; i++)
    arguments[i] = va_arg(list, long);
  va_end(list);
  if (option == PR_SET_TSC && arguments[0] == PR_TSC_SIGSEGV) time_stamp_forbid();
  long status =
      system_call6(SYS_prctl, option, arguments[0], arguments[1], arguments[2], arguments[3], 0);
  if (!system_failed(status)) return (int)status;
  errno = (int)-status;
  return -1;
}
