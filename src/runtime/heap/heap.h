/* What the program allocates and frees, by the whole stack of each allocation.
 *
 * A stack is a frame below another one, in blocks of the recording that each thread has for itself,
 * and a cell there holds the sums of what the thread allocated and freed with that stack.  A block
 * that another thread allocated goes off in the freeing thread's own cell for its stack.  So every
 * word has one writer, and nothing waits.
 *
 * The peak needs no census: a cell that is touched for the first time after a new peak keeps what
 * it held then; one that is never touched again still holds it.
 *
 * A thread among several tells what it has live once that has changed by its batch, which grows
 * from 1 KB to 64 KB, and when it ends.  The last one alive tells at once. */
#ifndef ASCRIBE_RUNTIME_HEAP_H
#define ASCRIBE_RUNTIME_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/heap/live_blocks.h"
#include "runtime/registry/thread_state.h"

struct stack_caller;

/* Allocations are recorded from now on: all of them, or, where `mean` is not 0, samples of so many
 * bytes on average (byte_samples.h). Stacks can be walked. False: no room. */
bool heap_start(uint64_t mean);

/* In a forked child: blocks so far are its parent's, whose recording is `parent`. `recorded`: it
 * has one of its own. */
void heap_start_child(const struct recording_header *parent, bool recorded);

/* The program makes another thread: before it exists, until it has begun or could not be made. In
 * between, the thread itself has begun to be recorded (heap_thread_begins). Signal-safe. */
void heap_expect_thread(void);
void heap_thread_came(void);

/* The calling thread has got its state, or leaves it. What it allocates later still counts.
 * Signal-safe. */
void heap_thread_begins(struct thread_state *thread);
void heap_thread_ends(struct thread_state *thread);

bool heap_is_recorded(void);

/* Where samples are recorded: bytes that a thread is to allocate until its next one. */
uint64_t heap_gap(const struct thread_state *thread);

/* The thread has got a block. Any moment of it; what a signal handler allocates while its thread is
 * in here is counted as dropped. `position`: changes with each allocation of the thread that is not
 * told here. */
void heap_allocated(struct thread_state *thread, uint64_t address, uint64_t bytes,
                    uint64_t position, const struct stack_caller *caller);

/* The program calls the live block so, in a call whose stack pointer was `stack`. What is not known
 * is ignored. Any moment of the thread. */
void heap_name(struct thread_state *thread, uint64_t address, const char *name, uint64_t stack);

/* A pool of the program's has given out a block, or got it back (address 0: it has got back all of
 * them).  Any moment of the thread. */
void heap_pool_allocated(struct thread_state *thread, const char *pool, uint64_t address,
                         uint64_t bytes, const struct stack_caller *caller);
void heap_pool_freed(struct thread_state *thread, const char *pool, uint64_t address,
                     uint64_t stack);

/* The program asked the kernel for memory, or is about to give some back, at `tsc`: see struct
 * recorded_mapping.  Any moment of the thread. */
void heap_mapped(struct thread_state *thread, enum mapping_change change, uint64_t address,
                 uint64_t bytes, uint64_t tsc, const struct stack_caller *caller);

/* The thread is about to give a block back: forget it, then count it, or, where that failed, put it
 * back. heap_freed: false if it could not be counted, and was put back until its address is given
 * out again. */
struct live_block heap_take(uint64_t address);
void heap_put_back(uint64_t address, struct live_block block);
bool heap_freed(struct thread_state *thread, uint64_t address, struct live_block block,
                uint64_t position, const struct stack_caller *caller);

#endif
