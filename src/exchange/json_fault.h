/* Where a text stops being JSON. */
#ifndef ASCRIBE_EXCHANGE_JSON_FAULT_H
#define ASCRIBE_EXCHANGE_JSON_FAULT_H

#include <stddef.h>
#include <stdint.h>

/* The line, from 1, at which the text is no longer the beginning of a JSON value; its last line
 * where it is cut off. 0: it is JSON. */
uint64_t json_fault_line(const char *text, size_t bytes);

#endif
