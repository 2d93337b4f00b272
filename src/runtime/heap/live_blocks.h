/* Which blocks of memory are allocated: how large each is, and in which cell it was counted.
 *
 * Shadow memory: a word of 8 bytes for every granule, which for the heap are 32 bytes, as close
 * together as glibc puts two blocks, and for a pool 8.  Blocks that do not fit there, large ones
 * and those of which two are in one granule, are in a table beside it.  Private memory, so a forked
 * child has a copy.
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

struct live_blocks;

/* The heap's own. Null: no memory. */
struct live_blocks *live_blocks_start(void);

/* Those of a pool: *place is set if it is null. Null: no memory. */
struct live_blocks *live_blocks_of_pool(struct live_blocks **place);

/* The block at `address`; what was known there before goes to *before, with cell 0 if nothing was:
 * that block was freed unseen.  False: there is no room for it. */
bool live_blocks_put(struct live_blocks *blocks, uint64_t address, struct live_block block,
                     struct live_block *before);

/* The block at `address`, which the caller owns; and count it in another cell. False: none. */
struct live_block live_blocks_find(struct live_blocks *blocks, uint64_t address);
bool live_blocks_move(struct live_blocks *blocks, uint64_t address, uint32_t cell);

/* Forget the block at `address`, which the caller owns. */
struct live_block live_blocks_take(struct live_blocks *blocks, uint64_t address);

/* Forget all of a pool's, each once, whoever else is about it; what is put meanwhile may stay.
 * Time: of the memory that had a block since the last time, by pieces of 16 KB. */
void live_blocks_empty(struct live_blocks *blocks,
                       void (*taken)(void *context, struct live_block block), void *context);

#endif
