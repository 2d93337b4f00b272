/* The profiles that a command names: FILE..., or n=SIZE:FILE..., with the sizes of their inputs. */
#ifndef ASCRIBE_CLI_SIZED_FILES_H
#define ASCRIBE_CLI_SIZED_FILES_H

#include <stdbool.h>

#include "compare/workspace.h"

struct sized_files {
  const char *files[WORKSPACE_MOST]; /* parts of the words */
  double n[WORKSPACE_MOST];          /* above 0 */
  size_t count;
  bool sized; /* they have sizes: two different ones at least */
};

/* Take `count` words. 0, or -1 after wrong_use. */
int sized_files_take(struct sized_files *files, char **words, int count);

/* Swap the one of the largest n with the first. */
void sized_files_put_largest_first(struct sized_files *files);

#endif
