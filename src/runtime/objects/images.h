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

/* Executable memory of no file (a compiler's at run time): all of it, told anew between begin and
 * end, sorted by address.  images_end_anonymous says whether it changed.  Not while another thread
 * does so; images_find may look meanwhile. */
void images_begin_anonymous(void);
void images_add_anonymous(uint64_t start, uint64_t end);
bool images_end_anonymous(void);

/* The object at an address, or null: an unwind_find_object. Any thread, signal-safe. */
const struct unwind_object *images_find(const void *unused, uint64_t address);

#endif
