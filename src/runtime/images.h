/* The unwind tables of the objects mapped into the process.
 *
 * They are read from mappings of our own of the objects' files, which stay when the program unloads
 * an object: a signal handler may look at them at any moment. */
#ifndef ASCRIBE_RUNTIME_IMAGES_H
#define ASCRIBE_RUNTIME_IMAGES_H

#include "recording/layout.h"
#include "unwind/walk.h"

/* Stacks will be walked: from now on images_add keeps what it is told. False: no memory. */
bool images_start(void);

/* An object was mapped. Not while another thread adds one. */
void images_add(const struct recorded_object *object);

/* It is gone. Any thread. */
void images_remove(const struct recorded_object *object);

/* The object at an address, or null: an unwind_find_object. Any thread, signal-safe. */
const struct unwind_object *images_find(const void *unused, uint64_t address);

#endif
