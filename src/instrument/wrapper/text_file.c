#include "instrument/wrapper/text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

char *text_file_read(const char *path) {
  FILE *file = fopen(path, "re");
  if (!file) return NULL;
  char *text = NULL;
  size_t capacity = 0;
  if (getdelim(&text, &capacity, '\0', file) < 0) {
    free(text);
    text = NULL;
  }
  fclose(file);
  return text;
}

int text_file_hand_on(const char *text) {
  size_t length = strlen(text);
  int descriptor = memfd_create("ascribe", 0);
  if (descriptor >= 0 && write(descriptor, text, length) != (ssize_t)length) {
    close(descriptor);
    descriptor = -1;
  }
  return descriptor;
}
