/* --event: what the processor or the kernel counts, under the names that perf has for them. */
#ifndef ASCRIBE_CLI_EVENT_CHOICE_H
#define ASCRIBE_CLI_EVENT_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "recording/layout.h"

enum { EVENT_NAME_MOST = 63 };

struct event_choice {
  char name[EVENT_NAME_MOST + 1];
  uint32_t type; /* perf's: PERF_TYPE_HARDWARE... */
  uint64_t config;
  bool kernel; /* it happens in the kernel only */
};

struct event_choices {
  struct event_choice list[EVENTS_MOST];
  unsigned count; /* 0: no event was chosen, but time */
};

/* The names one after the other; null: no more. */
const char *event_choice_name(size_t i);

/* Names, or rNNNN, the processor's own number in hexadecimal, with commas between them. 0, or -1
 * (error set). */
int event_choices_parse(const char *text, struct event_choices *choices, struct error *error);

/* Whether this machine counts them, and lets this user. 0, or -1 (error set). */
int event_choices_try(const struct event_choices *choices, struct error *error);

/* The value of ASCRIBE_EVENT. */
enum { EVENT_VARIABLE_BYTES = 128 * EVENTS_MOST };
void event_choices_variable(const struct event_choices *choices, char text[EVENT_VARIABLE_BYTES]);

#endif
