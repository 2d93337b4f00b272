/* Directories of recorders that were killed before they could read and remove them. */
#ifndef ASCRIBE_CLI_LEFTOVERS_H
#define ASCRIBE_CLI_LEFTOVERS_H

#include <stdbool.h>

/* See to those of this user where temporary_create puts its own: name each once on standard error,
 * with how to read it; remove those that nothing was added to for a day and that no process
 * records to, and say so.  Those without a recording, as of a merge by ascribe-mpi, are removed
 * after a day without a word.  `quiet`: say nothing, and name none.  Only directories with
 * temporary_create's mark are looked at: what a user made, or kept, stays. */
void leftovers_see_to(bool quiet);

/* The directory is the user's to remove from now on. */
void leftovers_keep(const char *directory);

#endif
