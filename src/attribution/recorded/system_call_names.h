/* Names of Linux's system calls on this architecture. */
#ifndef ASCRIBE_ATTRIBUTION_SYSTEM_CALL_NAMES_H
#define ASCRIBE_ATTRIBUTION_SYSTEM_CALL_NAMES_H

#include <stdint.h>

/* Null: no such number was known when Ascribe was built. */
const char *system_call_name(uint64_t number);

#endif
