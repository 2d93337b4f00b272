/* What the program calls its blocks (ascribe_kind of ascribe/ascribe.h) and its pools: each name
 * has a number of the recording. Any thread or signal handler; no lock. */
#ifndef ASCRIBE_RUNTIME_BLOCK_NAMES_H
#define ASCRIBE_RUNTIME_BLOCK_NAMES_H

#include "recording/layout.h"

#include <stdint.h>

/* In a forked child: its recording has no names yet. */
void block_names_start_child(void);

/* From 1, of a pool from HEAP_POOL_FIRST; 0: there is no room for another name. Of a long name its
 * first bytes count. */
uint32_t block_names_number(const char *name, enum heap_area area);

#endif
