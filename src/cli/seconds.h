/* Times on the command line. */
#ifndef ASCRIBE_CLI_SECONDS_H
#define ASCRIBE_CLI_SECONDS_H

#include <stdint.h>

/* "2", "0.25": seconds, at most a hundred years. 0, or -1 where the text is none. */
int seconds_parse(const char *text, uint64_t *ns);

#endif
