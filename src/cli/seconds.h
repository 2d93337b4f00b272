/* Times on the command line. */
#ifndef ASCRIBE_CLI_SECONDS_H
#define ASCRIBE_CLI_SECONDS_H

#include <stdint.h>

/* "2", "0.25", "2s", "250ms", "5min": at most a hundred years. 0, or -1 where the text is none. */
int seconds_parse(const char *text, uint64_t *ns);

/* The same of the beginning of a text: where it ends; null where there is none. */
const char *seconds_read(const char *text, uint64_t *ns);

#endif
