/* Files that are mapped may become shorter at any moment: reading what is gone raises SIGBUS. */
#ifndef ASCRIBE_OUTSIDE_FILE_FAULT_H
#define ASCRIBE_OUTSIDE_FILE_FAULT_H

#include <stdbool.h>

/* Call body(context), which reads mapped files and holds nothing that a jump would lose.  False: it
 * was left in the middle, because a file had become shorter.  One thread, not nested. */
bool file_fault_guard(void (*body)(void *context), void *context);

#endif
