/* What depends on the processor that the runtime is built for: a folder for each. */
#ifndef ASCRIBE_RUNTIME_PROCESSOR_H
#define ASCRIBE_RUNTIME_PROCESSOR_H

#if defined(__x86_64__)
#include "runtime/arch/x86_64/x86_64.h"
#else
#error "the runtime is written for x86-64 so far"
#endif

#endif
