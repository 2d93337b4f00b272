#include "attribution/recorded/system_call_names.h"

#include <stddef.h>

static const char *const names[] = {
#include "attribution/system_calls.inc"
};

const char *system_call_name(uint64_t number) {
  return number < sizeof names / sizeof *names ? names[number] : NULL;
}
