/* An error as a value: what happened, why, what to do, in one line for the user. */
#ifndef ASCRIBE_BASE_ERROR_H
#define ASCRIBE_BASE_ERROR_H

/* Filled on failure only. `text` is one line without a newline. */
struct error {
  char text[512];
};

/* Write the message (printf rules; cut to fit) and return -1, so that a function can end in
 * `return error_set(error, ...)`.  `error` may be null. */
int error_set(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
