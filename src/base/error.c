#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

int error_set(struct error *error, const char *format, ...) {
  if (error) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
  }
  return -1;
}
