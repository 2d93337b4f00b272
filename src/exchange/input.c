#include "exchange/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

enum { CHUNK_BYTES = 1 << 20 };

int input_open(struct input *input, const char *path, struct error *error) {
  bool standard = strcmp(path, "-") == 0;
  int descriptor = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return error_set(error, "%s cannot be read: %s", path, strerror(errno));
  input_from_descriptor(input, standard ? "standard input" : path, descriptor);
  return 0;
}

void input_from_descriptor(struct input *input, const char *name, int descriptor) {
  *input = (struct input){.name = name, .descriptor = descriptor};
}

void input_from_memory(struct input *input, const char *name, const void *bytes, size_t count) {
  *input = (struct input){.name = name, .descriptor = -1, .end = count};
  input->ended = true;
  input->buffer = memory_resized(NULL, count + 1, 1);
  if (count) memcpy(input->buffer, bytes, count);
}

void input_close(struct input *input) {
  if (input->descriptor >= 0) close(input->descriptor);
  free(input->buffer);
}

/* Room for a chunk and a zero behind it. */
static void make_room(struct input *input) {
  if (input->start) {
    memmove(input->buffer, input->buffer + input->start, input->end - input->start);
    input->end -= input->start;
    input->start = 0;
  }
  ARRAY_ROOM(input->buffer, input->end + CHUNK_BYTES + 1);
}

static void read_more(struct input *input) {
  make_room(input);
  ssize_t got;
  do
    got = read(input->descriptor, input->buffer + input->end, CHUNK_BYTES);
  while (got < 0 && errno == EINTR);
  if (got < 0) input->failure = errno;
  if (got > 0)
    input->end += got;
  else
    input->ended = true;
}

size_t input_peek(struct input *input, size_t wanted, const char **bytes) {
  while (input->end - input->start < wanted && !input->ended)
    read_more(input);
  *bytes = input->buffer + input->start;
  return input->end - input->start;
}

static int failure(const struct input *input, struct error *error) {
  return error_set(error, "%s cannot be read: %s", input->name, strerror(input->failure));
}

/* A line that the end of the file ends. */
static int last_line(struct input *input, char **line, size_t *length, struct error *error) {
  if (input->failure) return failure(input, error);
  if (input->start == input->end) return 0;
  *line = input->buffer + input->start;
  *length = input->end - input->start;
  input->buffer[input->end] = '\0';
  input->start = input->end;
  input->line++;
  input->cut_off = true;
  return 1;
}

int input_line(struct input *input, char **line, size_t *length, struct error *error) {
  size_t searched = 0;
  for (;;) {
    char *from = input->buffer + input->start;
    size_t count = input->end - input->start;
    char *newline = count > searched ? memchr(from + searched, '\n', count - searched) : NULL;
    if (newline) {
      input->line++;
      input->start += newline - from + 1;
      *newline = '\0';
      *line = from;
      *length = newline - from;
      return 1;
    }
    if (input->ended) return last_line(input, line, length, error);
    if (count > MOST_LINE_BYTES) {
      input->line++;
      return input_error(input, error, "the line is longer than %d MB", MOST_LINE_BYTES >> 20);
    }
    searched = count;
    read_more(input);
  }
}

int input_rest(struct input *input, size_t limit, const unsigned char **bytes, size_t *count,
               struct error *error) {
  while (!input->ended && input->end - input->start <= limit)
    read_more(input);
  if (input->failure) return failure(input, error);
  if (input->end - input->start > limit)
    return error_set(error, "%s is larger than %zu MB", input->name, limit >> 20);
  *bytes = (const unsigned char *)input->buffer + input->start;
  *count = input->end - input->start;
  return 0;
}

int input_error(const struct input *input, struct error *error, const char *format, ...) {
  char what[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  if (!input->line) return error_set(error, "%s: %s", input->name, what); /* it is empty */
  return error_set(error, "%s:%llu: %s", input->name, (unsigned long long)input->line, what);
}
