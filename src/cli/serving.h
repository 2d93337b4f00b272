/* The viewer for this machine's browser. */
#ifndef ASCRIBE_CLI_SERVING_H
#define ASCRIBE_CLI_SERVING_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "view/server.h"

struct serving_options {
  uint16_t port; /* 0: any that is free */
  bool no_browser;
  const char *ends; /* what Ctrl-C ends, where it is not the viewer alone; or null */
};

struct serving {
  struct server *server;
  bool opened;         /* in the browser, by... */
  char page[PATH_MAX]; /* ...this */
};

/* Block the signals that end it, before there are threads, which inherit that; large blocks of
 * memory go back to the system when they are freed. */
void serving_prepare(sigset_t *ends);

/* Serve the view, say where on standard output, and open it in the browser if there is a screen. */
int serving_begin(struct serving *serving, struct view *view, const struct serving_options *options,
                  struct error *error);
void serving_end(struct serving *serving);

#endif
