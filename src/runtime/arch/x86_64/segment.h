/* The base of the segment register %gs, which glibc leaves to programs.  Code of executables finds
 * its counters by it (ascribe/hook.h, "Counts"): each thread has its own, and a thread begins with
 * that of the thread which made it. */
#ifndef ASCRIBE_RUNTIME_SEGMENT_H
#define ASCRIBE_RUNTIME_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

/* Once, before the other: what the processor and the kernel can do. */
void segment_start(void);

/* Set the calling thread's base. Signal-safe. False, and nothing has changed: the kernel lets
 * programs set it by a system call only (before Linux 5.9, or without FSGSBASE), and this program
 * may not make it, or the base is not an address of its own. */
bool segment_set(uint64_t base);

#endif
