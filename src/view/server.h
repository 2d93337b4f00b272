/* The server of `ascribe view`: on this machine only, for who knows its address. */
#ifndef ASCRIBE_VIEW_SERVER_H
#define ASCRIBE_VIEW_SERVER_H

#include "view/view.h"

enum { SERVER_ADDRESS_BYTES = 128 };

struct server;

/* Serve the files of `view`, which nobody may ask until server_stop, on 127.0.0.1 and
 * `port` (0: any).  Every path begins with the token, 32 hexadecimal digits (null: random ones),
 * and requests must name this machine as their host.  `address` becomes what a browser is to be
 * given. Questions are answered at once, each of what it says is to be shown (view_pool.h).  One
 * whose connection is closed is given up. */
int server_start(struct view *view, uint16_t port, const char *token, struct server **server,
                 char address[SERVER_ADDRESS_BYTES], struct error *error);
/* Questions that are being answered are given up. */
void server_stop(struct server *server);

/* What answers its questions. */
struct view_pool *server_pool(struct server *server);

/* Whether `host`, of a request to `port`, is this machine: a page of another site whose name leads
 * here must not read answers. */
int server_is_own_host(const char *host, unsigned port);

#endif
