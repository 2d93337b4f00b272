/* n=SIZE:FILE, a profile and the size of its input. */
#ifndef ASCRIBE_CLI_SIZED_FILE_H
#define ASCRIBE_CLI_SIZED_FILE_H

/* What is wrong with `text`, to be printed after it; or null, and *n, above 0, and *file, a part of
 * `text`, are set. */
const char *sized_file_parse(const char *text, double *n, const char **file);

#endif
