/* What `ascribe cc ARGUMENTS` was asked: its own options and environment, and the compiler's. */
#ifndef ASCRIBE_INSTRUMENT_WRAPPER_REQUEST_H
#define ASCRIBE_INSTRUMENT_WRAPPER_REQUEST_H

#include <getopt.h>
#include <stdbool.h>

#include "instrument/wrapper/command_line.h"
#include "instrument/wrapper/words.h"

/* What the user can say about the plugin's work: option, else environment. */
enum { WRAPPER_CHOICES = 7 };
extern const struct wrapper_choice {
  const char *option;   /* --ascribe-...= */
  const char *variable; /* environment */
  const char *key;      /* of the plugin */
  bool in_pass;         /* clang's has it, too */
} wrapper_choices[WRAPPER_CHOICES];

struct wrapper_request {
  const char *language;
  struct words real;         /* the compiler's own arguments */
  bool contexts;             /* --contexts */
  bool expressions;          /* --expressions */
  bool without_gs;           /* --without-gs */
  bool heap;                 /* --heap */
  bool explain;              /* --ascribe-explain */
  struct words compiler;     /* its program, perhaps behind others ("ccache gcc") */
  const char *compiler_from; /* the variable that names it, or null */
  const char *chosen[WRAPPER_CHOICES];
  struct command_line line;
};

/* arguments[0] is the language; `known` are the options of Ascribe's own, for advice. 0, or -1 with
 * the reason; to be freed either way. */
int wrapper_request_read(int count, char *const *arguments, const struct option *known,
                         struct wrapper_request *request, struct error *error);
void wrapper_request_free(struct wrapper_request *request);

/* Whether the choice with this key was made. */
bool wrapper_request_chose(const struct wrapper_request *request, const char *key);

/* Whether it takes hooks that know contexts. */
bool wrapper_request_contexts(const struct wrapper_request *request);

#endif
