/* Functions of the process, numbered in the order of their first call. Lock-free: any thread,
 * hook or signal handler. */
#ifndef ASCRIBE_RUNTIME_FUNCTION_TABLE_H
#define ASCRIBE_RUNTIME_FUNCTION_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#define FUNCTION_NONE UINT32_MAX

/* Before the first call of function_id. False: no memory. */
bool function_table_start(void);

/* In a forked child: the numbers so far stay the parent's, new ones follow. */
void function_table_start_child(void);

/* The number of the function at `address`, new if need be; FUNCTION_NONE when the table is full. */
uint32_t function_id(uint64_t address);

/* The address of a number that function_id gave; 0: it is of this process's parent. */
uint64_t function_address(uint32_t id);

/* Forget the functions in [start, end): their object was unloaded; an address that comes back is a
 * new function. */
void function_table_forget(uint64_t start, uint64_t end);

#endif
