/* Which blocks of memory are allocated: how large each is, and in which cell it was counted.
 *
 * Shadow memory: 8 bytes for every 32 of the heap, which is as close together as glibc puts two
 * blocks.  Blocks that do not fit there, large ones and those of allocators that put two into 32
 * bytes, are in a table beside it.  Private memory, so a forked child has a copy.
 * Any thread; no lock; memory is asked for as the heap grows. */
#ifndef ASCRIBE_RUNTIME_LIVE_BLOCKS_H
#define ASCRIBE_RUNTIME_LIVE_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

struct live_block {
  uint32_t cell;   /* id; 0: the block is not known */
  bool rounded_up; /* of a sample: byte_samples.h */
  uint64_t bytes;
};

/* False: no memory. */
bool live_blocks_start(void);

/* The block at `address`; what was known there before goes to *before, with cell 0 if nothing was:
 * that block was freed unseen.  False: there is no room for it. */
bool live_blocks_put(uint64_t address, struct live_block block, struct live_block *before);

/* The block at `address`, which the caller owns; and count it in another cell. False: none. */
struct live_block live_blocks_find(uint64_t address);
bool live_blocks_move(uint64_t address, uint32_t cell);

/* Forget the block at `address`, which the caller owns. */
struct live_block live_blocks_take(uint64_t address);

#endif
