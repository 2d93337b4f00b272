#include "cli/message_stream.h"

#include <errno.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/utf8.h"

static FILE *raw;

FILE *message_stream_raw(void) {
  return raw ? raw : stderr;
}

static int write_all(const char *text, size_t bytes) {
  while (bytes) {
    ssize_t written = write(STDERR_FILENO, text, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return -1;
    text += written;
    bytes -= (size_t)written;
  }
  return 0;
}

/* `text` has a zero behind it. */
static size_t clean(char *text, size_t bytes) {
  size_t to = 0;
  for (size_t at = 0; at < bytes;) {
    size_t length = utf8_bytes(text + at);
    bool shown = length && (text[at] == '\n' || !utf8_is_control(text + at, length));
    if (!shown) text[to++] = '?';
    for (size_t i = 0; shown && i < length; i++)
      text[to++] = text[at + i];
    at += length ? length : 1;
  }
  return to;
}

/* A character that is cut at the end of a part of a long message shows as '?', too. */
static ssize_t write_clean(void *at, const char *text, size_t bytes) {
  char part[1024];
  (void)at;
  for (size_t done = 0; done < bytes;) {
    size_t count = bytes - done < sizeof part - 1 ? bytes - done : sizeof part - 1;
    memcpy(part, text + done, count);
    part[count] = '\0';
    if (write_all(part, clean(part, count)) != 0) return 0;
    done += count;
  }
  return (ssize_t)bytes;
}

void message_stream_open(void) {
  FILE *cleaned = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_clean});
  if (!cleaned) return;
  setvbuf(cleaned, NULL, _IOLBF, 0);
  raw = stderr;
  stderr = cleaned;
}
