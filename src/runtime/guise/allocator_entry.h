/* When allocations are recorded. */
#ifndef ASCRIBE_RUNTIME_ALLOCATOR_ENTRY_H
#define ASCRIBE_RUNTIME_ALLOCATOR_ENTRY_H

#include <stdbool.h>

/* From now on: heap_start has succeeded, and the process records. `by_samples`: not all
 * allocations.
 */
void allocator_calls_begin(bool by_samples);

/* Whether the program's calls of malloc come here. Known when its constructors have run. */
bool allocator_calls_come(void);

#endif
