#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/symbol_file.h"

enum { MOST_LINES = 4 << 20 };

/* Anybody may put a file into /tmp: only the user's own and root's are believed. */
static int is_trusted(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
         (status.st_uid == geteuid() || status.st_uid == 0);
}

/* The form of perf's JIT maps: "START SIZE name", numbers in hexadecimal. Of several at one
 * address the last one counts. */
static void add_line(struct symbol_file *file, const char *line, uint32_t number) {
  char *end;
  errno = 0;
  uint64_t start = strtoull(line, &end, 16);
  if (end == line || *end != ' ') return;
  line = end + 1;
  uint64_t bytes = strtoull(line, &end, 16);
  if (end == line || *end != ' ' || end[1] == '\0' || bytes == 0 || errno != 0 ||
      bytes > UINT64_MAX - start)
    return;
  char *name = arena_text(&file->arena, end + 1, strlen(end + 1));
  symbol_table_add(&file->table, start, bytes, name, 4 * number);
}

/* Longer lines are cut: a name of that length is not readable anyway. */
enum { LONGEST_LINE = 4096 };

static void skip_rest_of_line(FILE *stream) {
  for (int c = fgetc(stream); c != EOF && c != '\n'; c = fgetc(stream))
    ;
}

static void read_lines(struct symbol_file *file, FILE *stream) {
  char line[LONGEST_LINE];
  for (uint32_t number = 0; number < MOST_LINES; number++) {
    if (!fgets(line, sizeof line, stream)) break;
    char *newline = strchr(line, '\n');
    if (newline)
      *newline = '\0';
    else
      skip_rest_of_line(stream);
    add_line(file, line, number);
  }
}

int jit_map_load(struct symbol_file *file, uint32_t pid) {
  char path[64];
  snprintf(path, sizeof path, "/tmp/perf-%u.map", pid);
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return -1;
  FILE *stream = is_trusted(descriptor) ? fdopen(descriptor, "r") : NULL;
  if (!stream) {
    close(descriptor);
    return -1;
  }
  read_lines(file, stream);
  fclose(stream);
  file->is_jit = 1;
  file->state = SYMBOLS_NAMES;
  symbol_table_finish(&file->table, NULL, 0);
  return 0;
}
