/* Options of the commands: getopt, with advice for those that are mistaken. */
#ifndef ASCRIBE_CLI_NEXT_OPTION_H
#define ASCRIBE_CLI_NEXT_OPTION_H

#include <getopt.h>
#include <stddef.h>

/* As getopt_long. Where it has complained, a line says what may have been meant, and where help is.
 * arguments[0] is the name of the command, "ascribe report". */
int next_option(int count, char **arguments, const char *letters, const struct option *known);

/* The word of `count` that is like `wrong`; null: none is near. */
const char *nearest_word(const char *wrong, const char *const *words, size_t count);

#endif
