#include "store/source_text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *read_whole(int descriptor, size_t size, size_t *bytes) {
  char *text = malloc(size + 1);
  size_t got = 0;
  while (text && got < size) {
    ssize_t count = read(descriptor, text + got, size - got);
    if (count <= 0) break;
    got += count;
  }
  if (text) text[got] = '\0';
  *bytes = got;
  return text;
}

char *source_text_read(const char *path, struct source_budget *budget, size_t *bytes) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return NULL;
  struct stat status;
  char *text = NULL;
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
      (size_t)status.st_size <= budget->file_bytes && (size_t)status.st_size <= budget->total_bytes)
    text = read_whole(descriptor, status.st_size, bytes);
  close(descriptor);
  if (text && memchr(text, '\0', *bytes)) {
    free(text);
    return NULL;
  }
  if (text) budget->total_bytes -= *bytes;
  return text;
}
