/* --event: what the processor or the kernel counts, under the names that perf has for them. */
#ifndef ASCRIBE_CLI_EVENT_CHOICE_H
#define ASCRIBE_CLI_EVENT_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { EVENT_NAME_MOST = 63 };

struct event_choice {
  const char *name; /* null: no event was chosen, but time */
  uint32_t type;    /* perf's: PERF_TYPE_HARDWARE... */
  uint64_t config;
  bool kernel; /* it happens in the kernel only */
};

/* A name or rNNNN, the processor's own number in hexadecimal. 0, or -1 (error set). */
int event_choice_parse(const char *text, struct event_choice *choice, struct error *error);

/* Whether this machine counts it, and lets this user. 0, or -1 (error set). */
int event_choice_try(const struct event_choice *choice, struct error *error);

/* The value of ASCRIBE_EVENT. */
enum { EVENT_VARIABLE_BYTES = 128 };
void event_choice_variable(const struct event_choice *choice, char text[EVENT_VARIABLE_BYTES]);

#endif
