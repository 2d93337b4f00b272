#include "view/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/memory.h"
#include "view/page.h"
#include "view/view_pool.h"

enum { TOKEN_BYTES = 16, TOKEN_TEXT = 2 * TOKEN_BYTES, MOST_CONNECTIONS = 32 };

/* What is left of these is for whoever has the token. */
enum { MOST_UNKNOWN = 16 };

/* Chips are in the address, with names of any length. */
enum { LONGEST_REQUEST = 256 << 10 };

/* Whoever has the token may wait long; before, a connection is nobody's. */
enum { SECONDS_IDLE = 120, SECONDS_UNKNOWN = 10 };

struct guest {
  int socket; /* -1: none */
  bool known; /* has shown the token */
  unsigned number;
};

/* Each connection has a thread; `places` is for the guests. */
struct server {
  struct view_pool *pool;
  pthread_mutex_t places;
  atomic_bool stops;
  struct guest guests[MOST_CONNECTIONS];
  unsigned guest_count; /* so far */
  struct MHD_Daemon *daemon;
  char token[TOKEN_TEXT + 1], nonce[TOKEN_TEXT + 1];
  char policy[512]; /* the Content-Security-Policy */
  unsigned port;
};

/* ---- who asks ---- */

static int random_text(char text[TOKEN_TEXT + 1]) {
  unsigned char bytes[TOKEN_BYTES];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return -1;
  for (int i = 0; i < TOKEN_BYTES; i++)
    snprintf(text + 2 * i, 3, "%02x", bytes[i]);
  return 0;
}

/* In the same time wherever the first difference is. */
static bool has_token(const struct server *server, const char *path) {
  unsigned char differs = 0;
  if (strlen(path) < TOKEN_TEXT + 2) return false;
  for (int i = 0; i < TOKEN_TEXT; i++)
    differs |= path[i + 1] ^ server->token[i];
  return !differs && path[0] == '/' && path[TOKEN_TEXT + 1] == '/';
}

int server_is_own_host(const char *host, unsigned port) {
  char own[2][32];
  if (!host) return 0;
  snprintf(own[0], sizeof own[0], "127.0.0.1:%u", port);
  snprintf(own[1], sizeof own[1], "localhost:%u", port);
  return strcmp(host, own[0]) == 0 || strcmp(host, own[1]) == 0;
}

/* ---- who connects ---- */

static struct guest *free_place(struct server *server) {
  struct guest *guest = server->guests;
  while (guest->socket >= 0 && guest + 1 < server->guests + MOST_CONNECTIONS)
    guest++;
  return guest;
}

/* Anybody on the machine may connect and hold on: then the oldest who is unknown has to go. */
static void make_room(struct server *server) {
  struct guest *oldest = NULL;
  int unknown = 0;
  for (struct guest *guest = server->guests; guest < server->guests + MOST_CONNECTIONS; guest++) {
    if (guest->socket < 0 || guest->known) continue;
    unknown++;
    if (!oldest || guest->number < oldest->number) oldest = guest;
  }
  if (unknown <= MOST_UNKNOWN) return;
  shutdown(oldest->socket, SHUT_RDWR);
  oldest->number = UINT_MAX; /* it is closed soon: the next time another one */
}

static int socket_of(struct MHD_Connection *connection) {
  return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

static void note_connection(void *at, struct MHD_Connection *connection, void **place,
                            enum MHD_ConnectionNotificationCode code) {
  struct server *server = at;
  pthread_mutex_lock(&server->places);
  if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
    ((struct guest *)*place)->socket = -1;
  } else {
    struct guest *guest = *place = free_place(server);
    *guest = (struct guest){.socket = socket_of(connection), .number = server->guest_count++};
    make_room(server);
  }
  pthread_mutex_unlock(&server->places);
}

static void note_known(struct server *server, struct MHD_Connection *connection) {
  struct guest *guest =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
  pthread_mutex_lock(&server->places);
  guest->known = true;
  pthread_mutex_unlock(&server->places);
  MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned)SECONDS_IDLE);
}

/* ---- answers ---- */

static enum MHD_Result send_memory(struct server *server, struct MHD_Connection *connection,
                                   unsigned status, const char *type, char *text, size_t bytes,
                                   enum MHD_ResponseMemoryMode mode) {
  struct MHD_Response *response = MHD_create_response_from_buffer(bytes, text, mode);
  if (!response) {
    if (mode == MHD_RESPMEM_MUST_FREE) free(text);
    return MHD_NO;
  }
  const char *const headers[][2] = {{"Content-Type", type},
                                    {"Content-Security-Policy", server->policy},
                                    {"X-Content-Type-Options", "nosniff"},
                                    {"X-Frame-Options", "DENY"},
                                    {"Referrer-Policy", "no-referrer"},
                                    {"Cross-Origin-Resource-Policy", "same-origin"},
                                    {"Cross-Origin-Opener-Policy", "same-origin"},
                                    {"Cache-Control", "no-store"}};
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
    MHD_add_response_header(response, headers[i][0], headers[i][1]);
  enum MHD_Result result = MHD_queue_response(connection, status, response);
  MHD_destroy_response(response);
  return result;
}

static enum MHD_Result send_word(struct server *server, struct MHD_Connection *connection,
                                 unsigned status, const char *text) {
  return send_memory(server, connection, status, "text/plain; charset=utf-8", (char *)text,
                     strlen(text), MHD_RESPMEM_MUST_COPY);
}

static enum MHD_Result take_parameter(void *at, enum MHD_ValueKind kind, const char *name,
                                      const char *value) {
  return parameters_add(at, name, value) == 0 ? MHD_YES : MHD_NO;
}

/* Who asks, while the answer is looked for. */
struct asker {
  struct server *server;
  int socket;
};

/* The page was left, or the server ends: nobody reads the answer. */
static bool is_gone(void *at) {
  const struct asker *asker = at;
  struct pollfd of = {.fd = asker->socket, .events = POLLRDHUP};
  return atomic_load(&asker->server->stops) || (poll(&of, 1, 0) > 0 && of.revents);
}

static enum MHD_Result send_answer(struct server *server, struct MHD_Connection *connection,
                                   const char *name) {
  struct parameters parameters = {0};
  struct error error = {"out of memory"};
  char *text = NULL;
  size_t bytes = 0;
  MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, take_parameter, &parameters);
  FILE *out = open_memstream(&text, &bytes);
  if (!out) return MHD_NO;
  struct asker asker = {server, socket_of(connection)};
  const struct view_asker waiting = {is_gone, &asker};
  enum answer answer = view_pool_answer(server->pool, &waiting, name, &parameters, out, &error);
  if (fclose(out) != 0) answer = ANSWER_WRONG;
  if (answer == ANSWER_GIVEN)
    return send_memory(server, connection, MHD_HTTP_OK, "application/json", text, bytes,
                       MHD_RESPMEM_MUST_FREE);
  free(text);
  if (answer == ANSWER_UNKNOWN)
    return send_word(server, connection, MHD_HTTP_NOT_FOUND, "not found");
  return send_word(server, connection,
                   answer == ANSWER_PAST ? MHD_HTTP_CONFLICT : MHD_HTTP_BAD_REQUEST, error.text);
}

static enum MHD_Result send_page(struct server *server, struct MHD_Connection *connection) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  if (!out) return MHD_NO;
  page_write(server->nonce, out);
  if (fclose(out) != 0) {
    free(text);
    return MHD_NO;
  }
  return send_memory(server, connection, MHD_HTTP_OK, "text/html; charset=utf-8", text, bytes,
                     MHD_RESPMEM_MUST_FREE);
}

static enum MHD_Result send_path(struct server *server, struct MHD_Connection *connection,
                                 const char *path) {
  const struct page_asset *asset = page_asset(path);
  if (!*path) return send_page(server, connection);
  if (strncmp(path, "api/", 4) == 0) return send_answer(server, connection, path + 4);
  if (asset)
    return send_memory(server, connection, MHD_HTTP_OK, asset->type, (char *)asset->text,
                       asset->bytes, MHD_RESPMEM_PERSISTENT);
  return send_word(server, connection, MHD_HTTP_NOT_FOUND, "not found");
}

/* Nothing is changed by following an address. */
static bool may_ask(const char *method, const char *path) {
  if (strlen(path) > TOKEN_TEXT && strcmp(path + TOKEN_TEXT + 1, "/api/dial") == 0)
    return strcmp(method, "PUT") == 0;
  return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
}

static enum MHD_Result take_request(void *at, struct MHD_Connection *connection, const char *path,
                                    const char *method, const char *version, const char *upload,
                                    size_t *upload_bytes, void **seen) {
  static char begun;
  struct server *server = at;
  if (!*seen) { /* only the headers are there */
    *seen = &begun;
    return MHD_YES;
  }
  *upload_bytes = 0;
  const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
  if (!server_is_own_host(host, server->port))
    return send_word(server, connection, MHD_HTTP_MISDIRECTED_REQUEST, "another host");
  if (!may_ask(method, path))
    return send_word(server, connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET, and PUT of the dial");
  if (!has_token(server, path))
    return send_word(server, connection, MHD_HTTP_FORBIDDEN,
                     "wrong address: use the one that ascribe view printed");
  note_known(server, connection);
  return send_path(server, connection, path + TOKEN_TEXT + 2);
}

/* ---- the daemon ---- */

static int start_daemon(struct server *server, uint16_t port, struct error *error) {
  struct sockaddr_in here = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  errno = 0;
  server->daemon = MHD_start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, port, NULL, NULL,
      take_request, server, MHD_OPTION_SOCK_ADDR, &here, MHD_OPTION_CONNECTION_LIMIT,
      (unsigned)MOST_CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)LONGEST_REQUEST,
      MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SECONDS_UNKNOWN, MHD_OPTION_NOTIFY_CONNECTION,
      note_connection, server, MHD_OPTION_END);
  if (!server->daemon)
    return error_set(error, "cannot serve on 127.0.0.1:%u%s%s", port, errno ? ": " : "",
                     errno ? strerror(errno) : "");
  server->port = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
  return 0;
}

int server_start(struct view *view, uint16_t port, const char *token, struct server **server,
                 char address[SERVER_ADDRESS_BYTES], struct error *error) {
  struct server *made = memory_zeroed(1, sizeof *made);
  pthread_mutex_init(&made->places, NULL);
  for (int i = 0; i < MOST_CONNECTIONS; i++)
    made->guests[i].socket = -1;
  if (random_text(made->token) != 0 || random_text(made->nonce) != 0) {
    free(made);
    return error_set(error, "no random numbers: %s", strerror(errno));
  }
  if (token) memcpy(made->token, token, TOKEN_TEXT);
  page_policy(made->nonce, "'self'", made->policy, sizeof made->policy);
  strcat(made->policy,
         "; frame-ancestors 'none'"); /* there is room: the parts have fixed lengths */
  made->pool = view_pool_open(view);
  if (start_daemon(made, port, error) != 0) {
    view_pool_close(made->pool);
    free(made);
    return -1;
  }
  snprintf(address, SERVER_ADDRESS_BYTES, "http://127.0.0.1:%u/%s/", made->port, made->token);
  *server = made;
  return 0;
}

struct view_pool *server_pool(struct server *server) {
  return server->pool;
}

void server_stop(struct server *server) {
  atomic_store(&server->stops, true);
  MHD_stop_daemon(server->daemon);
  view_pool_close(server->pool);
  free(server);
}
